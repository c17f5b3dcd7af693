"""Lines whose accesses to memory cost more than they have to: conflicts, sectors, widths.

Sources: NVIDIA, CUDA C++ Best Practices Guide 13.0, Coalesced Access to Global Memory and Shared
Memory and Memory Banks. AMD's rules are from its documents and not measured: what follows from them
is a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from workbench.core.analysis.global_sites import GlobalKind, GlobalSite
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import Count, SharedKind, SharedSite, sum_or_none
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.targets.model import Target, Vendor

S = TypeVar("S", GlobalSite, SharedSite)
STAGE = "analysis"
_WAYS = 2  # from this many wavefronts for one on, a line is told
_SCATTERED = 4  # times the sectors that the bytes would fill
_FAR = 0.5  # of neighbouring lanes
_NARROW_BYTES = 4  # below this a warp moves less than a line of 128 bytes
_WIDEST_BYTES = 16
_SHARE = 0.1  # of all bytes that a kernel asks for: below this a line does not matter
_UNMEASURED = " (by AMD's documents, not measured)"
_BY_DATA = (
    "Lanes of a warp update elements that data choose: those that meet in one bank take turns. How "
    "many do is known with the data alone."
)
# Copies in the background make no lane wait; the accelerator's have no wavefronts.
_BACKGROUND = (SharedKind.ASYNC_COPY, SharedKind.BULK_COPY)
_MOVES = (GlobalKind.LOAD, GlobalKind.STORE, GlobalKind.ASYNC_COPY)


def access_findings(analysis: KernelAnalysis, target: Target) -> Iterator[Diagnostic]:
    """The lines of one kernel that wait for banks, scatter over memory, or move few bytes a lane.

    What is unknown - addresses that depend on data, rules that nobody has told - is left out.
    """
    if target.arch.vendor not in (Vendor.NVIDIA, Vendor.AMD):
        return
    sites = analysis.shared.sites if analysis.shared is not None else ()
    for line, own in _by_line([site for site in sites if site.kind not in _BACKGROUND]):
        yield from _conflicts(line, own, target)
    report = analysis.global_memory
    moved = [s for s in (report.sites if report is not None else ()) if s.kind in _MOVES]
    bytes_of_all = sum(site.distinct_bytes or 0 for site in moved)
    for line, group in _by_line(moved):
        large = [s for s in group if (s.distinct_bytes or 0) >= _SHARE * bytes_of_all]
        yield from _first(line, large, is_scattered, _scattered, "uncoalesced-access", target)
        if target.arch.vendor is Vendor.NVIDIA:  # matrix fragments of AMD are stored narrowly
            yield from _first(line, large, is_narrow, _narrow, "narrow-access", target)


def _conflicts(line: int, sites: Sequence[SharedSite], target: Target) -> Iterator[Diagnostic]:
    by_data = [s for s in sites if s.kind is SharedKind.INTEGER_ATOMIC and s.unknown is not None]
    if by_data:
        yield replace(_told("bank-conflict", _BY_DATA, line, target), severity=Severity.INFO)
        return
    conflicts = sum_or_none([site.conflicts for site in sites])
    wavefronts = sum_or_none([site.wavefronts for site in sites])
    ways = max((site.ways or 1 for site in sites), default=1)
    if not conflicts or ways < _WAYS:
        return
    message = (
        f"{ways}-way bank conflict: {conflicts:,.10g} of {wavefronts:,.10g} wavefronts are "
        f"conflicts (by the {sites[0].level.value})"
    )
    yield _told("bank-conflict", message, line, target)


def is_scattered(site: GlobalSite) -> bool:
    """Whether neighbouring lanes touch far places, and most of what is moved is not asked for."""
    if not site.least_sectors or not site.pairs or site.sectors is None:
        return False
    far = (site.far_pairs or 0) >= _FAR * site.pairs
    return far and site.sectors >= _SCATTERED * site.least_sectors


def is_narrow(site: GlobalSite) -> bool:
    """Whether neighbouring lanes move neighbouring bytes, but fewer than they could."""
    if not site.pairs or site.unknown is not None:
        return False
    near = (site.far_pairs or 0) < _FAR * site.pairs
    apart = (site.distinct_bytes or 0) >= _FAR * (site.requested_bytes or 0)  # no broadcast
    return near and apart and 0 < site.width_bytes < _NARROW_BYTES


def _first(
    line: int,
    sites: Sequence[GlobalSite],
    is_at_fault: Callable[[GlobalSite], bool],
    message_of: Callable[[GlobalSite], str],
    code: str,
    target: Target,
) -> Iterator[Diagnostic]:
    """One finding for a line, of its site that asks for most."""
    found = [site for site in sites if is_at_fault(site)]
    if found:
        most = max(found, key=lambda site: site.sectors or 0)
        yield _told(code, message_of(most), line, target, _REMEDIES[code])


def _scattered(site: GlobalSite) -> str:
    instructions, sectors = site.instructions or 1, site.sectors or 0
    least = site.least_sectors or 1
    return (
        f"Neighbouring threads {_verb(site)} far places{_of(site)}: an instruction of a warp "
        f"touches {_mean(sectors, instructions)} sectors of 32 bytes, where its bytes fill "
        f"{_mean(least, instructions)}: {_part(site.distinct_bytes, sectors)} of what is moved is "
        "asked for."
    )


def _narrow(site: GlobalSite) -> str:
    return (
        f"Each thread {_verb(site)}s {site.width_bytes} "
        f"{'byte' if site.width_bytes == 1 else 'bytes'} an instruction{_of(site)}, of "
        f"{_WIDEST_BYTES} that it could."
    )


_REMEDIES = {
    "uncoalesced-access": (
        "Let the last index of the parallel loop run along the last dimension of the tensor. Where "
        "reads and writes want different orders, exchange the tile through shared memory whose "
        "rows are one element longer."
    ),
    "narrow-access": (
        "Wide accesses need rows and offsets that are multiples of 16 bytes, and as many "
        "neighbouring elements for each thread: pad the rows, or give a block fewer threads."
    ),
}


def _verb(site: GlobalSite) -> str:
    return "write" if site.kind is GlobalKind.STORE else "read"


def _of(site: GlobalSite) -> str:
    return f" of `{site.buffer}`" if site.buffer else ""


def _mean(count: Count, instructions: Count) -> str:
    return f"{count / instructions:.3g}"


def _part(asked: Count | None, sectors: Count) -> str:
    return f"{(asked or 0) / (32 * sectors):.0%}"


def _by_line(sites: Iterable[S]) -> Iterator[tuple[int, list[S]]]:
    """The sites of each line in order; those without a line are left out."""
    known = sorted((s for s in sites if s.line is not None), key=lambda s: s.line or 0)
    for line, own in groupby(known, key=lambda s: s.line or 0):
        yield line, list(own)


def _told(
    code: str, message: str, line: int, target: Target, remedy: str | None = None
) -> Diagnostic:
    measured = target.arch.vendor is Vendor.NVIDIA
    severity = Severity.WARNING if measured else Severity.INFO
    text = message if measured else message + _UNMEASURED
    where, targets = TextRange(line), (target.name,)
    return Diagnostic(code, severity, text, where, targets=targets, stage=STAGE, help=remedy)
