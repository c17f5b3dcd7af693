"""What changes of a tile would do to its kernel, and the edits that would make them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.analysis.bank_changes import (
    Change,
    Changed,
    ChangeKind,
    access_after,
    changed,
    changes_for,
)
from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.estimate import estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.shared_sites import Count, SharedKind
from workbench.core.analysis.shared_tiles import LaneElements, SharedTiles
from workbench.core.diagnostics import Fix
from workbench.core.doctor.fixes.situation import Situation, situation_of
from workbench.core.doctor.fixes.tile_changes import NoEditError, change_fix
from workbench.core.doctor.lint import Subject
from workbench.core.documents.reading import parse_document
from workbench.session.lenses.banks.cards import PunchCard, punch_card
from workbench.session.lenses.banks.detail import SiteDetail
from workbench.session.lenses.subject import LensSubject, LensTarget

_MOST = 6
_MOST_OF = {ChangeKind.PAD: 3, ChangeKind.SWIZZLE: 1}
_SMALL_BYTES = 256  # a larger pad is not worth it where a swizzle does the same
_UNREADABLE = "the text cannot be read"


@dataclass(frozen=True)
class WhatIf:
    """A change with its effect on the kernel.

    `before` and `after` are the wavefronts of all sites of the launch, `ways` the worst of the
    tile's sites then. `time_before_us` and `time_us` are predicted, None where there is no
    estimate. Without a `fix`, `no_fix` says why. `note` tells where conflicts move to, and what is
    not counted.
    """

    change: Change
    title: str
    ways: int
    before: Count
    after: Count
    extra_bytes: int
    time_before_us: float | None
    time_us: float | None
    note: str = ""
    fix: Fix | None = None
    no_fix: str = ""

    @property
    def gains(self) -> bool:
        """Whether it saves wavefronts."""
        return self.after < self.before


@dataclass(frozen=True)
class WhatIfs:
    """The changes of one site's tile, the best first; `left_out` tells of those that are not."""

    choices: tuple[WhatIf, ...]
    left_out: str = ""


def what_ifs(subject: LensSubject, target: LensTarget, detail: SiteDetail) -> WhatIfs:
    """What changes would do for the chosen site; none where it has no conflicts."""
    kernel, rules = target.kernel, rules_for(target.target.arch)
    tiles = kernel.shared_tiles if kernel is not None else None
    if kernel is None or tiles is None or rules is None:
        return WhatIfs((), target.why_missing("shared tiles"))
    if not detail.row.excess:
        return WhatIfs(())
    if detail.site is None:
        return WhatIfs((), "the machine code accesses it otherwise than the lowered code")
    made = [changed(tiles, change, rules) for change in changes_for(tiles, detail.site)]
    if not made:
        return WhatIfs((), _why_none(tiles, detail.site))
    known = _worth_showing([each for each in made if each.wavefronts is not None])
    situation = _situation(subject, target)
    choices = [_what_if(target, kernel, detail.site, each, situation) for each in known]
    unknown = [each for each in made if each.wavefronts is None]
    return WhatIfs(tuple(sorted(choices, key=_preference))[:_MOST], _left_out(unknown))


def card_after(
    target: LensTarget, detail: SiteDetail, change: Change, place: int
) -> PunchCard | None:
    """The card of a recorded step after a change; None where it cannot be drawn."""
    kernel, rules = target.kernel, rules_for(target.target.arch)
    tiles = kernel.shared_tiles if kernel is not None else None
    step = detail.steps[place].step if place < len(detail.steps) else None
    if tiles is None or rules is None or step is None or step.elements is None:
        return None
    if detail.site is None:
        return None
    own, tile = tiles.sites[detail.site], tiles.tile(change.buffer)
    if tile is None:
        return None
    lanes = LaneElements(step.elements, 1, step.outside)
    after = access_after(tile, own, change, detail.site, (lanes,))
    if after is None:
        return None
    addresses = after.layout.addresses(after.rows, after.columns)[0]
    return punch_card(after.access, addresses.tolist(), rules, step.outside)


def title_of(change: Change) -> str:
    """A change in a few words."""
    several = change.kind is ChangeKind.XOR and change.amount > 1
    name = _TITLES[change.kind]
    return f"XOR of runs of {change.amount}" if several else name.format(change.amount)


_TITLES = {
    ChangeKind.PAD: "Pad by {}",
    ChangeKind.SWIZZLE: "Swizzle {} B",
    ChangeKind.XOR: "XOR of columns",
    ChangeKind.WIDTH: "{} B a lane",
    ChangeKind.TRANSPOSE: "Transpose the tile",
}
_AFTER = {
    ChangeKind.PAD: "{0} padded by {1}",
    ChangeKind.SWIZZLE: "{0} swizzled, {1} B",
    ChangeKind.XOR: "{0} with XOR",
    ChangeKind.WIDTH: "With {1} B a lane",
    ChangeKind.TRANSPOSE: "{0} transposed",
}
_ORDER = list(ChangeKind)


def after_title(change: Change) -> str:
    """What stands above the card of the changed kernel."""
    return _AFTER[change.kind].format(change.buffer, change.amount)


