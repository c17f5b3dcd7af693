"""The pane of a profile: what it shows in each state, and what it asks for."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QSizeF
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from tests.support.profiles import failed, latency, profile, shapes, subject
from tests.support.roofline_subjects import product
from workbench.core.counters.source_csv import SAMPLES
from workbench.core.jobs import Failure
from workbench.core.profiles import CounterReport, KernelCounters, LineCounters, ProfileResult
from workbench.session.profile.subject import ProfileSubject, Progress
from workbench.session.profile.view import profile_view
from workbench.ui.panes.profile import ProfilePane
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PushButton

LINES = tuple(LineCounters(n, {SAMPLES: 10.0 * n}, f"line {n}") for n in (4, 5, 6))
KERNEL = KernelCounters(
    "main", {"launch__registers_per_thread": 226.0}, device="NVIDIA H200", lines=LINES
)


def whole() -> ProfileSubject:
    analysis = product("h200").analysis
    counted = profile(counters=CounterReport("Nsight Compute 2025.3.1", (KERNEL,)))
    return subject(counted, analysis=analysis, series=shapes())


@pytest.fixture
def pane(qtbot: Any, icons: Icons) -> ProfilePane:
    made = ProfilePane(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(760, 620)
    made.show()
    qtbot.waitExposed(made)
    return made


def button(pane: ProfilePane, text: str) -> PushButton:
    return next(
        each for each in pane.findChildren(PushButton) if each.text() == text and each.isVisible()
    )


def test_an_empty_pane_offers_to_measure(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(subject()))
    assert pane.conclusion.startswith("Measure the kernel on GPU of gpu1")
    with qtbot.waitSignal(pane.profile_requested):
        button(pane, "Measure").click()


def test_without_a_place_it_lets_one_be_chosen(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(subject(place="", no_place="There is no GPU here.")))
    with qtbot.waitSignal(pane.place_requested):
        button(pane, "Choose where").click()


def test_a_measurement_that_runs_can_be_ended(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(subject(profile(), running=Progress("Timing", 0.4))))
    assert pane.head.progress_text.startswith("40 of 100")
    with qtbot.waitSignal(pane.cancel_requested):
        pane.head.cancel_requested.emit()


def test_a_profile_shows_its_sentences_and_pictures(pane: ProfilePane) -> None:
    pane.show_view(profile_view(whole()))
    assert pane.conclusion.startswith("359 µs on an NVIDIA H200, 52 % of its measured matmul rate")
    assert pane.trust.sentences == (
        "The middle 80 % of 120 samples lie within 1.4% of the median, at 1,980 MHz.",
    )
    pane.grab()
    tips = [hit.tip for hit in pane.picture.hits]
    assert any(tip.startswith("matmul: median 359 µs") for tip in tips)
    assert any(tip.startswith("torch_matmul: median") for tip in tips)
    assert any(tip.startswith("Matmul rate, float16: 383 of 741 TFLOP/s") for tip in tips)


def test_what_is_of_an_earlier_text_is_greyed_and_can_be_measured_again(
    pane: ProfilePane, qtbot: Any
) -> None:
    pane.show_view(profile_view(replace(whole(), stale=True)))
    with qtbot.waitSignal(pane.profile_requested):
        button(pane, "Measure again").click()


def test_a_failure_says_why_and_offers_another_try(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(subject(failed("No GPU is to be seen on gpu1."))))
    assert pane.conclusion == "Not measured on GPU of gpu1: No GPU is to be seen on gpu1."
    assert not pane.numbers.isVisible()
    assert pane.failure.isVisible()
    with qtbot.waitSignal(pane.profile_requested):
        button(pane, "Try again").click()


def test_where_there_are_no_counters_the_reason_stands_with_the_way_to_them(
    pane: ProfilePane, qtbot: Any
) -> None:
    pane.show_view(profile_view(subject(profile())))
    pane.numbers.choose("counters")
    with qtbot.waitSignal(pane.counters_requested):
        button(pane, "Measure with counters").click()


def test_tables_hold_what_was_counted(pane: ProfilePane) -> None:
    pane.show_view(profile_view(whole()))
    assert pane.numbers.table("compared").row_count() >= 1
    pane.numbers.choose("counters")
    assert pane.numbers.table("counters").row_count() == 1
    pane.numbers.choose("lines")
    assert [row.line for row in pane.numbers.table("lines").rows()] == [4, 5, 6]


def test_a_line_leads_to_the_editor(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(whole()))
    pane.numbers.choose("lines")
    table = pane.numbers.table("lines")
    table.setFocus()
    with qtbot.waitSignal(pane.line_requested) as asked:
        table.selectRow(1)
    assert asked.args == [5]


def test_shapes_are_a_line_with_tips(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(whole()))
    pane.numbers.choose("series")
    pane.grab()
    assert pane.numbers.sentence.startswith("From 9.84 µs at 512")
    assert any("M = 4096" in hit.tip for hit in pane.numbers.series.hits)


def test_without_shapes_all_cases_can_be_measured(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(subject(profile())))
    pane.numbers.choose("series")
    with qtbot.waitSignal(pane.cases_requested):
        button(pane, "Profile all cases").click()


def test_a_run_names_its_origin_and_leads_back(pane: ProfilePane, qtbot: Any) -> None:
    pane.show_view(profile_view(replace(whole(), origin="gemm.ncu-rep")))
    with qtbot.waitSignal(pane.back_requested):
        button(pane, "Back to the kernel").click()


def test_the_picture_is_exported_and_the_numbers_are_copied(
    pane: ProfilePane, tmp_path: Path
) -> None:
    pane.show_view(profile_view(whole()))
    pane.export(tmp_path / "profile.svg")
    assert "359 µs" in (tmp_path / "profile.svg").read_text()
    pane.head.copy_requested.emit()
    assert "Time of a launch" in QGuiApplication.clipboard().text()


def test_the_state_comes_back(pane: ProfilePane, icons: Icons, qtbot: Any) -> None:
    pane.show_view(profile_view(whole()))
    pane.numbers.choose("stalls")
    again = ProfilePane(icons.theme, icons)
    qtbot.addWidget(again)
    again.restore(pane.state())
    assert again.numbers.current == "stalls"
    again.restore({"version": 99, "shares": "x"})
    assert again.numbers.current == "stalls"


@pytest.mark.parametrize("width", [240, 520, 760, 1200])
def test_pictures_of_any_width_are_as_high_as_they_say(pane: ProfilePane, width: int) -> None:
    view = profile_view(replace(whole(), result=profile(latency=latency(358.66, count=1200))))
    pane.show_view(view)
    picture = pane.picture.picture
    assert picture is not None
    height = picture.height(width)
    image = QImage(width, int(height), QImage.Format.Format_ARGB32)
    with QPainter(image) as painter:
        pane.picture.render_to(painter, QSizeF(width, height))
    assert 120 < height < 640


def test_the_last_lines_of_what_failed_are_there(pane: ProfilePane) -> None:
    lost = ProfileResult(Failure("crash", "the worker went away", raw="Segmentation fault\n"))
    pane.show_view(profile_view(subject(lost, lost=True)))
    assert pane.conclusion.startswith("The connection to GPU of gpu1 was lost")
    assert pane.failure.raw == "Segmentation fault"
