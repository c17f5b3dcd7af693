from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest
from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtGui import QGuiApplication
from pytestqt.qtbot import QtBot

from workbench.core.runs import Run, RunKind, RunStatus
from workbench.ui.navigator import Navigator
from workbench.ui.navigator.nodes import PatternEntry
from workbench.ui.navigator.tree import NavigatorTree
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import FlatToolButton
from workbench.ui.widgets.severity import GOOD

RUN = Run(
    "r1",
    datetime(2026, 11, 29, tzinfo=timezone.utc),
    RunKind.VERIFY,
    RunStatus.DONE,
    kernel="gemm",
)


def tree_of(navigator: Navigator) -> NavigatorTree:
    tree = navigator.findChild(NavigatorTree)
    assert tree is not None
    return tree


def index_of(navigator: Navigator, key: str) -> QModelIndex:
    index = tree_of(navigator)._nodes.find(key)
    assert index.isValid(), key
    return index


def click(navigator: Navigator, key: str, qtbot: QtBot) -> None:
    tree = tree_of(navigator)
    point = tree.visualRect(index_of(navigator, key)).center()
    qtbot.mouseClick(tree.viewport(), Qt.MouseButton.LeftButton, pos=point)


def names(navigator: Navigator, workspace: Path) -> list[str]:
    return [path.relative_to(workspace).as_posix() for path in navigator.files]


def test_the_kernels_of_the_workspace_are_found(navigator: Navigator, workspace: Path) -> None:
    assert names(navigator, workspace) == [
        "gemm.py",
        "softmax.py",
        "fp8/scaled/gemm_fp8.py",
        "models/mla.py",
    ]


def test_a_click_opens_a_file(navigator: Navigator, workspace: Path, qtbot: QtBot) -> None:
    path = str(workspace / "models" / "mla.py")
    with qtbot.waitSignal(navigator.file_activated, timeout=1000) as heard:
        click(navigator, f"file:{path}", qtbot)
    assert heard.args == [path]


def test_enter_opens_a_file(navigator: Navigator, workspace: Path, qtbot: QtBot) -> None:
    path = str(workspace / "gemm.py")
    tree_of(navigator).setCurrentIndex(index_of(navigator, f"file:{path}"))
    with qtbot.waitSignal(navigator.file_activated, timeout=1000) as heard:
        qtbot.keyClick(tree_of(navigator), Qt.Key.Key_Return)
    assert heard.args == [path]


def test_a_shipped_kernel_opens_as_a_copy(navigator: Navigator, qtbot: QtBot) -> None:
    with qtbot.waitSignal(navigator.library_activated, timeout=1000) as heard:
        click(navigator, "library:/shipped/gemm.py", qtbot)
    assert heard.args == ["/shipped/gemm.py"]


def test_a_run_is_shown_by_its_id(navigator: Navigator, qtbot: QtBot) -> None:
    navigator.set_runs([RUN])
    with qtbot.waitSignal(navigator.run_activated, timeout=1000) as heard:
        click(navigator, "run:r1", qtbot)
    assert heard.args == ["r1"]


def test_without_a_workspace_one_is_asked_for(navigator: Navigator, qtbot: QtBot) -> None:
    navigator.set_workspace(None)
    with qtbot.waitSignal(navigator.open_folder_requested, timeout=1000):
        click(navigator, "open-folder", qtbot)
    assert navigator.files == ()


def test_a_new_file_appears_when_looked_for_again(
    navigator: Navigator, workspace: Path, qtbot: QtBot
) -> None:
    (workspace / "new.py").write_text("import tilelang\n", encoding="utf-8")
    with qtbot.waitSignal(navigator.files_changed, timeout=5000):
        navigator.refresh()
    assert "new.py" in names(navigator, workspace)


def test_a_click_folds_a_folder_and_a_new_search_leaves_it(
    navigator: Navigator, workspace: Path, qtbot: QtBot
) -> None:
    key = f"folder:{workspace / 'models'}"
    click(navigator, key, qtbot)
    (workspace / "new.py").write_text("import tilelang\n", encoding="utf-8")
    with qtbot.waitSignal(navigator.files_changed, timeout=5000):
        navigator.refresh()
    assert not tree_of(navigator).isExpanded(index_of(navigator, key))


def test_the_file_in_the_editor_is_selected(navigator: Navigator, workspace: Path) -> None:
    path = workspace / "softmax.py"
    navigator.set_current_file(path)
    assert tree_of(navigator).selectedIndexes() == [index_of(navigator, f"file:{path}")]
    navigator.set_current_file(None)
    assert tree_of(navigator).selectedIndexes() == []


