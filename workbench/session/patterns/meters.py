"""What a draft costs on each target, as meters: figures, their limits, and where they come from."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from workbench.core import figures
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor
from workbench.session.patterns.cells import (
    HATCHED,
    NOT_OF_IT,
    Cell,
    Figures,
    estimate_of,
    unknown,
    why_not,
)
from workbench.session.patterns.misfits import misfit_of
from workbench.session.patterns.speed_meters import intensity, throughput, time

_LANES = 32
_MANY = 100.0


@dataclass(frozen=True)
class MeterRow:
    """A meter over all targets."""

    title: str
    note: str
    cells: tuple[Cell, ...]


@dataclass(frozen=True)
class Meters:
    """All meters; `labels` name the columns, whose marks are those of the targets' places."""

    labels: tuple[str, ...]
    rows: tuple[MeterRow, ...]


Make = Callable[[Figures], Cell]
_NO_ROOM = "does not fit"


def meters_of(found: Sequence[Figures]) -> Meters:
    """The meters of a draft; rows that no target has are left out, all where none lowers it."""
    blocks = next((_blocks(each.kernel) for each in found if each.kernel is not None), None)
    waves = f"of {blocks:,} blocks" if blocks else "of the blocks"
    table: tuple[tuple[str, str, Make], ...] = (
        ("Shared memory", "a block", _shared),
        ("Registers", "a thread", _registers),
        ("Occupancy", _warps_of(found), _if_it_fits(_occupancy)),
        ("Last wave", waves, _if_it_fits(_wave)),
        ("Conflicts", "shared memory", _conflicts),
        ("Intensity", "at L2", intensity),
        ("Throughput", "estimate", _if_it_fits(throughput)),
        ("Time", "bound by", _if_it_fits(time)),
    )
    rows = []
    is_refused = bool(found) and all(each.is_refused for each in found)
    for title, note, make in () if is_refused else table:
        cells = tuple(_cell(make, each) for each in found)
        if any(cell.value != NOT_OF_IT for cell in cells):
            rows.append(MeterRow(title, note, cells))
    return Meters(tuple(short_label(each.target) for each in found), tuple(rows))


def _warps_of(found: Sequence[Figures]) -> str:
    """What occupancy counts, in the words of the targets' makers."""
    makers = {each.target.arch.vendor for each in found} - {Vendor.HOST}
    if makers == {Vendor.AMD}:
        return "waves per CU"
    return "warps per SM" if Vendor.AMD not in makers else "warps per SM or CU"


def _cell(make: Make, found: Figures) -> Cell:
    if found.kernel is None:
        return (
            replace(unknown("does not lower"), tip=found.why)
            if found.is_refused
            else unknown(found.why)
        )
    cell = make(found)
    if not cell.is_known and cell.value != _NO_ROOM and found.is_quick and found.last is not None:
        earlier = make(Figures(found.target, found.last, rest_us=found.rest_us))
        return replace(earlier, is_stale=True, tip=f"Of the earlier choices. {earlier.tip}")
    return replace(cell, is_stale=found.is_stale)


def _if_it_fits(make: Make) -> Make:
    """A meter of what runs; where no block does, it says so and why."""

    def cell(found: Figures) -> Cell:
        misfit = misfit_of(_block(found, estimated=False), found.target)
        if misfit is None:
            return make(found)
        return Cell(_NO_ROOM, note=misfit.short, is_known=False, is_over=True, tip=misfit.text)

    return cell


def _block(found: Figures, estimated: bool = True) -> BlockResources | None:
    """The block with the registers that were counted, else with those that are estimated.

    An estimate keeps no block from running: the compiler spills what is over the limit.
    """
    kernel, facts = found.kernel, None
    if kernel is None or kernel.block_resources is None:
        return None
    block = kernel.block_resources
    counted = found.registers.registers if found.registers is not None else None
    if estimated and kernel.estimate is not None:
        facts = kernel.estimate.facts
    likely = _held(facts.registers, block.threads, found.target) if facts is not None else None
    return replace(block, registers=block.registers or counted or likely)


