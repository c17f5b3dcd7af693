"""An analysis as text: the conclusion first, then each part with where its figures are from."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from workbench.cli import output
from workbench.cli.analysis_json import METHODS, TOTALS, limit_name, whole
from workbench.core import figures
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.line_registers import most_live
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.shared_sites import Count, Level, SharedReport
from workbench.core.analysis.traffic import GlobalReport
from workbench.core.analysis.work import Work
from workbench.core.jobs import Resources

Rows = list[tuple[str, ...]]


def print_results(found: Sequence[tuple[dict[str, Any], AnalyzeResult | None]]) -> None:
    """Print one section for each result."""
    for number, (plain, result) in enumerate(found):
        if number:
            print()
        _print_result(plain, result)


def _print_result(plain: dict[str, Any], result: AnalyzeResult | None) -> None:
    title = f"{plain['kernel'] or plain['file']} ({plain['case'] or '-'}) on {plain['target']}"
    kernels = result.kernels if result is not None else ()
    resources = result.resources if result is not None else None
    conclusion = _conclusion(kernels[0], resources) if kernels else plain["status"]
    print(f"{title}: {conclusion}")
    error = plain["error"]
    if error is not None:
        line = f":{error['line']}" if error.get("line") else ""
        print(f"  {plain['file']}{line}: {plain['status']}: {error['message']}")
    for kernel in kernels:
        _print_kernel(kernel, resources)
    if result is None:
        return
    for name, why in result.missing.items():
        print(f"  {name}: unknown: {why}")
    output.print_diagnostics(plain["file"], result.diagnostics)


def _conclusion(kernel: KernelAnalysis, resources: Resources | None) -> str:
    """What counts most, in one line; an unknown part is left to its own section."""
    parts = [_occupied(kernel.occupancy)] if kernel.occupancy is not None else []
    if resources is not None and resources.registers is not None:
        spilled = f", {resources.spill_bytes:,} B spilled" if resources.spill_bytes else ""
        parts.append(f"{resources.registers} registers{spilled}")
    if kernel.shared is not None:
        parts.append(_conflicting(kernel.shared))
    if kernel.estimate is not None:
        time = figures.figure(kernel.estimate.time_us, "us")
        parts.append(f"about {time} estimated, bound by {kernel.estimate.bound}")
    return "; ".join(parts) or "nothing can be told"


def _occupied(found: Occupancy) -> str:
    limiting = " and ".join(limit_name(each).replace("_", " ") for each in found.limiting)
    if found.fraction is None:
        return (
            f"occupancy unknown, at most {_plural(found.most_blocks, 'block')} an SM ({limiting})"
        )
    if not found.blocks:
        return f"by the published rules no block fits ({limiting})"
    held = f"{_plural(found.blocks or 0, 'block')}, {_plural(found.warps or 0, 'warp')} an SM"
    return f"{_percent(found.fraction)} occupancy ({held}), limited by {limiting}"


def _percent(share: float) -> str:
    return f"{share * 100:.4g} %"


def _plural(count: int, what: str) -> str:
    return f"{count:,} {what}" if count == 1 else f"{count:,} {what}s"


def _conflicting(report: SharedReport) -> str:
    conflicts = sum(t.conflicts for t in report.totals if t.conflicts is not None)
    some = ", some unknown" if any(total.unknown for total in report.totals) else ""
    if not conflicts:
        return f"no bank conflicts{some}"
    known = sum(total.known_wavefronts for total in report.totals)
    return (
        f"{_percent(conflicts / max(1, known))} of the shared wavefronts are bank conflicts{some}"
    )


def _print_kernel(kernel: KernelAnalysis, resources: Resources | None) -> None:
    grid, block = (" x ".join(_count(e) for e in each) for each in (kernel.grid, kernel.block))
    print(f"  {kernel.name}: grid {grid}, block {block}")
    for title, rows in _sections(kernel, resources):
        print(f"\n  {title}")
        for line in aligned(rows):
            print(f"    {line}")


def _sections(kernel: KernelAnalysis, resources: Resources | None) -> Iterator[tuple[str, Rows]]:
    if resources is not None:
        source = resources.source or "unknown"
        yield (
            f"resources (registers and static: {source}; dynamic: IR)",
            _resources(kernel, resources),
        )
    if kernel.occupancy is not None:
        carveout = kernel.occupancy.carveout
        how = "given" if carveout.given else "assumed, the driver chooses it"
        size = output.quantity(carveout.size_bytes, "B", 3)
        yield f"occupancy (computed; carve-out {size}: {how})", _occupancy(kernel.occupancy)
        if kernel.occupancy.reasons:
            yield "why no block fits, by the published rules", _reasons(kernel.occupancy)
    if kernel.shared is not None and kernel.shared.lines:
        yield f"shared memory, by line ({METHODS[kernel.shared.level]})", _shared(kernel.shared)
        yield "shared memory, in total", _totals(kernel.shared)
    if kernel.global_memory is not None:
        method = METHODS[kernel.global_memory.level]
        yield f"global memory (sites: {method}; bytes: lowered IR)", _global(kernel.global_memory)
    if kernel.work is not None:
        yield f"work ({METHODS[Level.IR]})", _work(kernel.work)
    if kernel.estimate is not None:
        yield f"run time (estimated: {kernel.estimate.method})", _estimate(kernel.estimate)
    if kernel.operations:
        yield "operations (from the lowered IR)", _operations(kernel)
    if kernel.lifetimes is not None and kernel.lifetimes.buffers:
        yield _lifetime_title(kernel), _lifetimes(kernel)
    if kernel.unit_buffers is not None:
        yield "buffers of a core (from the lowered IR)", _unit_buffers(kernel)


def _resources(kernel: KernelAnalysis, resources: Resources) -> Rows:
    rows: Rows = [
        ("registers a thread", _count(resources.registers)),
        ("  of fragments, by the IR", _count(kernel.fragment_registers)),
        ("spilled", output.quantity(resources.spill_bytes, "B", 3)),
        ("stack", output.quantity(resources.stack_bytes, "B", 3)),
        ("static shared", output.quantity(resources.shared_static_bytes, "B", 3)),
        ("dynamic shared", output.quantity(kernel.shared_dynamic_bytes, "B", 3)),
        ("barriers", _count(resources.barriers)),
    ]
    peak = most_live(kernel.line_registers or ())
    if peak is not None:
        rows.append(("most live registers", f"{peak.live} at line {_count(peak.line)} (nvdisasm)"))
    budget = kernel.register_budget
    if budget is not None:
        fits = "fits" if budget.fits else "does not fit: warps wait for ever"
        asked = f"{budget.wanted:,} of {budget.allocated:,} registers asked for; {fits}"
        rows.append(("setmaxnreg", asked))
    return rows


def _occupancy(found: Occupancy) -> Rows:
    return [
        (
            limit_name(limit.resource).replace("_", " "),
            "unknown" if limit.blocks is None else _plural(limit.blocks, "block"),
            "limits" if limit.resource in found.limiting else "",
        )
        for limit in found.limits
    ]


def _reasons(found: Occupancy) -> Rows:
    return [(reason,) for reason in found.reasons]


def _shared(report: SharedReport) -> Rows:
    rows: Rows = [("line", "instructions", "wavefronts", "conflicts", "ways", "")]
    for line in report.lines:
        numbers = (line.instructions, line.wavefronts, line.conflicts, line.ways)
        rows.append((_line(line.line), *map(_count, numbers), line.note or ""))
    return rows


def _totals(report: SharedReport) -> Rows:
    rows: Rows = [("kind", "instructions", "wavefronts", "ideal", "conflicts", "")]
    for name, kinds in TOTALS.items():
        for total in (each for each in report.totals if each.kind in kinds):
            counts = (total.instructions, total.wavefronts, total.ideal, total.conflicts)
            own = total.kind.value if total.kind.value != name else name
            rows.append((own, *map(_count, counts), "; ".join(total.unknown)))
    return rows


def _global(report: GlobalReport) -> Rows:
    totals = report.totals
    rows: Rows = [
        ("", "load", "store"),
        ("bytes asked for", _size(report.load_bytes), _size(report.store_bytes)),
        ("distinct bytes", _size(report.unique_load_bytes), _size(report.unique_store_bytes)),
        ("sectors of 32 B", _count(totals.load_sectors), _count(totals.store_sectors)),
    ]
    if report.bulk_load_bytes or report.bulk_store_bytes:
        bulk = (_size(report.bulk_load_bytes), _size(report.bulk_store_bytes))
        rows.append(("by TMA, in no sectors", *bulk))
    wasteful = [s for s in report.sites if s.sectors and s.sectors > (s.least_sectors or s.sectors)]
    return rows + [
        (
            f"line {_line(site.line)}: {site.kind.value} {site.buffer or ''}",
            f"{_count(site.sectors)} sectors",
            f"{_count(site.least_sectors)} would hold the bytes",
        )
        for site in wasteful
    ]


def _work(work: Work) -> Rows:
    formats = ", ".join(f"{name} {_count(n)}" for name, n in work.tensor_formats().items())
    return [
        ("tensor operations", _count(work.tensor_flops), formats),
        ("scalar floating-point operations", _count(work.scalar_flops), ""),
    ]


def _estimate(found: Estimate) -> Rows:
    left_out = ", ".join(found.leaves_out)
    at_least = f"at least: {left_out} unknown" if left_out else ""
    resident = _plural(found.blocks_per_sm, "block")
    return [
        ("time", str(figures.figure(found.time_us, "us")), at_least),
        ("bound by", found.bound, ""),
        ("waves", f"{found.waves:,}", f"of {resident} an SM"),
    ]


def _operations(kernel: KernelAnalysis) -> Rows:
    return [
        (
            _line(each.line),
            each.op,
            each.instruction or "unknown",
            _bytes(each.bytes),
            each.note or "",
        )
        for each in kernel.operations or ()
    ]


def _lifetime_title(kernel: KernelAnalysis) -> str:
    lives = kernel.lifetimes
    assert lives is not None
    peak = output.quantity(lives.peak_bytes, "B", 3)
    taken = output.quantity(lives.allocated_bytes, "B", 3)
    where = f"from line {_line(lives.peak_line)} on"
    return f"shared buffers (from the lowered IR; {taken} taken, {peak} in use at once {where})"


def _lifetimes(kernel: KernelAnalysis) -> Rows:
    lives = kernel.lifetimes
    assert lives is not None
    return [
        (
            each.name,
            "static" if each.offset is None else f"at {each.offset:,}",
            output.quantity(each.size_bytes, "B", 3),
            f"lines {_line(each.first_line)} to {_line(each.last_line)}" if each.used else "unused",
            f"shares bytes with {', '.join(each.shares_with)}" if each.shares_with else "",
        )
        for each in lives.buffers
    ]


def _unit_buffers(kernel: KernelAnalysis) -> Rows:
    return [
        (
            each.name,
            output.quantity(each.used_bytes, "B", 3),
            f"of {output.quantity(each.capacity_bytes, 'B', 3)}",
            {True: "", False: "does not fit", None: ""}[each.fits],
        )
        for each in kernel.unit_buffers or ()
    ]


def aligned(rows: Rows) -> list[str]:
    """Rows as lines with two blanks between the columns."""
    columns = max((len(row) for row in rows), default=0)
    full = [(*row, *("",) * (columns - len(row))) for row in rows]
    widths = [max(len(row[i]) for row in full) for i in range(columns)]
    return [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for row in full
    ]


def _line(line: int | None) -> str:
    return "-" if line is None else str(line)


def _size(size: Count | None) -> str:
    return output.quantity(size, "B", 3)


def _bytes(size: int | None) -> str:
    return "" if size is None else output.quantity(size, "B", 3)


def _count(value: Count | None) -> str:
    if value is None:
        return "unknown"
    value = whole(value)
    return f"{value:,}" if isinstance(value, int) else f"{value:,.6g}"
