"""The tabs of the open documents."""

from __future__ import annotations

from pathlib import Path

import pytest
from PySide6.QtWidgets import QTabWidget, QWidget
from pytestqt.qtbot import QtBot

from workbench.session.open_document import OpenDocument
from workbench.ui.editor.buffer import DocumentBuffer
from workbench.ui.editor_area import EditorArea, EditorTab
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme


@pytest.fixture
def area(icons: Icons, qtbot: QtBot) -> EditorArea:
    area = EditorArea(icons, QWidget())
    qtbot.addWidget(area)
    return area


def opened(area: EditorArea, theme: Theme, path: str) -> EditorTab:
    document = OpenDocument.of("x = 1\n", Path(path), Path(path).name)
    return area.open(document, DocumentBuffer(theme, Path(path), area))


def titles(area: EditorArea) -> list[str]:
    tabs = area.findChild(QTabWidget)
    assert tabs is not None
    return [tabs.tabText(index) for index in range(tabs.count())]


def test_tabs_of_equal_names_name_their_folders_while_both_are_open(
    area: EditorArea, theme: Theme, qtbot: QtBot
) -> None:
    first = opened(area, theme, "/w/a/gemm.py")
    assert titles(area) == ["gemm.py"]
    with qtbot.waitSignal(area.titles_changed, timeout=1000):
        second = opened(area, theme, "/w/b/gemm.py")
    assert titles(area) == ["gemm.py — a", "gemm.py — b"]
    assert area.title_of(first) == "gemm.py — a"
    with qtbot.waitSignal(area.titles_changed, timeout=1000):
        area.remove(second)
    assert titles(area) == ["gemm.py"]


def test_a_document_of_another_name_now_says_so(
    area: EditorArea, theme: Theme, qtbot: QtBot
) -> None:
    tab = opened(area, theme, "/w/a/gemm.py")
    tab.document.path, tab.document.title = Path("/w/a/other.py"), "other.py"
    with qtbot.waitSignal(area.titles_changed, timeout=1000):
        area.update_tab(tab)
    assert area.title_of(tab) == "other.py"
