"""The dialog of hosts: list, form and report."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from tests.support.host_reports import NOT_REACHED, REACHED
from workbench.core.hosts import THIS_MACHINE, Host, make_host
from workbench.ui.hosts import HostsDialog
from workbench.ui.hosts.form import EXAMPLES
from workbench.ui.hosts.host_list import HostEntry
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import FlatToolButton

GPU1 = make_host("gpu1", "ssh gpu1", "~/venv/bin/python", environment={"A": "1 2"})


@pytest.fixture
def dialog(qtbot: Any, icons: Icons) -> HostsDialog:
    made = HostsDialog(icons)
    qtbot.addWidget(made)
    made.show_hosts([HostEntry(THIS_MACHINE), HostEntry(GPU1, REACHED)])
    made.show()
    qtbot.waitExposed(made)
    return made


def texts(dialog: HostsDialog) -> list[str]:
    return [label.text() for label in dialog.report.findChildren(QLabel) if label.isVisible()]


def test_this_machine_is_first_and_has_nothing_to_set(dialog: HostsDialog) -> None:
    assert dialog.current == "local"
    assert not dialog.form.isVisible()
    assert not dialog.remove.isVisible()
    assert dialog.test.isEnabled()


def test_a_host_fills_the_form_and_reads_back_the_same(dialog: HostsDialog) -> None:
    dialog.choose("gpu1")
    assert dialog.form.field("command").text() == "ssh gpu1"
    assert dialog.form.host() == GPU1
    assert not dialog.save.isEnabled()  # nothing was changed


def test_a_change_can_be_saved(dialog: HostsDialog, qtbot: Any) -> None:
    dialog.choose("gpu1")
    dialog.form.field("command").setText("ssh -p 22 gpu1")
    with qtbot.waitSignal(dialog.save_requested) as saved:
        dialog.save.click()
    host, old = saved.args
    assert (host.command, old) == (("ssh", "-p", "22", "gpu1"), "gpu1")


def test_an_example_begins_a_new_host(dialog: HostsDialog, qtbot: Any) -> None:
    dialog.add.click()
    assert dialog.save.text() == "Add"
    assert not dialog.save.isEnabled()
    docker = next(each for each in EXAMPLES if each.title == "docker")
    dialog.form.take_example(docker)
    with qtbot.waitSignal(dialog.save_requested) as saved:
        dialog.save.click()
    assert saved.args == [make_host("box", "docker exec -i box"), ""]


def test_every_example_is_a_host() -> None:
    for each in EXAMPLES:
        assert isinstance(make_host(each.name, each.command, each.python), Host)


def test_what_is_no_host_says_why_and_cannot_be_saved(dialog: HostsDialog) -> None:
    dialog.add.click()
    dialog.form.field("name").setText("two words")
    dialog.form.field("command").setText("ssh x")
    assert "cannot be called" in dialog.form.refusal
    assert not dialog.save.isEnabled()
    dialog.form.field("name").setText("ok")
    dialog.form.field("environment").setText("no equals")
    assert dialog.form.refusal == "The environment has 'no': write NAME=value."


def test_a_host_can_be_tested_before_it_is_saved(dialog: HostsDialog, qtbot: Any) -> None:
    dialog.add.click()
    dialog.form.take_example(EXAMPLES[0])
    with qtbot.waitSignal(dialog.test_requested) as tested:
        dialog.test.click()
    assert tested.args[0].name == "gpu1"
    assert dialog.report.conclusion == "Reaching gpu1 …"
    dialog.show_step("gpu1", "Looking around on gpu1 …")
    assert dialog.report.conclusion == "Looking around on gpu1 …"
    dialog.show_draft_report("gpu1", NOT_REACHED)
    assert dialog.report.conclusion == "gpu1 was not reached."


def test_a_running_test_can_be_ended(dialog: HostsDialog, qtbot: Any) -> None:
    dialog.choose("gpu1")
    dialog.test.click()
    with qtbot.waitSignal(dialog.cancel_requested) as cancelled:
        dialog.report.cancel_requested.emit()
    assert cancelled.args == ["gpu1"]


def test_a_report_tells_what_was_found(dialog: HostsDialog) -> None:
    dialog.choose("gpu1")
    assert "gpu1 is ready" in dialog.report.conclusion
    assert "NVIDIA H200" in texts(dialog)


def test_a_cure_can_be_copied(dialog: HostsDialog) -> None:
    dialog.show_hosts([HostEntry(THIS_MACHINE), HostEntry(GPU1, NOT_REACHED)])
    dialog.choose("gpu1")
    (copy,) = dialog.report.findChildren(FlatToolButton)
    copy.click()
    assert QGuiApplication.clipboard().text() == "Run 'ssh gpu1' in a terminal."


def test_a_host_that_is_gone_leaves_this_machine_in_the_form(dialog: HostsDialog) -> None:
    dialog.choose("gpu1")
    dialog.show_hosts([HostEntry(THIS_MACHINE)], ["hosts.json: an entry is left out."])
    assert dialog.current == "local"
    assert dialog.list.count() == 1


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        (HostEntry(GPU1), "not tested yet"),
        (HostEntry(GPU1, REACHED), "ready"),
        (HostEntry(GPU1, NOT_REACHED), "cannot be used"),
        (HostEntry(GPU1, REACHED, testing=True), "being tested"),
    ],
)
def test_the_list_says_how_a_host_is(entry: HostEntry, words: str) -> None:
    assert entry.words == words


def test_the_list_is_chosen_from(dialog: HostsDialog) -> None:
    dialog.list.setCurrentRow(1)
    assert dialog.current == "gpu1"
