"""The window's rows: actions, tool bar, status bar."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QApplication

from workbench.core.targets.table import load_targets
from workbench.session.jobs import JobInfo, WorkerState, WorkerStatus
from workbench.session.sign import Sign
from workbench.session.vital_signs import VitalSigns
from workbench.ui.actions import ACTIONS, MENUS, Actions
from workbench.ui.status_bar import StatusBar
from workbench.ui.target_menu import target_choices
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.title_row import TitleRow
from workbench.ui.toolbar import ToolbarView, TopToolbar
from workbench.ui.widgets.buttons import FlatToolButton


@pytest.fixture
def icons(qapp: Any) -> Icons:
    return Icons(Theme("dark"))


@pytest.fixture
def called() -> list[str]:
    return []


@pytest.fixture
def actions(icons: Icons, called: list[str]) -> Any:
    owner = QObject()
    handlers = {r.id: (lambda name=r.id: called.append(name)) for r in ACTIONS}
    made = Actions(owner, icons, handlers)
    made.owner = owner  # type: ignore[attr-defined] # keeps the actions alive
    return made


def test_no_two_actions_share_an_id_or_a_shortcut() -> None:
    ids = [record.id for record in ACTIONS]
    keys = [key for record in ACTIONS for key in record.keys]
    assert len(ids) == len(set(ids))
    assert len(keys) == len(set(keys))


def test_an_action_calls_its_handler_and_tells_its_shortcut(
    actions: Actions, called: list[str]
) -> None:
    actions["verify"].trigger()
    assert called == ["verify"]
    assert "F5" in actions["verify"].toolTip()


def test_what_needs_a_document_is_off_without_one(actions: Actions) -> None:
    actions.set_document_open(False)
    assert not actions["compile"].isEnabled()
    assert actions["open"].isEnabled()


def test_every_action_stands_in_its_menu(qtbot: Any, icons: Icons, actions: Actions) -> None:
    row = TitleRow(icons, actions, [])
    qtbot.addWidget(row)
    for menu in MENUS:
        names = [a.objectName() for a in row._menus[menu].actions() if not a.isSeparator()]
        assert names == [record.id for record in ACTIONS if record.menu == menu]


def shown_toolbar(qtbot: Any, icons: Icons, actions: Actions) -> TopToolbar:
    toolbar = TopToolbar(icons, actions)
    qtbot.addWidget(toolbar)
    choices = target_choices(load_targets())
    toolbar.set_view(
        ToolbarView("k", ("k", "other"), "small", ("small", "large"), True, choices, ("h100",))
    )
    toolbar.show()
    return toolbar


def test_the_toolbar_names_kernel_case_and_targets(
    qtbot: Any, icons: Icons, actions: Actions
) -> None:
    toolbar = shown_toolbar(qtbot, icons, actions)
    assert toolbar.kernel_picker.text() == "k"
    assert toolbar.case_picker.text() == "small *"
    assert toolbar.target_picker.accessibleName() == "Targets: H100"


def test_a_case_is_chosen_in_its_menu(qtbot: Any, icons: Icons, actions: Actions) -> None:
    toolbar = shown_toolbar(qtbot, icons, actions)
    chosen: list[str] = []
    toolbar.case_chosen.connect(chosen.append)
    large = next(a for a in toolbar.case_picker.menu().actions() if a.text() == "large")
    large.trigger()
    assert chosen == ["large"]


def test_a_page_marks_its_own_button_and_offers_the_other(
    qtbot: Any, icons: Icons, actions: Actions
) -> None:
    toolbar = shown_toolbar(qtbot, icons, actions)
    toolbar.set_view(ToolbarView("k", ("k",), is_draft=True, page="compare"))
    buttons = {b.text(): b for b in toolbar.findChildren(FlatToolButton) if b.isVisible()}
    assert buttons["Compare"].isChecked()
    assert not buttons["Sweep"].isChecked()
    assert "Compile" not in buttons
    buttons["Compare"].click()  # a second click takes the mark from no one
    assert buttons["Compare"].isChecked()


def test_without_a_kernel_the_toolbar_says_so(qtbot: Any, icons: Icons, actions: Actions) -> None:
    toolbar = shown_toolbar(qtbot, icons, actions)
    toolbar.set_view(ToolbarView())
    assert not toolbar.kernel_picker.isVisible()
    assert toolbar._nothing.isVisible()


def test_the_status_bar_tells_the_worker_and_its_version(qtbot: Any, icons: Icons) -> None:
    bar = StatusBar(icons)
    qtbot.addWidget(bar)
    bar.set_worker(WorkerState(WorkerStatus.READY, {"tilelang": "0.1.15"}))
    assert bar.worker_text == "worker ready · tilelang 0.1.15 · no GPU here"
    bar.set_worker(WorkerState(WorkerStatus.READY, {}, ("NVIDIA H200",)))
    assert bar.worker_text == "worker ready · NVIDIA H200"


def test_a_loud_job_is_shown_until_it_ends_and_a_quiet_one_is_not(qtbot: Any, icons: Icons) -> None:
    bar = StatusBar(icons)
    qtbot.addWidget(bar)
    bar.show()
    bar.set_jobs((JobInfo("1", "Lower H100", "live", quiet=True),))
    assert bar._chip is None
    bar.set_jobs((JobInfo("2", "Compile H100", "work"), JobInfo("3", "Compile A100", "work")))
    assert bar._chip is not None
    assert "0 of 2" in bar._chip.text
    bar.set_jobs((JobInfo("3", "Compile A100", "work"),))
    assert "1 of 2" in bar._chip.text
    bar.set_jobs(())
    assert not bar._chip.isVisible()
    assert not bar._timer.isActive()


def test_signs_are_in_short_where_room_is_scarce_and_then_only_the_first(
    qtbot: Any, icons: Icons
) -> None:
    bar = StatusBar(icons)
    qtbot.addWidget(bar)
    bar.set_worker(WorkerState(WorkerStatus.READY, {"tilelang": "0.1.15"}))
    bar.set_cursor(38, 1)
    long = [Sign(f"the long text of sign {n}", short=f"sign {n}") for n in range(5)]
    bar.resize(1600, 28)
    bar.show()
    bar.set_signs(VitalSigns("H100", tuple(long)))
    assert shown_signs(bar) == [s.text for s in long]
    bar.resize(900, 28)
    assert shown_signs(bar) == [s.short for s in long]
    assert bar._right.sizeHint().width() + bar._left.sizeHint().width() <= 900
    bar.resize(840, 28)
    bar.set_jobs((JobInfo("2", "Compile H100", "work"),))
    assert bar.width() == 840
    assert shown_signs(bar) == [s.short for s in long][: len(shown_signs(bar))]
    assert 0 < len(shown_signs(bar)) < 5
    bar.set_jobs(())
    bar.resize(1600, 28)
    assert shown_signs(bar) == [s.text for s in long]


def shown_signs(bar: StatusBar) -> list[str]:
    return [label.text() for label, _ in bar._sign_texts if not label.isHidden()]


def test_vital_signs_replace_one_another(qtbot: Any, icons: Icons) -> None:
    bar = StatusBar(icons)
    qtbot.addWidget(bar)
    bar.set_signs(VitalSigns("H100", (Sign("48 KiB shared"), Sign("240 registers"))))
    bar.set_signs(VitalSigns("A100", (Sign("300 KiB shared", "error", stale=True),)))
    shown = [w.accessibleName() or w.text() for w in bar._signs]
    assert shown == ["A100", "predicted", "300 KiB shared"]
    assert bar._signs[-1].property("tone") == "fg3"
    assert "earlier text" in bar._signs[-1].toolTip()
    bar.set_signs(None)
    assert bar._signs == []


def test_signs_are_said_in_short_at_once_where_they_have_no_room(qtbot: Any, icons: Icons) -> None:
    status = StatusBar(icons)
    qtbot.addWidget(status)
    status.resize(520, 28)
    status.show()
    measured = (Sign("10.6 µs measured", "fg", short="10.6 µs"),)
    signs = tuple(Sign(f"a sign of many words {n}", short=f"sign {n}") for n in range(3))
    status.set_signs(VitalSigns("H200", signs, measured))
    at_once = [label.text() for label, _ in status._sign_texts]
    QApplication.processEvents()
    status._fitted = None
    status._fit()
    assert [label.text() for label, _ in status._sign_texts] == at_once
