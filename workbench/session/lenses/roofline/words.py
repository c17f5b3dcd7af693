"""What is said of a roofline: the conclusion, the numbers of a target, what a place of it means."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.analysis.roofline import Bandwidth, MemoryLevel, Unit
from workbench.core.figures import number, size
from workbench.session.lenses.bounds import bound_of, is_ceiling
from workbench.session.lenses.roofline.facts import Moved
from workbench.session.lenses.roofline.series import Series

LEVEL_NAMES = {
    MemoryLevel.DRAM: "DRAM",
    MemoryLevel.L2: "L2",
    MemoryLevel.L1: "L1",
    MemoryLevel.SHARED: "shared memory",
}


@dataclass(frozen=True)
class NumbersRow:
    """The numbers of one target as they stand under the picture; `tip` says how they are known."""

    label: str
    mark: int
    cells: tuple[str, ...]
    tip: str


COMPUTED_HEADS = ("flop/B", "allowed", "predicted", "of it", "bound")
MOVED_HEADS = ("moved", "bandwidth", "predicted", "of it", "time")


def conclusion(series: Sequence[Series]) -> str:
    """What bounds the kernel on each target, and how far it is predicted to come."""
    computing = [each for each in series if each.computed is not None and each.bound is not None]
    idle = [each for each in series if each.computed is None]
    told = [each for each in computing if each.share is not None]
    rest = [each for each in computing if each.share is None]
    return " ".join([*_bounds(told), *_without_time(rest), *_idle(idle), *_measured(series)])


def _measured(series: Sequence[Series]) -> Iterator[str]:
    """What was measured, beside what was predicted."""
    for each in series:
        if each.measured is None:
            continue
        unit = "TFLOP/s" if each.computed is not None else "TB/s"
        beside = f", {three(each.predicted.tera)} predicted" if each.predicted is not None else ""
        yield f"Measured on {each.label}: {three(each.measured.tera)} {unit}{beside}."


def ceiling_words(series: Series) -> str:
    """The lowest ceiling over the kernel: a unit, or a level's bandwidth."""
    level = bound_level(series)
    if level is not None:
        assumed = " (assumed)" if _is_assumed(series.bandwidth(level)) else ""
        return f"{LEVEL_NAMES[level]} bandwidth{assumed}"
    is_tensor = series.bound is not None and series.bound.startswith(Unit.TENSOR.value)
    return "unknown" if series.bound is None else "tensor cores" if is_tensor else "vector units"


def _short_bound(series: Series) -> str:
    """What bounds the predicted time; without one the ceiling."""
    if series.estimate_bound is not None:
        return bound_of(series.estimate_bound).short
    return ceiling_words(series).replace(" bandwidth", "")


def bound_level(series: Series) -> MemoryLevel | None:
    """The level whose ceiling is the lowest; None where a unit's is, or nothing is known."""
    names = {level.value: level for level in MemoryLevel}
    return names.get(series.bound or "")


def percent(part: float) -> str:
    """A part of one in whole per cent, below ten with two digits."""
    value = part * 100
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def three(value: float) -> str:
    """A number with three digits."""
    return number(float(f"{value:.3g}"))


def heads(series: Sequence[Series]) -> tuple[str, ...]:
    """The heads of the numbers' columns."""
    return MOVED_HEADS if all(each.computed is None for each in series) else COMPUTED_HEADS


def numbers(series: Series, columns: Sequence[str]) -> NumbersRow:
    """One target's numbers under these heads."""
    share = percent(series.share) if series.share is not None else "unknown"
    predicted = series.predicted
    least = "≤ " if series.is_least else ""
    if columns == MOVED_HEADS:
        dram = series.moved_at(MemoryLevel.DRAM)
        line = series.bandwidth(MemoryLevel.DRAM)
        cells = (
            str(size(dram.size_bytes or 0)) if dram is not None else "unknown",
            _tb_s(line.gb_s),
            f"{least}{three(predicted.tera)} TB/s" if predicted is not None else "unknown",
            share,
            f"{three(predicted.time_us)} µs" if predicted is not None else "unknown",
        )
    else:
        cells = (
            three(series.intensity) if series.intensity is not None else "unknown",
            _allowed(series),
            f"{least}{three(predicted.tera)}" if predicted is not None else "unknown",
            share,
            _short_bound(series),
        )
    return NumbersRow(series.label, series.mark, cells, point_tip(series))


def point_tip(series: Series) -> str:
    """How the place of a target's kernel is known."""
    lines = [series.label]
    used, rate = series.computed, series.predicted
    if used is not None:
        lines.append(f"{_flop(used.flops)} on {used.name}")
    lines += [_moved(each) for each in series.moved]
    if series.allowed is not None and series.allowed.most_tflops is not None:
        unknown = [LEVEL_NAMES[MemoryLevel(name)] for name in series.unknown_levels]
        least = f", with {_and(unknown)} left out as unknown" if unknown else ""
        lines.append(f"allowed: {_allowed(series)} TFLOP/s by {ceiling_words(series)}{least}")
    if rate is None:
        lines.append(f"predicted: unknown, {series.unknown}")
    else:
        unit = "TFLOP/s" if used is not None else "TB/s of DRAM"
        lines.append(f"predicted: {three(rate.time_us)} µs, {three(rate.tera)} {unit}")
        bound = series.estimate_bound
        lines.append(f"bound by {bound_of(bound).words}" if bound else "bound by: unknown")
    if series.measured is not None:
        unit = "TFLOP/s" if used is not None else "TB/s of DRAM"
        rate = series.measured
        lines.append(f"measured: {three(rate.time_us)} µs, {three(rate.tera)} {unit}")
    return "\n".join(lines)


