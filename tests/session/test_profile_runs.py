"""Profiles that are read from runs of the history and brought to documents."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.analysis_results import analysis, analyzed
from tests.support.profiles import WHEN, profile
from workbench.core.counters.metrics import counters_artifact
from workbench.core.plain import PlainError, to_plain
from workbench.core.profiles import CounterReport, KernelCounters
from workbench.core.runs import Run, RunKind, RunStatus, new_run_id
from workbench.core.targets.table import load_targets
from workbench.session.hosts.places import DEVICE, Place
from workbench.session.open_document import OpenDocument
from workbench.session.profile.of_document import subject_of_document
from workbench.session.profile_runs import (
    bring,
    document_of,
    has_profile,
    open_document_of,
    read_run_profile,
)
from workbench.session.recording import record_profile
from workbench.session.requests import Item
from workbench.session.session import Session, surroundings_of
from workbench.wire.events import Ended

TEXT = """\
import tilelang


@tilelang.jit
def kernel(M=16, N=8):
    return None
"""


@pytest.fixture
def session(tmp_path: Path, pump: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    (tmp_path / ".git").mkdir()
    made = Session(tmp_path, surroundings_of(pump.post, lambda call: Silent()))
    monkeypatch.setattr(made.jobs, "submit", lambda *_, **__: "job")
    yield made
    made.close()


class Silent:
    """A timer that never ends."""

    def restart(self, milliseconds: int) -> None: ...

    def stop(self) -> None: ...


def recorded(
    session: Session,
    M: int = 16,  # noqa: N803
    origin: str | None = None,
    host: str = "gpu1",
) -> Run:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.overrides = {"M": M}
    target = load_targets().resolve("h200")
    item = Item(document.parsed, document.selection(), target)
    ended = Ended("1", "done", to_plain(profile()))
    predicted = analyzed(analysis())
    run, blobs = record_profile(item, ended, session.workspace, host, predicted)
    run = replace(run, origin=origin)
    session.history().add(run, blobs)
    return session.history().get(run.id)


def test_a_run_gives_back_its_profile_its_prediction_and_its_text(session: Session) -> None:
    run = recorded(session)
    assert has_profile(run)
    found = read_run_profile(session.history(), run)
    assert found.result == profile()
    assert found.analysis is not None
    assert found.text == TEXT
    assert found.place == Place("gpu1", DEVICE)


def test_it_comes_to_the_open_document_of_the_same_text(session: Session) -> None:
    document = session.open_text(TEXT, "k.py")
    found = read_run_profile(session.history(), recorded(session, M=64))
    assert document_of(found, session) is document
    bring(found, document, session)
    assert dict(document.arguments()) == {"M": 64, "N": 8}
    latest = document.profiles.latest
    assert latest is not None
    assert (latest.target, latest.revision, latest.run) == (
        "h200",
        document.revision,
        found.run.id,
    )
    assert document.targets[0] == "h200"
    assert document.analyses.good["h200"].level == 2


def test_another_text_is_opened_as_it_was(session: Session) -> None:
    session.open_text(TEXT + "\n# changed\n", "k.py")
    found = read_run_profile(session.history(), recorded(session))
    assert document_of(found, session) is None
    opened = open_document_of(found, session)
    assert opened.text == TEXT
    assert session.trusts(opened)


def test_a_text_from_elsewhere_is_not_run_before_it_is_saved(
    session: Session, tmp_path: Path
) -> None:
    run = recorded(session, origin="runs.tlw.zip, from gpu1")
    opened = open_document_of(read_run_profile(session.history(), run), session)
    assert not session.trusts(opened)
    assert "save it into a folder that you trust" in opened.why_untrusted
    session.trust.grant(tmp_path)
    session.rename(opened, tmp_path / "k.py")
    assert session.trusts(opened)


@pytest.mark.parametrize(
    ("origin", "where"),
    [
        (None, "the GPU of this machine"),
        ("runs.tlw.zip, from gpu1", "the GPU of gpu1"),
        ("runs.tlw.zip", "the GPU of another machine"),
    ],
)
def test_this_machine_is_another_one_where_the_run_was_imported(
    session: Session, origin: str | None, where: str
) -> None:
    run = recorded(session, origin=origin, host="this machine")
    found = read_run_profile(session.history(), run)
    opened = open_document_of(found, session)
    bring(found, opened, session)
    assert subject_of_document(opened, session, None, "").where == where


def test_a_profilers_report_has_counters_alone(session: Session) -> None:
    kernel = KernelCounters("main", {"launch__grid_size": 4.0}, device="NVIDIA H200", arch="sm_90")
    artifact, content = counters_artifact(CounterReport("Nsight Compute", (kernel,)))
    run = Run(
        new_run_id(WHEN),
        WHEN,
        RunKind.PROFILE,
        RunStatus.DONE,
        kernel="main",
        artifacts=(artifact,),
        origin="main.ncu-rep",
    )
    session.history().add(run, [content])
    found = read_run_profile(session.history(), run)
    assert found.text is None
    assert found.result.latency is None
    assert found.result.device is not None
    assert found.result.device.name == "NVIDIA H200"


def test_a_run_without_a_profile_says_so(session: Session) -> None:
    run = Run(new_run_id(WHEN), WHEN, RunKind.COMPILE, RunStatus.DONE)
    assert not has_profile(run)
    with pytest.raises(PlainError, match="stores no profile"):
        read_run_profile(session.history(), run)
