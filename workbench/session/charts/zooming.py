"""What zooming and moving make of the ranges of a chart that was laid out."""

from __future__ import annotations

from dataclasses import replace

from workbench.session.charts.frame import View, scale_of
from workbench.session.charts.layout import frame_for
from workbench.session.charts.model import Axis, Chart
from workbench.session.charts.scene import Scene
from workbench.session.charts.ticks import Scale

_MOST = 400.0
Range = tuple[float, float]


def zoomed(chart: Chart, scene: Scene, view: View, x: float, y: float, factor: float) -> View:
    """The view zoomed by a factor so that the place at these px of the scene stays there.

    Out of the chart's own ranges nothing is zoomed further out.
    """
    frame = frame_for(chart, scene, view)
    part_x = (x - scene.plot.x) / scene.plot.width
    part_y = (scene.plot.bottom - y) / scene.plot.height
    return _checked(
        chart,
        view,
        _around(frame.x, min(max(part_x, 0.0), 1.0), factor),
        _around(frame.y, min(max(part_y, 0.0), 1.0), factor),
    )


def moved(chart: Chart, scene: Scene, view: View, dx: float, dy: float) -> View:
    """The view moved with the pointer by some px."""
    frame = frame_for(chart, scene, view)
    across, down = -dx / scene.plot.width, dy / scene.plot.height
    x = (frame.x.value(across), frame.x.value(1 + across))
    y = (frame.y.value(down), frame.y.value(1 + down))
    return replace(view, x=x if view.x is not None else None, y=y if view.y is not None else None)


def toggled_log(chart: Chart, view: View, axis: str) -> View:
    """The view with an axis in the other scale; as it is where the axis has only one."""
    found = chart.x if axis == "x" else chart.y
    if not found.may_log or chart.stacked:
        return view
    name = "log_x" if axis == "x" else "log_y"
    now = getattr(view, name)
    is_log = found.is_log if now is None else now
    if axis == "x":
        return replace(view, log_x=not is_log, x=None)
    return replace(view, log_y=not is_log, y=None)


def _around(scale: Scale, part: float, factor: float) -> Range:
    return scale.value(part - part / factor), scale.value(part + (1 - part) / factor)


def _checked(chart: Chart, view: View, x: Range, y: Range) -> View:
    own_x, own_y = _own(chart.x, view.log_x), _own(chart.y, view.log_y)
    return replace(view, x=_within(x, own_x), y=_within(y, own_y))


def _own(axis: Axis, log: bool | None) -> Scale:
    return scale_of(axis, None, log)


def _within(wanted: Range, own: Scale) -> Range | None:
    """A range within the axis' own; None where it is all of it."""
    low, high = own.part(wanted[0]), own.part(wanted[1])
    if high - low >= 0.999:
        return None
    if high - low < 1 / _MOST:
        middle = (low + high) / 2
        low, high = middle - 0.5 / _MOST, middle + 0.5 / _MOST
    if low < 0:
        low, high = 0.0, high - low
    if high > 1:
        low, high = low - (high - 1), 1.0
    return own.value(low), own.value(high)