def _preference(choice: WhatIf) -> tuple[bool, Count, bool, int, int]:
    """Least wavefronts first; of equals pads that take little, then what takes nothing."""
    kind = _ORDER.index(choice.change.kind)
    large = choice.extra_bytes > _SMALL_BYTES
    return not choice.gains, choice.after, large, kind, choice.extra_bytes


def _worth_showing(found: Sequence[Changed]) -> list[Changed]:
    """The three best pads and the best swizzle; no XOR where that swizzle does as well."""
    ranked = sorted(found, key=lambda each: (each.wavefronts or 0, each.extra_bytes))
    by_kind: dict[ChangeKind, list[Changed]] = {}
    for each in ranked:
        by_kind.setdefault(each.change.kind, []).append(each)
    kept = [each for kind, own in by_kind.items() for each in own[: _MOST_OF.get(kind, _MOST)]]
    least = min((e.wavefronts or 0 for e in by_kind.get(ChangeKind.SWIZZLE, ())), default=None)
    return [
        each
        for each in kept
        if each.change.kind is not ChangeKind.XOR or least is None or (each.wavefronts or 0) < least
    ]


def _what_if(
    target: LensTarget,
    kernel: KernelAnalysis,
    site: int,
    effect: Changed,
    situation: Situation | None,
) -> WhatIf:
    assert kernel.shared is not None
    assert effect.wavefronts is not None
    sites = kernel.shared.ir_sites
    before = sum(each.wavefronts or 0 for each in sites)
    own = sum(sites[each.site].wavefronts or 0 for each in effect.sites)
    saved = own - effect.wavefronts
    time, fits = _predicted(target, kernel, saved, effect.extra_bytes)
    made = WhatIf(
        effect.change,
        title_of(effect.change),
        effect.ways,
        before,
        before - saved,
        effect.extra_bytes,
        kernel.estimate.time_us if kernel.estimate is not None else None,
        time,
        _note(kernel, site, effect),
    )
    if not fits:
        return replace(made, no_fix="a block would need more shared memory than there is")
    if situation is None:
        return replace(made, no_fix=_UNREADABLE)
    try:
        return replace(made, fix=change_fix(situation, effect.change))
    except NoEditError as error:
        return replace(made, no_fix=str(error))


def _note(kernel: KernelAnalysis, site: int, effect: Changed) -> str:
    """Where conflicts are that were not, and copies that would be made in another way."""
    tiles, report = kernel.shared_tiles, kernel.shared
    assert tiles is not None
    assert report is not None
    worse = [
        tiles.sites[each.site].line
        for each in effect.sites
        if each.site != site and (each.count.ways or 1) > (report.ir_sites[each.site].ways or 1)
    ]
    bulk = any(
        each.buffer == effect.change.buffer and each.kind is SharedKind.BULK_COPY
        for each in tiles.sites
    )
    notes = [f"moves to line {worse[0]}"] if worse else []
    if bulk and effect.change.kind in (ChangeKind.PAD, ChangeKind.XOR, ChangeKind.TRANSPOSE):
        notes.append("its bulk copies become plain ones, not counted")
    return "; ".join(notes)


def _predicted(
    target: LensTarget, kernel: KernelAnalysis, saved: Count, extra: int
) -> tuple[float | None, bool]:
    """The run time after a change, and whether a block still fits on a core."""
    known = kernel.estimate
    resident = known.blocks_per_sm if known is not None else 1
    if extra and kernel.block_resources is not None:
        block = kernel.block_resources
        larger = replace(block, dynamic_shared_bytes=block.dynamic_shared_bytes + extra)
        occupancy = occupancy_of(larger, target.target.arch)
        if occupancy is not None:
            resident = min(resident, occupancy.most_blocks)
    facts = known.facts if known is not None else None
    if facts is None or facts.shared_wavefronts is None or resident < 1:
        return None, resident > 0
    after = replace(
        facts,
        shared_wavefronts=facts.shared_wavefronts - saved,
        shared_bytes=facts.shared_bytes + extra,
    )
    made = estimate(after, target.target, resident)
    return made.time_us if made is not None else None, True


def _why_none(tiles: SharedTiles, site: int) -> str:
    own = tiles.sites[site]
    if any(e.buffer == own.buffer and e.kind is SharedKind.TENSOR for e in tiles.sites):
        return f"{own.buffer} is an operand whose layout the tensor core asks for"
    return own.lacks or f"{own.buffer or 'the buffer'} has no rows to lay out otherwise"


def _left_out(unknown: Iterable[Changed]) -> str:
    reasons: dict[str, list[str]] = {}
    for each in unknown:
        reasons.setdefault(each.unknown or "unknown", []).append(title_of(each.change))
    return "; ".join(f"{', '.join(titles)}: {reason}" for reason, titles in reasons.items())


def _situation(subject: LensSubject, target: LensTarget) -> Situation | None:
    """What fixes are made from: the text as it is now."""
    document = parse_document(subject.text, Path(subject.path))
    chosen = document.kernel(subject.kernel) if subject.kernel is not None else None
    if chosen is None:
        return None
    return situation_of(document, (Subject(chosen, subject.arguments, (target.target,)),))
