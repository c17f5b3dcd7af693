"""`runs list --document`, `runs attach` and `runs detach`: the runs of a file."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.runs import Run, RunKind, RunStatus, blob_hash
from workbench.session.recording import open_history

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef scale(N=4):\n    ...\n"
OTHER = TEXT.replace("4", "8")


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """A clone of a document of which two runs were imported, one of them of another text.

    A third run is of this file, and of its text.
    """
    path = tmp_path / "kernels" / "scale.py"
    path.parent.mkdir()
    path.write_text(TEXT)
    made = {"theirs": ("../tree/scale.py", TEXT), "older": ("../tree/scale.py", OTHER)}
    with open_history(tmp_path) as history:
        for day, (name, (document, text)) in enumerate(
            {"own": ("kernels/scale.py", TEXT), **made}.items()
        ):
            created = datetime(2026, 11, 1, tzinfo=timezone.utc) + timedelta(days=day)
            content = text.encode()
            run = Run(name, created, RunKind.COMPILE, RunStatus.DONE, document, blob_hash(content))
            host = "this machine" if name == "own" else "gpu1"
            history.add(Run(**{**vars(run), "kernel": "scale", "host": host}), [content])
    return path


def _ids(cli: Any, *words: object) -> list[str]:
    return [run["id"] for run in cli("runs", "list", *words, "--json").json["runs"]]


def test_runs_of_a_file_are_listed_and_others_offered(cli: Any, file: Path) -> None:
    found = cli("runs", "list", "--document", file, "--json").json
    assert [run["id"] for run in found["runs"]] == ["own"]
    assert found["document"] == {
        "path": "kernels/scale.py",
        "text": blob_hash(TEXT.encode()),
        "offered": 2,
        "offered_of_text": 1,
    }
    assert _ids(cli, "--document", file, "--offered") == ["older", "theirs"]


def test_the_list_tells_another_text_apart_and_what_is_offered(cli: Any, file: Path) -> None:
    listed = cli("runs", "list", "--document", file).stdout
    assert "2 runs from gpu1 may be of scale.py: 1 ran its text, 1 another one" in listed
    assert "in ../tree/scale.py. --offered lists them" in listed
    header, *rows = cli("runs", "list", "--document", file, "--offered").stdout.splitlines()
    at = header.index("text")
    assert [row[at:].split("  ")[0].strip() for row in rows] == ["another", "this one"]


def test_runs_are_attached_and_detached(cli: Any, file: Path) -> None:
    done = cli("runs", "attach", file)
    assert done.stdout.startswith("2 runs attached to kernels/scale.py; to take that back: ")
    assert _ids(cli, "--document", file) == ["older", "theirs", "own"]
    assert _ids(cli, "--document", file, "--offered") == []
    assert "attached   kernels/scale.py" in cli("runs", "show", "theirs").stdout
    back = cli("runs", "detach", file, "--json").json
    assert (back["document"], len(back["runs"])) == ("kernels/scale.py", 2)
    assert _ids(cli, "--document", file) == ["own"]


def test_one_run_is_attached_and_its_own_path_stays(cli: Any, file: Path) -> None:
    (run,) = cli("runs", "attach", file, "theirs", "--json").json["runs"]
    assert (run["document"], run["attached_to"]) == ("../tree/scale.py", ["kernels/scale.py"])


def test_what_was_made_from_a_file_is_not_detached_from_it(cli: Any, file: Path) -> None:
    assert cli("runs", "detach", file, "own").stdout.startswith("0 runs detached")
    assert _ids(cli, "--document", file) == ["own"]


def test_a_file_that_is_gone_still_has_its_runs(cli: Any, file: Path) -> None:
    file.unlink()
    found = cli("runs", "list", "--document", file, "--json").json
    assert [run["id"] for run in found["runs"]] == ["own"]
    assert found["document"]["offered"] is None


def test_a_moved_file_is_offered_what_it_ran_before(cli: Any, file: Path) -> None:
    moved = file.rename(file.with_name("double.py"))
    assert "own" in _ids(cli, "--document", moved, "--offered")


def test_without_a_file_nothing_is_said_of_one(cli: Any, file: Path) -> None:
    assert cli("runs", "list", "--json").json["document"] is None
    refused = cli("runs", "list", "--offered")
    assert (refused.status, "--document FILE" in refused.stderr) == (2, True)
