"""Puts the figures of both levels together: totals, and lines that say which level they are of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workbench.core.analysis.shared_sites import (
    Count,
    Level,
    SharedKind,
    SharedLine,
    SharedReport,
    SharedSite,
    sum_or_none,
    totals_of,
)
from workbench.engine.analysis.shared_code import CodeSites


def shared_report(
    kernel: str, ir_sites: tuple[SharedSite, ...], code: CodeSites | None, lacks: str | None
) -> SharedReport:
    """The report of a kernel: by the code where there is any, else by the IR.

    What goes through descriptors without a wavefront stays the IR's: it knows the bytes.
    """
    if code is None:
        lines = lines_of(ir_sites, None)
        return SharedReport(
            kernel, Level.IR, ir_sites, ir_sites, totals_of(ir_sites), lines, lacks=lacks
        )
    own = [_named(site, ir_sites) for site in code.sites if site.kind is not SharedKind.BULK_COPY]
    kept = [site for site in ir_sites if _stays(site, own)]
    sites = (*own, *kept)
    return SharedReport(
        kernel,
        Level.CODE,
        sites,
        ir_sites,
        totals_of(sites),
        lines_of(ir_sites, sites),
        confirmed=code.confirmed,
        notes=code.notes,
    )


def lines_of(
    ir_sites: Sequence[SharedSite], code_sites: Sequence[SharedSite] | None
) -> tuple[SharedLine, ...]:
    """The figures by line in their order, those without a line last."""
    used = ir_sites if code_sites is None else code_sites
    numbers = {site.line for site in (*ir_sites, *used)}
    ordered = sorted(numbers, key=lambda line: (line is None, line or 0))
    return tuple(
        _line(
            number,
            [site for site in ir_sites if site.line == number],
            None if code_sites is None else [site for site in code_sites if site.line == number],
        )
        for number in ordered
    )


def _stays(site: SharedSite, code: Sequence[SharedSite]) -> bool:
    if site.kind is SharedKind.BULK_COPY:
        return True
    through = site.kind is SharedKind.TENSOR
    return through and not any(each.kind is SharedKind.TENSOR for each in code)


def _named(site: SharedSite, ir_sites: Sequence[SharedSite]) -> SharedSite:
    """A site of the code with the buffer of the IR's on the same line, where there is one alone."""
    names = {
        (each.buffer, each.dtype)
        for each in ir_sites
        if each.line == site.line and each.kind is site.kind
    }
    if len(names) != 1:
        return site
    buffer, dtype = names.pop()
    return replace(site, buffer=buffer, dtype=dtype)


def _line(
    number: int | None, ir_sites: list[SharedSite], code_sites: list[SharedSite] | None
) -> SharedLine:
    own = ir_sites if code_sites is None else code_sites
    ir_wavefronts = _wavefronts(ir_sites)
    code_wavefronts = None if code_sites is None else _wavefronts(code_sites)
    note = None if code_sites is None else _difference(ir_sites, code_sites)
    counted = [site for site in own if site.kind is not SharedKind.BULK_COPY]
    return SharedLine(
        number,
        Level.IR if code_sites is None else Level.CODE,
        sum_or_none([site.instructions for site in own]),
        sum_or_none([site.wavefronts for site in counted]),
        sum_or_none([site.conflicts for site in counted]),
        max((site.ways for site in counted if site.ways is not None), default=None),
        ir_wavefronts,
        code_wavefronts,
        note is not None,
        note,
    )


def _wavefronts(sites: Iterable[SharedSite]) -> Count | None:
    return sum_or_none([s.wavefronts for s in sites if s.kind is not SharedKind.BULK_COPY])


def _difference(ir_sites: list[SharedSite], code_sites: list[SharedSite]) -> str | None:
    """What the code does otherwise than the IR says, kind by kind; None where nothing."""
    parts = []
    for kind in SharedKind:
        ours = [site for site in ir_sites if site.kind is kind]
        theirs = [site for site in code_sites if site.kind is kind]
        before, after = _wavefronts(ours), _wavefronts(theirs)
        if before != after:
            parts.append(f"{kind.value}: {_told(before)} by the IR, {_told(after)} in the code")
    return "; ".join(parts) or None


def _told(count: Count | None) -> str:
    return "unknown" if count is None else f"{count:g}" if isinstance(count, float) else str(count)