def _held(registers: int | None, threads: int, target: Target) -> int | None:
    """Estimated registers, of which the compiler gives no more than a block of all threads has."""
    limits = target.arch.limits
    most, unit = limits.registers_per_block, limits.register_allocation_unit
    if registers is None or most is None or unit is None:
        return registers
    step = unit // _LANES
    return min(registers, most // max(1, threads) // step * step)


def _blocks(kernel: KernelAnalysis | None) -> int | None:
    if kernel is None:
        return None
    x, y, z = (*kernel.grid, 1, 1, 1)[:3]
    return None if x is None or y is None or z is None else x * y * z


def _shared(found: Figures) -> Cell:
    kernel = found.kernel
    assert kernel is not None
    limit = found.target.arch.limits.shared_bytes_per_block_opt_in
    block = kernel.block_resources
    if limit is None:
        return Cell(NOT_OF_IT, is_known=False)
    if block is None:
        return unknown("the block is not known")
    used = block.shared_bytes
    size, most = figures.size(used), figures.size(limit)
    over = used > limit
    # A bar's right end leaves room behind the limit, so that what is over it can be seen.
    whole = limit * 1.25
    return Cell(
        size.text,
        size.unit,
        f"over {most.text}" if over else f"of {most.text}",
        share=min(1.0, used / whole),
        limit=limit / whole,
        is_over=over,
        tip=f"A block needs {size} and may have {most}. {_from(found)}",
    )


def _from(found: Figures) -> str:
    return "Read off the source; lowering follows." if found.is_quick else HATCHED


def _registers(found: Figures) -> Cell:
    most = found.target.arch.limits.max_registers_per_thread
    if most is None or found.target.arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    counted = found.registers
    if counted is not None and counted.registers is not None:
        spills = f"{counted.spill_bytes:,} B spilled" if counted.spill_bytes else ""
        tip = f"Counted by {counted.source}."
        cell = _of(counted.registers, most, spills, tip, bool(counted.spill_bytes))
        return replace(cell, is_counted=True)
    estimate = estimate_of(found)
    facts = estimate.facts if estimate is not None else None
    if facts is None or facts.registers is None:
        can_count = found.target.arch.vendor is Vendor.NVIDIA
        why = "counted when it is compiled" if can_count else found.missing.get("registers")
        return unknown(why or "unknown")
    tip = "Estimated from what lives at once; compiling in the step Check counts them."
    return _of(facts.registers, most, "", tip, facts.registers > most)


def _of(value: int, most: int, note: str, tip: str, over: bool) -> Cell:
    share = min(1.0, value / most)
    return Cell(f"{value:,}", "", f"of {most}", note, share, 1.0, over, tip=tip)


def _occupancy(found: Figures) -> Cell:
    arch = found.target.arch
    most = arch.limits.max_warps_per_sm
    if most is None or arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    block = _block(found)
    if block is None:
        return unknown("the block is not known")
    held = occupancy_of(block, arch)
    if held is None:
        return unknown("its rules are not known")
    if held.most_blocks < 1:  # by an estimate alone
        return replace(unknown("it will spill"), tip="; ".join(held.reasons))
    share = held.most_warps / most
    at_most = "≤ " if held.blocks is None else ""
    tip = (
        f"{held.most_blocks} blocks of {held.most_warps // held.most_blocks} warps. {_from(found)}"
    )
    text = f"{at_most}{share * 100:.3g}"
    return Cell(text, "%", "", f"{held.most_warps} of {most}", share, tip=tip)


def _wave(found: Figures) -> Cell:
    estimate, blocks = estimate_of(found), _blocks(found.kernel)
    cores = max(found.target.sm_counts.values(), default=0)
    if found.target.arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    if estimate is None or not blocks or not cores or estimate.blocks_per_sm < 1:
        return unknown(why_not(found))
    at_once = cores * _blocks_per_sm(found, estimate)
    waves = blocks / at_once
    last = waves % 1 or 1.0
    tip = f"{at_once} blocks run at once. {_from(found)}"
    counted = f"{waves:.2f}" if waves < _MANY else f"{waves:,.0f}"
    return Cell(f"{last * 100:.0f}", "%", "", f"{counted} waves", last, tip=tip)


def _blocks_per_sm(found: Figures, estimate: Estimate) -> int:
    """Blocks that a multiprocessor has room for: with counted registers, where they are known."""
    block = _block(found) if found.registers is not None else None
    held = occupancy_of(block, found.target.arch) if block is not None else None
    return estimate.blocks_per_sm if held is None else max(1, held.most_blocks)


def _conflicts(found: Figures) -> Cell:
    kernel = found.kernel
    assert kernel is not None
    if found.target.arch.vendor is Vendor.HOST:
        return Cell(NOT_OF_IT, is_known=False)
    if kernel.shared is None:
        return unknown(why_not(found, "shared"))
    lines = [line for line in kernel.shared.lines if line.conflicts]
    lost = any(total.unknown for total in kernel.shared.totals)
    if not lines:
        rest = "not all is known" if lost else ""
        return Cell("none known" if lost else "none", "", "", rest, tip=HATCHED)
    worst = max(line.ways or 0 for line in lines)
    conflicts = sum(line.conflicts or 0 for line in lines)
    waves = sum(total.known_wavefronts for total in kernel.shared.totals)
    share = conflicts / max(1, waves)
    where = ", ".join(f"line {line.line}" for line in lines if line.line is not None)
    note = f"{share * 100:.3g} % lost"
    return Cell(f"{worst}-way" if worst else "some", "", "", note, share, tip=where)


def spoken(meters: Meters) -> list[str]:
    """The meters as a screen reader tells them: a line a meter."""
    lines = []
    for row in meters.rows:
        cells = (
            f"{label} {cell.value} {cell.unit} {cell.of} {cell.note}"
            for label, cell in zip(meters.labels, row.cells, strict=True)
        )
        lines.append(f"{row.title}, {row.note}: {'; '.join(' '.join(c.split()) for c in cells)}")
    return lines
