from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path

import pytest

from workbench.core.runs import Run, RunKind, RunStatus
from workbench.ui.navigator.nodes import (
    LibraryEntry,
    Node,
    NodeKind,
    ago,
    library_section,
    runs_section,
    workspace_section,
)

NOW = datetime(2026, 11, 29, 14, 4, tzinfo=timezone.utc)
ROOT = Path("/home/me/kernels")


def outline(node: Node) -> list[object]:
    return [
        [child.text, outline(child)] if child.children else child.text for child in node.children
    ]


def section(*names: str) -> Node:
    return workspace_section(ROOT, [ROOT / name for name in names])


def test_files_stand_in_their_folders_after_the_folders() -> None:
    assert outline(section("gemm.py", "models/mla.py", "models/moe.py")) == [
        ["models", ["mla.py", "moe.py"]],
        "gemm.py",
    ]


def test_a_folder_of_one_folder_is_one_row() -> None:
    assert outline(section("a/b/c/x.py", "a/b/c/y.py")) == [["a/b/c", ["x.py", "y.py"]]]


def test_a_folder_with_a_file_beside_its_folder_is_not_joined() -> None:
    assert outline(section("a/x.py", "a/b/y.py")) == [["a", [["b", ["y.py"]], "x.py"]]]


def test_a_file_carries_its_path() -> None:
    (folder,) = section("models/mla.py").children
    assert folder.children[0].payload == str(ROOT / "models/mla.py")


def test_keys_are_unique() -> None:
    keys: list[str] = []
    waiting = [section("a/x.py", "a/b/x.py", "b/x.py", "x.py")]
    while waiting:
        node = waiting.pop()
        keys.append(node.key)
        waiting.extend(node.children)
    assert len(keys) == len(set(keys))


def test_without_a_workspace_one_can_be_opened() -> None:
    assert [child.kind for child in workspace_section(None, ()).children] == [NodeKind.ACTION]


def test_an_empty_workspace_says_so() -> None:
    assert outline(workspace_section(ROOT, ())) == ["No kernels in this folder"]
    assert outline(workspace_section(ROOT, (), searching=True)) == ["Looking for kernels…"]


def test_a_shipped_kernel_has_a_lock_and_says_why() -> None:
    (node,) = library_section([LibraryEntry("GEMM", Path("/lib/gemm.py"), "C = A B")]).children
    assert (node.icon, node.tip) == ("lock", "C = A B\nShipped: opens as a copy")


def test_a_run_tells_what_was_done_with_which_case_and_when() -> None:
    fields = {"kernel": "gemm", "case": "large", "target": "h100", "args": {"M": 4096}}
    created = NOW - timedelta(minutes=2, seconds=5)
    run = Run("a", created, RunKind.VERIFY, RunStatus.FAILED, **fields)
    (node,) = runs_section([run], NOW).children
    assert (node.text, node.detail) == ("gemm · large", "Verify · h100 · 2 min ago")
    assert (node.icon, node.look and node.look.word) == ("error", "Failed")
    assert "Verify, failed: gemm · large for h100" in node.tip
    assert "M = 4096" in node.tip


@pytest.mark.parametrize(
    ("passed", "said"),
    [
        (timedelta(seconds=-3), "just now"),
        (timedelta(seconds=59), "just now"),
        (timedelta(minutes=59, seconds=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=3), "26 Nov"),
        (timedelta(days=400), "25 Oct 2025"),
    ],
)
def test_how_long_ago_a_run_was(passed: timedelta, said: str) -> None:
    assert ago(NOW - passed, NOW) == said


def test_the_workspace_is_named_with_its_folder_and_says_where_it_is() -> None:
    node = section("gemm.py")
    assert node.text == "Workspace · kernels"
    assert str(ROOT) in node.tip


def test_without_runs_the_section_says_so() -> None:
    assert outline(runs_section([], NOW)) == ["No runs yet"]
