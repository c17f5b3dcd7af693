"""The pipeline lens shows a timeline, leads to lines, zooms and pans over time, and measures."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from tests.support.analysis_results import estimate
from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.pipelines import COPY_LINE, LOOP_TEXT, one_stage
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject
from workbench.ui.lenses.canvas import Hit
from workbench.ui.lenses.pipeline.lens import PipelineLens
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState


def subject(*names: str) -> LensSubject:
    """Six turns of 450 clocks each; without an estimate on AMD's."""
    made = replace(estimate(tensor=600.0), block_clocks=2940.0)
    targets = (
        lens_target(
            name,
            mark,
            pipeline=one_stage(turns=6),
            operations=(),
            shared=None,
            estimate=None if name == "mi300x" else made,
        )
        for mark, name in enumerate(names or ("h100",))
    )
    return lens_subject(*targets, text=LOOP_TEXT)


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> PipelineLens:
    made = PipelineLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 560)
    made.show()
    made.set_subject(subject())
    made.view.grab()
    return made


def hit(lens: PipelineLens, words: str) -> Hit:
    lens.view.grab()
    return next(each for each in lens.view.hits if words in each.tip)


def test_it_opens_on_its_conclusion_with_the_steady_turn_in_sight(lens: PipelineLens) -> None:
    assert lens.conclusion.startswith("Tensor cores idle 80 % of each iteration")
    assert lens.picture is not None
    assert lens.picture.bracket is not None
    window = lens.view.window_shown
    assert window.begin <= lens.picture.bracket.begin
    assert window.begin + window.span >= lens.picture.bracket.end
    assert window.span < lens.picture.end


def test_a_click_on_a_copy_selects_its_line_and_buffer(lens: PipelineLens, qtbot: Any) -> None:
    place = hit(lens, "copy a_s").area.center().toPoint()
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=place)
    assert selected.args == [Selection(line=COPY_LINE, buffer="a_s")]


def test_what_is_selected_elsewhere_lights_up(lens: PipelineLens) -> None:
    before = lens.view.grab().toImage()
    lens.set_selection(Selection(line=COPY_LINE))
    assert lens.view.grab().toImage() != before
    lens.set_selection(None)
    assert lens.view.grab().toImage() == before


def test_keys_and_dragging_pan_within_the_block(lens: PipelineLens, qtbot: Any) -> None:
    begin = lens.view.window_shown.begin
    qtbot.keyClick(lens.view, Qt.Key.Key_D)
    assert lens.view.window_shown.begin > begin
    for _ in range(30):
        qtbot.keyClick(lens.view, Qt.Key.Key_A)
    assert lens.view.window_shown.begin == 0
    qtbot.mousePress(lens.view, Qt.MouseButton.LeftButton, pos=QPoint(400, 60))
    qtbot.mouseMove(lens.view, QPoint(300, 60))
    with qtbot.assertNotEmitted(lens.selected):
        qtbot.mouseRelease(lens.view, Qt.MouseButton.LeftButton, pos=QPoint(300, 60))
    assert lens.view.window_shown.begin > 0


def test_ctrl_and_wheel_zoom_at_the_pointer_and_twins_follow(
    lens: PipelineLens, qtbot: Any
) -> None:
    span = lens.view.window_shown.span
    told: list[tuple[float, float, float]] = []
    lens.view_changed.connect(told.append)
    wheel = QWheelEvent(
        QPointF(300, 60), QPointF(300, 60), QPoint(), QPoint(0, 120), Qt.MouseButton.NoButton,
        Qt.KeyboardModifier.ControlModifier, Qt.ScrollPhase.NoScrollPhase, False,
    )  # fmt: skip
    QApplication.sendEvent(lens.view, wheel)
    assert lens.view.window_shown.span == pytest.approx(span / 1.2)
    # The begin and the span are told in turns, for a twin whose turns take another time.
    assert lens.picture is not None
    assert told[-1][1] == pytest.approx(span / 1.2 / lens.picture.period)
    lens.take_view((1.0, 2.0, 0.0))
    assert lens.view.window_shown.span == pytest.approx(2 * lens.picture.period)
    qtbot.keyClick(lens.view, Qt.Key.Key_0, Qt.KeyboardModifier.ControlModifier)
    assert lens.view.window_shown.span == pytest.approx(span)


def test_a_right_drag_measures_and_a_right_click_takes_it_away(
    lens: PipelineLens, qtbot: Any
) -> None:
    def right(act: Any, x: int) -> None:
        act(lens.view, Qt.MouseButton.RightButton, pos=QPoint(x, 60))

    right(qtbot.mousePress, 200)
    qtbot.mouseMove(lens.view, QPoint(330, 60))
    right(qtbot.mouseRelease, 330)
    measured = lens.view.measured
    assert measured is not None
    # The plot is 520 - 16 - 158 px wide.
    expected = 130 / 346 * lens.view.window_shown.span
    assert measured[1] - measured[0] == pytest.approx(expected, rel=0.02)
    right(qtbot.mousePress, 200)
    right(qtbot.mouseRelease, 200)
    assert lens.view.measured is None


def test_what_was_chosen_to_be_seen_is_remembered(lens: PipelineLens) -> None:
    assert lens.document_state() == {}
    lens.view.zoom_time(300, 2.0)
    kept = lens.state()
    span = lens.view.window_shown.span
    lens.view.reset_view()
    lens.restore(kept)
    assert lens.view.window_shown.span == pytest.approx(span)


def test_a_target_without_an_estimate_shows_an_order(lens: PipelineLens) -> None:
    lens.set_subject(subject("h100", "mi300x"))
    lens.choose_target("mi300x")
    assert lens.conclusion.startswith("Order without times")
    assert lens.picture is not None
    assert not lens.picture.is_timed


def test_without_known_steps_it_says_why(lens: PipelineLens) -> None:
    target = lens_target("h100")
    assert target.analysis is not None
    missing = {"pipeline": "the grid is known at launch only"}
    target = replace(target, analysis=replace(target.analysis, missing=missing))
    lens.set_subject(lens_subject(target))
    empty = lens.findChild(EmptyState)
    assert isinstance(empty, EmptyState)
    assert "the grid is known at launch only" in empty.sentence


def test_it_is_exported(lens: PipelineLens, tmp_path: Path) -> None:
    lens.export(tmp_path / "pipeline.svg")
    lens.export(tmp_path / "pipeline.png")
    assert "<path" in (tmp_path / "pipeline.svg").read_text()
    assert (tmp_path / "pipeline.png").stat().st_size > 5000
