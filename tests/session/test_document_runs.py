"""The words in which runs of other paths are offered to a file."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from workbench.core.history import FileIdentity, History
from workbench.core.runs import Run, RunKind, RunStatus, blob_hash, new_run_id
from workbench.session.document_runs import Offer, identity_of, offer_of, ran_text
from workbench.session.run_marking import Marking

NOW = datetime(2026, 11, 30, tzinfo=timezone.utc)
FILE = FileIdentity("kernels/gemm.py", blob_hash(b"text"), ("matmul",))


def run_of(document: str | None, host: str, text: bytes | None = b"text") -> Run:
    blob = None if text is None else blob_hash(text)
    kind, status = RunKind.PROFILE, RunStatus.DONE
    return Run(new_run_id(NOW), NOW, kind, status, document, blob, kernel="matmul", host=host)


@pytest.mark.parametrize(
    ("offer", "sentence"),
    [
        (Offer(FILE), ""),
        (Offer(FILE, 1, 1, ("a.py",)), "1 run may be of gemm.py: it ran its text, in a.py."),
        (
            Offer(FILE, 12, 12, ("../a/gemm.py",), ("gpu1",)),
            "12 runs from gpu1 may be of gemm.py: all ran its text, in ../a/gemm.py.",
        ),
        (
            Offer(FILE, 5, 2, ("a.py", "b.py"), ("x", "y", "z")),
            "5 runs from 3 machines may be of gemm.py: "
            "2 ran its text, 3 another one, in a.py and b.py.",
        ),
        (
            Offer(FILE, 2, 0, ("a", "b", "c")),
            "2 runs may be of gemm.py: all ran another text, in 3 other files.",
        ),
    ],
)
def test_an_offer_says_whence_and_of_which_text(offer: Offer, sentence: str) -> None:
    assert offer.sentence == sentence


def test_an_offer_names_no_host_for_this_machine(tmp_path: Path) -> None:
    with History(tmp_path / "history.sqlite") as history:
        history.add(run_of("a.py", "this machine"), [b"text"])
        history.add(run_of(None, "gpu1"), [b"text"])
        history.add(run_of("kernels/gemm.py", "gpu1"), [b"text"])
        offer = offer_of(history, FILE)
    assert (offer.runs, offer.of_text, offer.hosts) == (2, 2, ("gpu1",))
    assert set(offer.paths) == {"a.py", "an unsaved document"}


def test_a_file_is_known_by_its_path_from_the_workspace(tmp_path: Path) -> None:
    found = identity_of(tmp_path / "kernels" / "gemm.py", "text", ["matmul"], tmp_path)
    assert found == FILE
    assert found.name == "gemm.py"


def test_a_run_tells_whether_it_ran_a_text() -> None:
    told = [ran_text(run_of("a.py", "x", text), FILE.text) for text in (b"text", b"other", None)]
    assert told == [True, False, None]


def test_a_run_is_attached_once_and_keeps_its_own_file() -> None:
    run = run_of("a.py", "x")
    attached = Marking(attach=("b.py", "a.py")).of(Marking(attach=("b.py",)).of(run))
    assert attached.attached_to == ("b.py",)
    assert Marking(detach=("b.py", "a.py")).of(attached) == run
