from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.metric_strip import MetricStrip, MetricView, place_balanced, place_in_rows

METRICS = (
    MetricView("Time, median", "358.66", "µs", tip="100 samples on h200"),
    MetricView("Registers", "unknown", tone="fg3"),
    MetricView("Shared memory", "48", "KiB"),
)


@pytest.mark.parametrize(
    ("widths", "room", "places"),
    [
        ([], 100, []),
        ([40, 40], 100, [(0, 0), (0, 50)]),
        ([40, 40, 40], 100, [(0, 0), (0, 50), (1, 0)]),
        ([40, 50], 100, [(0, 0), (0, 50)]),
        ([40, 51], 100, [(0, 0), (1, 0)]),
        ([300, 40], 100, [(0, 0), (1, 0)]),
    ],
)
def test_items_fill_rows_from_the_left(
    widths: list[int], room: int, places: list[tuple[int, int]]
) -> None:
    assert place_in_rows(widths, room, 10) == places


@pytest.mark.parametrize(
    ("widths", "room", "places"),
    [
        ([], 100, []),
        ([40, 40, 40], 184, [(0, 0), (0, 72), (0, 144)]),
        ([40, 40, 40], 152, [(0, 0), (0, 56), (0, 112)]),
        ([40, 40, 40, 40], 200, [(0, 0), (0, 72), (1, 0), (1, 72)]),
        ([40, 60, 50, 40], 150, [(0, 0), (0, 82), (1, 0), (1, 82)]),
        ([150, 40, 40, 40], 150, [(0, 0), (1, 0), (1, 56), (2, 0)]),
    ],
)
def test_items_move_together_and_then_break_into_even_rows(
    widths: list[int], room: int, places: list[tuple[int, int]]
) -> None:
    assert place_balanced(widths, room) == places


@pytest.fixture
def strip(theme: Theme, qtbot: QtBot) -> MetricStrip:
    strip = MetricStrip(theme)
    qtbot.addWidget(strip)
    strip.set_metrics(METRICS)
    return strip


def test_a_narrow_strip_is_higher(strip: MetricStrip) -> None:
    assert strip.heightForWidth(110) > strip.heightForWidth(800)


def test_the_figure_under_the_pointer_is_known(strip: MetricStrip) -> None:
    strip.resize(800, 40)
    assert strip.metric_at(QPoint(5, 5)) is METRICS[0]
    assert strip.metric_at(QPoint(790, 5)) is None


def test_a_screen_reader_hears_every_figure(strip: MetricStrip) -> None:
    assert strip.accessibleName() == (
        "Time, median: 358.66 µs, Registers: unknown, Shared memory: 48 KiB"
    )


def test_the_figures_are_painted(strip: MetricStrip) -> None:
    strip.resize(800, 40)
    shown = strip.grab().toImage()
    strip.set_metrics(())
    assert strip.grab().toImage() != shown


def test_a_fault_while_painting_is_told_and_ends_the_painter(
    strip: MetricStrip, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("cannot be painted")

    strip.resize(800, 40)
    monkeypatch.setattr(strip, "_paint_metric", fail)
    with pytest.raises(ValueError, match="cannot be painted"):
        strip.grab()  # an open painter would end the process here
    monkeypatch.undo()
    assert not strip.grab().isNull()
