"""A subject whose stale targets show what the source tells of the new arguments already.

What lowering gave for the earlier arguments is compared with what the source says of those. Where
they agree on every shared buffer, the source is believed of the new ones, and what lowering added
(threads that load, barriers, workspaces, alignment) is added again. All of it is a prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.figures import size
from workbench.core.targets.model import Architecture, Vendor
from workbench.session.lenses.quick.forms import UntoldError
from workbench.session.lenses.quick.source import SourceLaunch, SourceTile, source_launch
from workbench.session.lenses.subject import LensSubject, LensTarget

WAITING = "not lowered yet"
FAILED = "lowering failed with these arguments"


_Rule = Callable[[SourceTile], int]
_LATER = ("registers", "global", "shared", "layouts", "pipeline", "work", "estimate")


def followed(subject: LensSubject) -> LensSubject:
    """The subject with quick figures of each stale target of which the source tells them."""
    if not any(each.stale for each in subject.targets):
        return subject
    try:
        now = source_launch(subject.text, subject.kernel, subject.arguments)
    except UntoldError:
        return subject
    known: dict[int, SourceLaunch] = {}
    targets = tuple(_followed(subject, each, now, known) for each in subject.targets)
    return replace(subject, targets=targets)


def with_tiles(found: LensSubject, subject: LensSubject) -> LensSubject:
    """What was `found` of a subject, where that tells the tiles of blocks too; else the subject."""
    quick = [each.kernel for each in found.targets if each.quick]
    return found if all(each is not None and each.tiles for each in quick) else subject


def _followed(
    subject: LensSubject, target: LensTarget, now: SourceLaunch, known: dict[int, SourceLaunch]
) -> LensTarget:
    """One target; `known` keeps what the source said of earlier arguments, by their identity."""
    made, lowered = target.made, target.kernel
    if not target.stale or made is None or lowered is None:
        return target
    if (made.text, made.kernel) != (subject.text, subject.kernel):
        return target
    try:
        key = id(made.arguments)
        if key not in known:
            known[key] = source_launch(made.text, made.kernel, made.arguments)
        was = known[key]
        kernel, added = quick_kernel(lowered, was, now, target.target.arch)
    except UntoldError:
        return target
    why = FAILED if target.failed else WAITING
    told = f", with the {added} that lowering added last time" if added else ""
    return replace(
        target,
        analysis=quick_result(kernel, why),
        compiled=None,
        level=0,
        stale=False,
        quick=f"Read off the source{told}; {why if target.failed else 'lowering follows'}.",
    )


def quick_result(kernel: KernelAnalysis, why: str = WAITING) -> AnalyzeResult:
    """A quick kernel as an analysis, of which what lowering alone tells is missing."""
    return AnalyzeResult(None, (kernel,), missing=dict.fromkeys(_LATER, why))


def quick_kernel(
    lowered: KernelAnalysis, was: SourceLaunch, now: SourceLaunch, arch: Architecture
) -> tuple[KernelAnalysis, str]:
    """The kernel with new arguments, and what lowering added to that with the earlier ones.

    Raises UntoldError.
    """
    block, lifetimes = lowered.block_resources, lowered.lifetimes
    if block is None or lifetimes is None or lowered.unit_buffers is not None:
        raise UntoldError("nothing is known of the earlier block")
    own = {each.name: each.size_bytes for each in lifetimes.buffers if each.used}
    held = _rule(was, own, arch)
    threads = block.threads - was.threads
    beyond = block.shared_bytes - _end_of(lifetimes, was.shared)
    if threads < 0 or beyond < 0:
        raise UntoldError("lowering made less of the block than the source says")
    arranged = _arranged(lifetimes, {name: held(tile) for name, tile in now.shared.items()})
    beside = block.shared_bytes - _end_of(lifetimes, own)
    shared = _end_of(arranged, own) + beside
    new = _block(block, now.threads + threads, shared)
    kernel = KernelAnalysis(
        lowered.name,
        now.grid,
        (new.threads, 1, 1),
        occupancy=occupancy_of(new, arch),
        lifetimes=arranged,
        tiles=now.tiles,
        block_resources=new,
    )
    return kernel, _added(threads, beyond)


def _rule(was: SourceLaunch, own: Mapping[str, int], arch: Architecture) -> _Rule:
    """How lowering sizes buffers: by what it made of the earlier ones. Raises UntoldError.

    Copies in the background need room for each stage. TileLang 0.1.15 has none of those on AMD,
    and keeps one tile whatever the stages are.
    """
    rules = (_once, _staged) if arch.vendor is Vendor.AMD else (_staged, _once)
    for rule in rules:
        if all(own.get(name, 0) == rule(tile) for name, tile in was.shared.items()):
            return rule
    raise UntoldError("lowering made other buffers than the source has")


def _staged(tile: SourceTile) -> int:
    return tile.once_bytes * tile.stages


def _once(tile: SourceTile) -> int:
    return tile.once_bytes


def _added(threads: int, shared: int) -> str:
    parts = [f"{threads} threads"] if threads else []
    parts += [str(size(shared))] if shared else []
    return " and ".join(parts)


def _arranged(lifetimes: Lifetimes, sizes: Mapping[str, int]) -> Lifetimes:
    """The buffers with new sizes, one behind the other where they were so before."""
    placed: list[tuple[Lifetime, Lifetime]] = []
    inside = [each for each in lifetimes.buffers if each.offset is not None]
    for each in sorted(inside, key=lambda found: found.offset or 0):
        before = [new for old, new in placed if _end(old) <= (each.offset or 0)]
        offset = max((_end(new) for new in before), default=0)
        held = sizes.get(each.name, each.size_bytes)
        placed.append((each, replace(each, offset=offset, size_bytes=held)))
    moved = {id(old): new for old, new in placed}
    buffers = tuple(moved.get(id(each), each) for each in lifetimes.buffers)
    peak = sum(each.size_bytes for each in buffers if each.name in lifetimes.peak_buffers)
    end = max((_end(new) for _, new in placed), default=0)
    return replace(lifetimes, buffers=buffers, allocated_bytes=end, peak_bytes=peak)


def _end_of(lifetimes: Lifetimes, names: Collection[str]) -> int:
    """Where the last of some buffers ends."""
    inside = (each for each in lifetimes.buffers if each.offset is not None)
    return max((_end(each) for each in inside if each.name in names), default=0)


def _end(buffer: Lifetime) -> int:
    return (buffer.offset or 0) + buffer.size_bytes


def _block(block: BlockResources, threads: int, shared: int) -> BlockResources:
    """The block with other threads and bytes; what was static beside the rest stays so."""
    static = block.static_shared_bytes if block.dynamic_shared_bytes else shared
    return replace(
        block,
        threads=threads,
        registers=None,
        static_shared_bytes=static,
        dynamic_shared_bytes=shared - static,
    )
