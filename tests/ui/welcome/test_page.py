from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.core.data_files import find_data
from workbench.session.machine import Finding, FindingLevel
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.welcome import RecentFile, WelcomePage
from workbench.ui.welcome.card import ExampleCard
from workbench.ui.welcome.rows import FindingRow, LinkButton, recent_row
from workbench.ui.widgets.buttons import FlatToolButton

FINDINGS = (
    Finding(FindingLevel.GOOD, "TileLang 0.1.15", "compiles"),
    Finding(FindingLevel.WARNING, "No nvcc", "brings ptxas", "pip install nvidia-cuda-nvcc"),
)


@pytest.fixture
def page(theme: Theme, icons: Icons, qtbot: QtBot) -> WelcomePage:
    page = WelcomePage(theme, icons)
    qtbot.addWidget(page)
    page.resize(1236, 696)
    page.show()
    return page


def link(page: WelcomePage, title: str) -> LinkButton:
    return next(b for b in page.findChildren(LinkButton) if b.row.title == title)


def texts(page: WelcomePage) -> list[str]:
    return [label.text() for label in page.findChildren(QLabel)]


def test_a_card_opens_its_example(page: WelcomePage, qtbot: QtBot) -> None:
    card = next(c for c in page.findChildren(ExampleCard) if c.example.title == "Softmax")
    with qtbot.waitSignal(page.example_activated, timeout=1000) as heard:
        qtbot.mouseClick(card, Qt.MouseButton.LeftButton)
    assert heard.args == [str(find_data("kernels") / "softmax.py")]


def test_a_card_can_be_pressed_by_key(page: WelcomePage, qtbot: QtBot) -> None:
    card = page.findChildren(ExampleCard)[0]
    with qtbot.waitSignal(page.example_activated, timeout=1000):
        qtbot.keyClick(card, Qt.Key.Key_Space)


def test_what_can_be_begun_is_told_by_its_action(page: WelcomePage, qtbot: QtBot) -> None:
    with qtbot.waitSignal(page.action_requested, timeout=1000) as heard:
        link(page, "Open a folder").click()
    assert heard.args == ["open-folder"]


def test_a_recent_file_is_opened(page: WelcomePage, qtbot: QtBot) -> None:
    page.set_recent([Path("/k/gemm.py"), RecentFile(Path("/k/mla.py"), "verified", "14:04")])
    with qtbot.waitSignal(page.file_activated, timeout=1000) as heard:
        link(page, "mla.py").click()
    assert heard.args == ["/k/mla.py"]


def test_only_the_newest_files_are_listed(page: WelcomePage) -> None:
    page.set_recent([Path(f"/k/{at}.py") for at in range(20)])
    titles = [b.row.title for b in page.findChildren(LinkButton) if b.row.icon == "file"]
    assert titles == ["0.py", "1.py", "2.py", "3.py", "4.py"]


def test_without_recent_files_the_list_says_what_stands_there(page: WelcomePage) -> None:
    assert "Nothing yet: files you open are listed here." in texts(page)


def test_a_file_in_the_home_folder_is_told_from_there() -> None:
    assert recent_row(RecentFile(Path.home() / "k" / "gemm.py")).text == str(Path("~/k"))


def test_until_the_machine_is_known_it_says_so(page: WelcomePage) -> None:
    assert "Looking at this machine…" in texts(page)
    page.set_machine(FINDINGS)
    assert "Looking at this machine…" not in texts(page)
    assert [row.finding.title for row in page.findChildren(FindingRow)] == [
        "TileLang 0.1.15",
        "No nvcc",
    ]


def test_a_cure_is_copied(page: WelcomePage) -> None:
    page.set_machine(FINDINGS)
    row = page.findChildren(FindingRow)[1]
    button = row.findChild(FlatToolButton)
    assert button is not None
    assert button.toolTip() == "Copy: pip install nvidia-cuda-nvcc"
    button.click()
    assert QGuiApplication.clipboard().text() == "pip install nvidia-cuda-nvcc"
    assert button.toolTip() == "Copied"


def test_a_new_list_replaces_the_one_before(page: WelcomePage, qtbot: QtBot) -> None:
    page.set_recent([Path("/k/a.py")])
    page.set_recent([Path("/k/b.py")])
    titles = [b.row.title for b in page.findChildren(LinkButton) if b.row.icon == "file"]
    assert titles == ["b.py"]


def test_a_usual_window_shows_it_whole(page: WelcomePage, qtbot: QtBot) -> None:
    page.set_machine(FINDINGS + FINDINGS[:1] * 3)
    qtbot.waitUntil(lambda: page.verticalScrollBar().maximum() == 0, timeout=1000)


@pytest.mark.parametrize("width", [400, 700, 1000, 1400])
def test_nothing_is_cut_at_the_sides(page: WelcomePage, width: int) -> None:
    page.resize(width, 700)
    content = page.widget()
    assert content is not None
    assert content.width() <= page.viewport().width()