def test_a_file_is_selected_when_it_is_found(
    navigator: Navigator, workspace: Path, qtbot: QtBot
) -> None:
    path = workspace / "new.py"
    navigator.set_current_file(path)
    assert tree_of(navigator).selectedIndexes() == []
    path.write_text("import tilelang\n", encoding="utf-8")
    with qtbot.waitSignal(navigator.files_changed, timeout=5000):
        navigator.refresh()
    assert tree_of(navigator).selectedIndexes() == [index_of(navigator, f"file:{path}")]


def test_a_mark_is_painted(navigator: Navigator, workspace: Path, theme: Theme) -> None:
    path = workspace / "gemm.py"
    before = navigator.grab().toImage()
    navigator.set_status(path, GOOD)
    assert navigator.grab().toImage() != before
    navigator.set_status(path, None)
    assert navigator.grab().toImage() == before


def test_folded_it_is_a_rail(navigator: Navigator, qtbot: QtBot) -> None:
    with qtbot.waitSignal(navigator.collapsed_changed, timeout=1000) as heard:
        navigator.set_collapsed(True)
    assert heard.args == [True]
    assert navigator.maximumWidth() == METRICS.rail_width


def test_the_rail_leads_back_to_a_section(navigator: Navigator) -> None:
    navigator.set_collapsed(True)
    button = next(
        b for b in navigator.rail.findChildren(FlatToolButton) if b.toolTip().startswith("Library")
    )
    button.click()
    assert not navigator.collapsed
    tree = tree_of(navigator)
    assert tree.currentIndex() == index_of(navigator, "library:/shipped/gemm.py")


def test_the_menu_of_a_file_does_what_it_says(
    navigator: Navigator, workspace: Path, qtbot: QtBot
) -> None:
    tree = tree_of(navigator)
    path = str(workspace / "gemm.py")
    node = tree._nodes.node(index_of(navigator, f"file:{path}"))
    actions = {action.text(): action for action in navigator.menu_of(node).actions()}
    with qtbot.waitSignal(navigator.file_activated, timeout=1000):
        actions["Open"].trigger()
    with qtbot.waitSignal(navigator.reveal_requested, timeout=1000) as heard:
        actions["Show in the File Manager"].trigger()
    actions["Copy Path"].trigger()
    assert [*heard.args, QGuiApplication.clipboard().text()] == [path, path]


def test_the_state_comes_back(
    navigator: Navigator, theme: Theme, icons: Icons, qtbot: QtBot
) -> None:
    click(navigator, "library", qtbot)
    navigator.set_collapsed(True)
    other = Navigator(theme, icons)
    qtbot.addWidget(other)
    other.restore(navigator.state())
    assert other.state() == navigator.state()
    assert other.state()["folded"] == ["library", "patterns"]


@pytest.mark.parametrize("state", [{}, {"version": 2}])
def test_a_state_not_understood_folds_nothing(
    navigator: Navigator, state: dict[str, object]
) -> None:
    before = navigator.state()
    navigator.restore(state)
    assert navigator.state() == before


def test_an_entry_not_understood_folds_nothing(navigator: Navigator) -> None:
    navigator.restore({"version": 1, "folded": [3]})
    assert navigator.state()["folded"] == []


def test_the_age_of_a_run_is_told_anew(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    now = [RUN.created]
    navigator = Navigator(theme, icons, clock=lambda: now[0])
    qtbot.addWidget(navigator)
    navigator.set_runs([RUN])
    navigator.show()
    details = []
    for minutes in (0, 7):
        now[0] = RUN.created + timedelta(minutes=minutes)
        navigator._ageing.timeout.emit()
        details.append(tree_of(navigator)._nodes.node(index_of(navigator, "run:r1")).detail)
    assert [detail.rsplit(" · ", 1)[-1] for detail in details] == ["just now", "7 min ago"]
    navigator.hide()
    assert not navigator._ageing.isActive()


def test_patterns_are_folded_until_somebody_wants_them(navigator: Navigator, qtbot: QtBot) -> None:
    assert navigator.state()["folded"] == ["patterns"]
    navigator.set_patterns([PatternEntry("gemm", "Matrix multiplication", "C = A B")])
    click(navigator, "patterns", qtbot)

    with qtbot.waitSignal(navigator.pattern_activated) as heard:
        click(navigator, "pattern:gemm", qtbot)

    assert heard.args == ["gemm"]


def test_a_new_kernel_leaves_the_pattern_open(navigator: Navigator, qtbot: QtBot) -> None:
    click(navigator, "patterns", qtbot)

    with qtbot.waitSignal(navigator.pattern_activated) as heard:
        click(navigator, "new-kernel", qtbot)

    assert heard.args == [""]
