"""A lens says why it is empty, chooses its target, greys what is old and writes files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.operations import Operation
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.operations import OperationsLens
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.picture_files import ExportError

COPY = Operation(7, "copy", "T.copy A -> S", "cp.async", 16, None, ("A", "S"))
FILL = Operation(5, "fill", "T.clear C", "registers", None, None, ("C",))
H100 = lens_target("h100", 0, operations=(COPY, FILL))
A100 = lens_target("a100", 1, operations=(COPY, FILL))


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> Lens:
    made = OperationsLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 400)
    made.show()
    return made


def empty_sentence(lens: Lens) -> str:
    (shown,) = (each for each in lens.findChildren(EmptyState) if each.isVisible())
    return shown.sentence


def test_it_says_what_it_would_show_and_why_it_does_not(lens: Lens) -> None:
    assert "open a kernel" in empty_sentence(lens)
    lens.set_subject(lens_subject(H100, trusted=False))
    assert "trust" in empty_sentence(lens)
    nothing = LensTarget(H100.target, 0)
    lens.set_subject(lens_subject(nothing))
    assert empty_sentence(lens) == "Nothing was computed yet."
    lens.set_subject(lens_subject(replace(nothing, running=True)))
    assert empty_sentence(lens) == "Being computed ..."


def test_it_opens_on_its_conclusion_and_greys_what_is_old(lens: Lens) -> None:
    lens.set_subject(lens_subject(H100))
    assert lens.conclusion.startswith("2 tile operations")
    lens.set_subject(lens_subject(replace(H100, stale=True)))
    assert "earlier text" in lens.conclusion


def test_a_row_selects_its_line_and_a_line_its_row(lens: Lens, qtbot: Any) -> None:
    lens.set_subject(lens_subject(H100, A100))
    assert isinstance(lens, OperationsLens)
    table = lens.table
    with qtbot.waitSignal(lens.selected) as selected:
        table.selectRow(1)
    assert selected.args == [Selection(7, "A")]
    with qtbot.assertNotEmitted(lens.selected):
        lens.set_selection(Selection(line=5))
    row = table.current_row()
    assert row is not None
    assert row.line == 5


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_writes_what_it_shows(lens: Lens, tmp_path: Path, suffix: str) -> None:
    lens.set_subject(lens_subject(H100))
    lens.export(tmp_path / f"lens.{suffix}")
    content = (tmp_path / f"lens.{suffix}").read_bytes()
    assert content.startswith(b"<?xml" if suffix == "svg" else b"\x89PNG")
    with pytest.raises(ExportError, match="nowhere"):
        lens.export(tmp_path / "nowhere" / f"lens.{suffix}")


def test_it_remembers_the_target_of_each_document(lens: Lens, icons: Icons, qtbot: Any) -> None:
    one, other = lens_subject(H100, A100), replace(lens_subject(H100, A100), path="other.py")
    lens.set_subject(one)
    lens.choose_target("a100")
    lens.set_subject(other)
    assert lens.target is not None
    assert lens.target.target.name == "h100"
    state = lens.state()
    again = OperationsLens(icons.theme, icons)
    qtbot.addWidget(again)
    again.restore(state)
    again.set_subject(one)
    assert again.target is not None
    assert again.target.target.name == "a100"


def test_a_reason_has_an_action() -> None:
    assert NoPicture("Nothing was computed yet.", "Analyze").action == "Analyze"