def bandwidth_text(line: Bandwidth) -> str:
    """A level with its bandwidth, as it stands beside its line."""
    assumed = ", assumed" if _is_assumed(line) else ""
    name = LEVEL_NAMES[line.level].removesuffix(" memory")
    return f"{name[0].upper()}{name[1:]} {_tb_s(line.gb_s)}{assumed}"


def _bounds(told: Sequence[Series]) -> Iterator[str]:
    by_ceiling: dict[str, list[Series]] = {}
    others: dict[str, list[Series]] = {}
    for each in told:
        bound = each.estimate_bound
        if bound is None or is_ceiling(each.bound, bound):
            by_ceiling.setdefault(ceiling_words(each), []).append(each)
        else:
            others.setdefault(bound, []).append(each)
    for place, (words, members) in enumerate(by_ceiling.items()):
        labels = _and([each.label for each in members])
        of = "of it" if bound_level(members[0]) is not None else "of the peak"
        head = f"At {_at(members)} the kernel is bound by {words} on {labels}"
        if place:
            head = f"By {words} on {labels}, at {_at(members)}"
        yield f"{head}: {_shares(members)} {of} predicted."
    for bound, members in others.items():
        labels = _and([each.label for each in members])
        yield (
            f"{bound_of(bound).sentence} the kernel on {labels}: {_shares(members)} of what the "
            f"ceilings allow is predicted{_with_idle(members)}."
        )


def _shares(members: Sequence[Series]) -> str:
    return _and(list(dict.fromkeys(percent(each.share or 0.0) for each in members)))


def _with_idle(members: Sequence[Series]) -> str:
    """Why the ceilings of a whole device are far: most of its cores have no block."""
    idle = [f"{each.idle[0]} of {each.idle[1]}" for each in members if each.idle is not None]
    return f", with {_and(idle)} cores idle" if len(idle) == len(members) else ""


def _at(members: Sequence[Series]) -> str:
    """Operations a byte of the level that binds, else of DRAM."""
    level = bound_level(members[0]) or MemoryLevel.DRAM
    found = [moved.intensity for each in members if (moved := each.moved_at(level)) is not None]
    values = sorted(value for value in found if value is not None)
    if not values:
        return "an unknown number of flop/B"
    texts = list(dict.fromkeys((three(values[0]), three(values[-1]))))
    of = "" if level is MemoryLevel.DRAM else f" of {LEVEL_NAMES[level]}"
    return f"{' to '.join(texts)} flop/B{of}"


def _without_time(rest: Sequence[Series]) -> Iterator[str]:
    """Targets for which no time is predicted, with what their ceilings allow."""
    if rest:
        allowed = [f"{_allowed(e).replace('≤', 'at most')} TFLOP/s on {e.label}" for e in rest]
        yield f"The ceilings allow {_and(allowed)}: no time is predicted there."


def _idle(idle: Sequence[Series]) -> Iterator[str]:
    """Kernels that only move data, which have no place on a roofline: the level in most use."""
    told = [(each, each.level_shares) for each in idle if each.level_shares]
    if not told:
        if idle:
            yield f"Nothing that a roofline counts is known on {_and([e.label for e in idle])}."
        return
    parts: list[str] = []
    last = None
    for series, shares in told:
        level, share = max(shares, key=lambda each: each[1])
        of = f" of the {LEVEL_NAMES[level]} bandwidth" if level is not last else ""
        parts.append(f"{percent(share)}{of} on {series.label}")
        last = level
    yield (
        "The kernel moves data and computes nothing that a roofline counts: "
        f"it is predicted to reach {_and(parts)}."
    )


def _allowed(series: Series) -> str:
    allowed = series.allowed
    if allowed is None or allowed.most_tflops is None:
        return "unknown"
    is_exact = allowed.tflops is not None and all(m.size_bytes is not None for m in series.moved)
    least = "" if is_exact else "≤ "
    return f"{least}{three(allowed.most_tflops)}"


def _moved(moved: Moved) -> str:
    name = LEVEL_NAMES[moved.level]
    if moved.size_bytes is None:
        return f"{name}: unknown"
    if moved.intensity is None:
        return f"{name}: {size(moved.size_bytes)}"
    return f"{name}: {size(moved.size_bytes)}, {three(moved.intensity)} flop/B"


def _flop(flops: float) -> str:
    for unit, scale in (("TFLOP", 1e12), ("GFLOP", 1e9), ("MFLOP", 1e6), ("kFLOP", 1e3)):
        if flops >= scale:
            return f"{three(flops / scale)} {unit}"
    return f"{flops:.0f} FLOP"


def _tb_s(gb_s: float | None) -> str:
    if gb_s is None:
        return "unknown"
    return f"{three(gb_s / 1e3)} TB/s" if gb_s >= 1e3 else f"{three(gb_s)} GB/s"


def _is_assumed(line: Bandwidth) -> bool:
    return line.source is not None and line.source.startswith("assumed")


def _and(names: Sequence[str]) -> str:
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
