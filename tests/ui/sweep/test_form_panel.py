"""The form of a sweep with what a kernel's decorator offers."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.support.tuned_documents import tuned
from workbench.session.sweeps.form import SweepForm, form_of
from workbench.session.sweeps.offering import Offer
from workbench.ui.sweep.form_panel import FormPanel
from workbench.ui.theme.icons import Icons

TWO = ({"block": 64, "threads": 128}, {"block": 128, "threads": 128})


def a_form(folder: Path, offer: Offer | None) -> SweepForm:
    form = form_of(tuned(folder), ())
    assert form is not None
    return replace(form, offer=offer)


def shown(qtbot: Any, icons: Icons, form: SweepForm) -> FormPanel:
    panel = FormPanel(icons)
    qtbot.addWidget(panel)
    panel.set_form(form, ["default"], ())
    panel.show()
    return panel


def test_the_decorators_configurations_are_taken_or_left(
    qtbot: Any, icons: Icons, tmp_path: Path
) -> None:
    panel = shown(qtbot, icons, a_form(tmp_path, Offer(TWO)))
    assert panel.decorator.text() == "The decorator's 2 configurations"
    assert panel.decorator.isChecked()
    assert not panel.rows._boxes["block"].isEnabled()
    assert not panel.rows._boxes["block"].isChecked()
    assert panel.rows._boxes["factor"].isEnabled()
    with qtbot.waitSignal(panel.form_edited) as told:
        panel.decorator.click()
    assert told.args[0].configurations == ()
    assert panel.rows._boxes["block"].isEnabled()
    assert panel.rows._boxes["block"].isChecked()


def test_what_cannot_be_read_is_said_and_cannot_be_taken(
    qtbot: Any, icons: Icons, tmp_path: Path
) -> None:
    panel = shown(qtbot, icons, a_form(tmp_path, Offer(problem="it says why")))
    assert panel.decorator.isVisible()
    assert not panel.decorator.isEnabled()
    assert panel._offered.text() == "It says why"


def test_a_kernel_without_a_decorator_has_no_such_row(
    qtbot: Any, icons: Icons, tmp_path: Path
) -> None:
    panel = shown(qtbot, icons, a_form(tmp_path, None))
    assert not panel.decorator.isVisible()
    assert not panel._offered.isVisible()


def test_without_a_document_there_is_a_sentence_and_what_to_do(qtbot: Any, icons: Icons) -> None:
    panel = FormPanel(icons)
    qtbot.addWidget(panel)
    panel.show()
    assert not panel.decorator.isVisible()
    assert not panel.start.isVisible()
    assert panel._empty.isVisible()
    with qtbot.waitSignal(panel.open_requested):
        panel._empty._button.click()


def test_it_speaks_of_measuring_only_where_a_gpu_measures(
    qtbot: Any, icons: Icons, tmp_path: Path
) -> None:
    form = a_form(tmp_path, None)
    panel = shown(qtbot, icons, form)
    assert "nothing is measured" in panel._hint.text()
    assert not panel._all.isEnabled()
    panel.set_form(replace(form, places=("local",)), ["default"], ("local",))
    assert "the promising are measured" in panel._hint.text()
    assert panel._all.isEnabled()
