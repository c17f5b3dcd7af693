"""Profiles of several shapes as a line over the argument that varies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.session.profile.rates import tflops_of
from workbench.session.profile.subject import ShapePoint
from workbench.session.profile.words import three, time_text


@dataclass(frozen=True)
class SeriesPoint:
    """One shape. `x` is the varied argument, a place from 0 where it is no number."""

    x: float
    label: str
    p10_us: float
    median_us: float
    p90_us: float
    tflops: float | None = None
    baseline_us: float | None = None
    stale: bool = False
    tip: str = ""


@dataclass(frozen=True)
class SeriesPicture:
    """At least two shapes. `varied` names the arguments that change together: "M = N = K"."""

    varied: str
    points: tuple[SeriesPoint, ...]
    is_numeric: bool
    baseline: str = ""

    @property
    def conclusion(self) -> str:
        """From the first shape to the last, in a sentence."""
        first, last = self.points[0], self.points[-1]
        text = (
            f"From {time_text(first.median_us)} at {first.label} "
            f"to {time_text(last.median_us)} at {last.label}"
        )
        known = [each for each in self.points if each.tflops is not None]
        if not known:
            return f"{text}."
        best = max(known, key=lambda each: each.tflops or 0.0)
        return f"{text}; most at {best.label} with {three(best.tflops or 0.0)} TFLOP/s."


def series_picture(shapes: Sequence[ShapePoint]) -> SeriesPicture | None:
    """The line of the profiles whose arguments differ; None where fewer than two do."""
    timed = [each for each in shapes if each.result.latency is not None]
    varied = _varied([each.arguments for each in timed])
    if len(timed) < 2 or not varied:
        return None
    values = [each.arguments.get(varied[0]) for each in timed]
    numeric = all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in values)
    numeric = numeric and len(set(map(str, values))) == len(values)
    points = [_point(each, varied, place, numeric) for place, each in enumerate(timed)]
    points.sort(key=lambda each: each.x)
    names = {each.result.baseline.name for each in timed if each.result.baseline is not None}
    baseline = names.pop() if len(names) == 1 else ""
    return SeriesPicture(" = ".join(_together(timed, varied)), tuple(points), numeric, baseline)


def _varied(arguments: Sequence[Mapping[str, Any]]) -> list[str]:
    names = dict.fromkeys(name for each in arguments for name in each)
    return [name for name in names if len({repr(each.get(name)) for each in arguments}) > 1]


def _together(shapes: Sequence[ShapePoint], varied: Sequence[str]) -> list[str]:
    """The arguments that have the same value as the first one in every shape, that one first."""
    first = varied[0]
    return [
        name
        for name in varied
        if all(each.arguments.get(name) == each.arguments.get(first) for each in shapes)
    ]


def _point(shape: ShapePoint, varied: Sequence[str], place: int, numeric: bool) -> SeriesPoint:
    latency = shape.result.latency
    assert latency is not None
    value = shape.arguments.get(varied[0])
    words = ", ".join(f"{name} = {shape.arguments.get(name)}" for name in varied)
    label = f"{value:,}" if isinstance(value, int) else str(value)
    baseline = shape.result.baseline
    rate = tflops_of(shape.result)
    return SeriesPoint(
        float(value) if numeric and value is not None else float(place),
        label if numeric else (shape.case or label),
        latency.p10_us,
        latency.median_us,
        latency.p90_us,
        rate,
        baseline.latency.median_us if baseline is not None else None,
        shape.stale,
        "\n".join(_tip(words, shape, rate)),
    )


def _tip(words: str, shape: ShapePoint, rate: float | None) -> list[str]:
    latency, baseline = shape.result.latency, shape.result.baseline
    assert latency is not None
    spread = f"{time_text(latency.p10_us)} to {time_text(latency.p90_us)}"
    lines = [words, f"{time_text(latency.median_us)}, p10 to p90: {spread}"]
    if rate is not None:
        lines.append(f"{three(rate)} TFLOP/s")
    if baseline is not None:
        lines.append(f"{baseline.name}: {time_text(baseline.latency.median_us)}")
    return [*lines, *(["of an earlier text"] if shape.stale else [])]
