"""The profile that a view of a file without one is offered."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.support.profiles import profile
from tests.support.stored_profiles import TEXT, stored_run
from workbench.core.history import FileIdentity, History
from workbench.core.runs import Run, RunStatus, blob_hash
from workbench.session.known_profiles import known_profile, sentence_of

FILE = FileIdentity("clone/kernel.py", blob_hash(TEXT.encode()), ("kernel",))
OTHER = b"another text"


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite") as opened:
        yield opened


def add(history: History, number: int, text: bytes = TEXT.encode(), **fields: Any) -> Run:
    """A profile of so many hours later, of a text."""
    run, contents = stored_run(profile())
    others = [each for each in contents if blob_hash(each) != run.text_blob]
    created = run.created + timedelta(hours=number)
    made = {"id": f"run{number}", "created": created, "text_blob": blob_hash(text)}
    filed = replace(run, **{**made, **fields})
    history.add(filed, [text, *others])
    return filed


def chosen(history: History) -> str | None:
    found = known_profile(history, FILE, "kernel", TEXT)
    return found.run if found is not None else None


def test_a_profile_of_the_text_comes_before_newer_ones(history: History) -> None:
    add(history, 0, document="a/kernel.py")
    add(history, 1, OTHER, document=FILE.path)
    assert chosen(history) == "run0"


def test_without_one_of_the_text_the_files_own_comes_first(history: History) -> None:
    add(history, 0, OTHER, document=FILE.path)
    add(history, 1, OTHER, document="a/kernel.py")
    assert chosen(history) == "run0"


def test_a_profile_of_the_code_comes_before_one_of_another(history: History) -> None:
    said = TEXT.replace("import", "# measured\nimport", 1).encode()
    add(history, 0, said, document="a/kernel.py")
    add(history, 1, OTHER, document=FILE.path)
    found = known_profile(history, FILE, "kernel", TEXT)
    assert found is not None
    assert found.run == "run0"
    assert found.sentence.endswith("of this code (a/kernel.py).")


def test_what_failed_or_is_of_another_kernel_is_not_offered(history: History) -> None:
    add(history, 0, document=FILE.path, status=RunStatus.FAILED)
    add(history, 1, document=FILE.path, kernel="other")
    assert chosen(history) is None


def test_it_is_told_where_it_was_measured_and_of_which_text(history: History) -> None:
    run = add(history, 0, OTHER, document="a/kernel.py", host="gpu1", case="square")
    told = sentence_of(run, FILE, run.created.astimezone().date())
    assert told == (
        f"Measured today on {run.device} of gpu1: 359 µs for square, of another text (a/kernel.py)."
    )
    own = replace(run, attached_to=(FILE.path,), text_blob=FILE.text, host="this machine")
    words = sentence_of(own, FILE, date(2020, 1, 1))
    assert words.startswith(f"Measured {run.created.astimezone().day} ")
    assert words.endswith(f" on {run.device}: 359 µs for square, of this very text.")
