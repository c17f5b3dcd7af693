"""What the chosen site does step by step: a punch card for each warp and turn that is recorded."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.analysis.bank_rules import AccessKind, BankRules, SharedAccess
from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import SharedKind, SharedSite
from workbench.core.analysis.shared_tiles import LaneStep, SharedTile, TileSite
from workbench.session.lenses.banks.cards import PunchCard, punch_card
from workbench.session.lenses.banks.sites import SiteRow
from workbench.session.lenses.subject import LensTarget

_WORST = "the worst instruction of the machine code"
_BY_DESCRIPTOR = (
    "There are no lanes to draw: the tensor core reads its operands through descriptors."
)
_UNKNOWN = "What the lanes do is unknown: {}."
_NO_RULES = "no bank rules are known for this architecture"
_NO_LANES = "the addresses were not recorded"


@dataclass(frozen=True)
class StepCard:
    """One instruction: of which warp at which turn, its card, and the lanes that it is drawn of."""

    warp: int | None
    turn: str
    card: PunchCard
    step: LaneStep | None = None

    @property
    def label(self) -> str:
        """Warp and turn in words."""
        if self.warp is None:
            return self.turn
        return f"warp {self.warp}, {self.turn}" if self.turn else f"warp {self.warp}"


@dataclass(frozen=True)
class SiteDetail:
    """The chosen site: `site` is its place in the lowered IR, None where it is not found there.

    `steps` are the first instructions of the first block; without any, `unknown` says why in a
    sentence.
    `worst` is the place of the first of those that take most.
    """

    row: SiteRow
    site: int | None
    steps: tuple[StepCard, ...]
    worst: int
    unknown: str | None = None

    @property
    def warps(self) -> tuple[int, ...]:
        """The warps recorded."""
        return tuple(dict.fromkeys(s.warp for s in self.steps if s.warp is not None))

    def of_warp(self, warp: int | None) -> tuple[int, ...]:
        """The places of the steps of a warp."""
        return tuple(place for place, step in enumerate(self.steps) if step.warp == warp)


def site_detail(target: LensTarget, row: SiteRow) -> SiteDetail:
    """The instructions of a row's site that take most."""
    kernel, rules = target.kernel, rules_for(target.target.arch)
    if kernel is None or rules is None:
        return SiteDetail(row, None, (), 0, _UNKNOWN.format(row.unknown or _NO_RULES))
    if row.kind is SharedKind.TENSOR:
        return SiteDetail(row, None, (), 0, _BY_DESCRIPTOR)
    site = _most(kernel, row.sites)
    steps = _recorded(kernel, site, rules) if site is not None else _worst(row.worst, rules)
    if not steps:
        return SiteDetail(row, site, (), 0, _UNKNOWN.format(row.unknown or _NO_LANES))
    most = max(range(len(steps)), key=lambda place: (steps[place].card.wavefronts or 0, -place))
    return SiteDetail(row, site, steps, most)


def _most(kernel: KernelAnalysis, places: Sequence[int]) -> int | None:
    """Of the sites of a row, the one with most wavefronts that has steps."""
    tiles, report = kernel.shared_tiles, kernel.shared
    assert report is not None
    if tiles is None:
        return None
    able = [place for place in places if tiles.sites[place].steps]
    return max(able, key=lambda place: report.ir_sites[place].wavefronts or 0, default=None)


def _recorded(kernel: KernelAnalysis, site: int, rules: BankRules) -> tuple[StepCard, ...]:
    assert kernel.shared_tiles is not None
    own = kernel.shared_tiles.sites[site]
    tile = kernel.shared_tiles.tile(own.buffer)
    return tuple(_step(own, step, rules, tile) for step in own.steps if own.access is not None)


def _step(own: TileSite, step: LaneStep, rules: BankRules, tile: SharedTile | None) -> StepCard:
    assert own.access is not None
    card = punch_card(own.access, step.addresses, rules, step.outside, tile)
    turn = ", ".join(f"{name} = {value}" for name, value in step.turns)
    return StepCard(step.warp, turn, card, step)


def _worst(site: SharedSite | None, rules: BankRules) -> tuple[StepCard, ...]:
    if site is None or site.pattern is None:
        return ()
    access = SharedAccess(AccessKind(site.kind.value), site.width_bytes, site.matrices or 4)
    card = punch_card(access, site.pattern.addresses, rules, site.pattern.outside)
    return (StepCard(None, _WORST, card),)
