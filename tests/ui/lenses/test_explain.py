"""The explain lens: sentences lead to their lines and light up, and the page can be exported."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from tests.support.analysis_results import COPY
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.operations import Operation
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensTarget
from workbench.ui.lenses.explain.lens import ExplainLens
from workbench.ui.theme.icons import Icons

MOVE = Operation(COPY, "copy", "T.copy A -> A_s", "cp.async", 16, None, ("A", "A_s"))


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> ExplainLens:
    made = ExplainLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 700)
    made.show()
    made.set_subject(lens_subject(lens_target("h100", operations=(MOVE,))))
    made.view.grab()
    return made


def test_it_opens_on_its_conclusion(lens: ExplainLens) -> None:
    assert lens.conclusion.startswith("matmul on H100: 6 blocks")
    assert "cp.async" in lens.view.accessibleName()


def test_a_sentence_leads_to_its_line(lens: ExplainLens, qtbot: Any) -> None:
    hit = next(each for each in lens.view.hits if each.tip.startswith("A goes to A_s"))
    middle = hit.area.center()
    with qtbot.waitSignal(lens.selected) as selected:
        at = QPoint(round(middle.x()), round(middle.y()))
        qtbot.mouseClick(lens.view, Qt.MouseButton.LeftButton, pos=at)
    assert selected.args == [Selection(line=COPY, buffer="A")]


def test_what_is_selected_lights_up(lens: ExplainLens) -> None:
    before = lens.view.grab().toImage()
    lens.set_selection(Selection(line=COPY))
    assert lens.view.grab().toImage() != before


def test_a_narrow_page_is_longer(lens: ExplainLens) -> None:
    wide = lens.view.heightForWidth(900)
    assert lens.view.heightForWidth(360) > wide > 200


def test_without_figures_it_says_so(lens: ExplainLens) -> None:
    lens.set_subject(lens_subject(LensTarget(lens_target("h100").target, 0)))
    assert lens.page is not None
    assert not lens.view.isVisible()


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_writes_what_it_shows(lens: ExplainLens, tmp_path: Path, suffix: str) -> None:
    lens.export(tmp_path / f"page.{suffix}")
    assert len((tmp_path / f"page.{suffix}").read_bytes()) > 5000
