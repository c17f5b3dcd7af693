from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from pathlib import Path

import jedi
import parso.cache
import pytest
from PySide6.QtCore import QProcess
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from workbench.ui.editor import jedi_helper, jedi_provider
from workbench.ui.editor.completion import Completion
from workbench.ui.editor.jedi_provider import MAX_STARTS, JediProvider

TEXT = "import json\njson.du"
PATIENCE = 240_000


@pytest.fixture
def provider(qtbot: QtBot) -> Iterator[JediProvider]:
    provider = JediProvider()
    yield provider
    provider.close()


@pytest.fixture(scope="module")
def started(qapp: QApplication) -> Iterator[JediProvider]:
    """One whose helper is on its way: to get ready it reads tilelang, which takes many seconds."""
    provider = JediProvider()
    provider.start()
    yield provider
    provider.close()


def ask(**values: object) -> dict[str, object]:
    request = {"id": 1, "kind": "complete", "text": TEXT, "line": 2, "column": 7, "path": None}
    return jedi_helper.answer(request | values, jedi.InterpreterEnvironment())


def test_the_helper_completes() -> None:
    assert ask()["items"] == [
        {"name": "dump", "kind": "function"},
        {"name": "dumps", "kind": "function"},
    ]


def test_the_helper_finds_parameters() -> None:
    text = "def f(a, b=1): 'Adds.'\nf(1, "
    found = ask(kind="signatures", text=text, column=5)["items"][0]
    assert found == {"name": "f", "parameters": ["a", "b=1"], "index": 1, "summary": "Adds."}


def test_a_fault_is_told_and_the_helper_goes_on() -> None:
    made = ask(line=99)
    assert made["items"] == []
    assert "ValueError" in made["error"]


def test_what_jedi_kept_in_half_is_made_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A helper that is killed while it writes leaves half a file, which Jedi cannot read."""
    monkeypatch.setattr(jedi.settings, "cache_directory", str(tmp_path / "kept"))
    (tmp_path / "helped.py").write_text("def helped(): ...\n")
    asked = {"text": "import helped\nhelped.hel", "column": 10, "path": str(tmp_path / "a.py")}
    whole = ask(**asked)["items"]
    assert whole == [{"name": "helped", "kind": "function"}]
    kept = list((tmp_path / "kept").rglob("*.pkl"))
    assert kept
    for file in kept:
        file.write_bytes(file.read_bytes()[:20])
    parso.cache.parser_cache.clear()  # as in the next process
    assert ask(**asked) == {"id": 1, "items": whole}


def test_the_helper_says_that_it_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(jedi_helper.WARM_UP, "text", "\n  ")
    request = {"id": 7, "kind": "complete", "text": TEXT, "line": 2, "column": 7, "path": None}
    answers = io.StringIO()
    jedi_helper.serve(io.StringIO(json.dumps(request) + "\n"), answers)
    assert [json.loads(line)["id"] for line in answers.getvalue().splitlines()] == [0, 7]


@pytest.mark.slow
def test_of_several_requests_the_newest_is_answered(qtbot: QtBot, started: JediProvider) -> None:
    numbers: list[int] = []
    started.completed.connect(lambda number, items: numbers.append(number))
    asked = [started.complete(TEXT, 2, 7, None) for _ in range(3)]
    qtbot.waitUntil(lambda: asked[-1] in numbers, timeout=PATIENCE)
    # A helper that was ready by then has begun the first.
    assert numbers in (asked[-1:], [asked[0], asked[-1]])


@pytest.mark.slow
def test_names_of_tilelang_come_from_one_process(
    qtbot: QtBot, started: JediProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jedi_provider, "ANSWER_MILLISECONDS", PATIENCE)  # also on a busy machine
    text = "import tilelang.language as T\nT.alloc_s"
    loaded = set(sys.modules)  # other tests of this process may have tilelang loaded
    with qtbot.waitSignal(started.completed, timeout=PATIENCE) as answered:
        number = started.complete(text, 2, 9, None)
    assert answered.args == [number, (Completion("alloc_shared", "function"),)]
    assert "tilelang" not in set(sys.modules) - loaded


def test_closing_ends_the_helper_and_starts_no_other(qtbot: QtBot) -> None:
    provider = JediProvider()
    provider.complete(TEXT, 2, 7, None)
    process = provider._process
    assert process is not None
    provider.close()
    assert process.state() is QProcess.ProcessState.NotRunning
    provider.complete(TEXT, 2, 7, None)
    assert provider._process is None


def test_a_helper_that_ends_again_and_again_is_given_up(
    qtbot: QtBot, provider: JediProvider, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    reasons: list[str] = []
    provider.gave_up.connect(reasons.append)
    for _ in range(MAX_STARTS):
        provider.complete(TEXT, 2, 7, None)
        qtbot.waitUntil(lambda: provider._process is None)
    assert len(reasons) == 1
    assert "stays off" in reasons[0]
