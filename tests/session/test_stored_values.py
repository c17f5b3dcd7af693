"""What runs stored is read back, and what is lost is None."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.profiles import profile
from tests.support.stored_profiles import stored_run
from workbench.core.history import History
from workbench.core.runs import Artifact
from workbench.session.stored_values import stored_profile, stored_value


@pytest.fixture
def history(tmp_path: Path) -> Iterator[History]:
    with History(tmp_path / "history.sqlite3") as opened:
        yield opened


def test_a_profile_comes_back_with_every_sample(history: History) -> None:
    run, contents = stored_run(profile())
    history.add(run, contents)
    assert stored_profile(history, run) == profile()


def test_a_run_of_another_kind_has_no_profile(history: History) -> None:
    run, _ = stored_run(profile())
    assert stored_profile(history, replace(run, artifacts=())) is None


def test_a_profile_that_is_stored_no_more_is_none(history: History) -> None:
    run, _ = stored_run(profile())
    history.add(run)
    assert stored_profile(history, run) is None


@pytest.mark.parametrize(
    ("media_type", "content", "value"),
    [
        ("application/json", b'{"a": [1]}', {"a": [1]}),
        ("application/json", b"{", None),
        ("text/plain", b"code", "code"),
        ("application/octet-stream", b"\x00\x01", None),
    ],
)
def test_a_content_is_told_by_its_kind(
    history: History, media_type: str, content: bytes, value: object
) -> None:
    run, _ = stored_run(profile())
    artifact = Artifact.of("a", media_type, content)
    history.add(replace(run, artifacts=(artifact,)), [content])
    assert stored_value(history, artifact) == value
