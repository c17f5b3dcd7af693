"""Runs that an NVIDIA H200 gave (driver 580, TileLang 0.1.15) feed every view of them.

`tests/data/profiles/h200.tlw.zip` has five of them; the counters of two are Nsight Compute's.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from workbench.core.plain import to_plain
from workbench.session.lenses.banks.picture import banks_picture
from workbench.session.lenses.occupancy.picture import occupancy_picture
from workbench.session.lenses.roofline.picture import RooflinePicture, roofline_picture
from workbench.session.lenses.subject import lens_subject
from workbench.session.open_document import OpenDocument
from workbench.session.profile.of_document import subject_of_document
from workbench.session.profile.view import ProfileView, profile_view
from workbench.session.profile_runs import bring, open_document_of, read_run_profile
from workbench.session.run_files import import_file
from workbench.session.session import Session, surroundings_of
from workbench.session.vital_signs import vital_signs

ARCHIVE = Path(__file__).resolve().parents[2] / "data" / "profiles" / "h200.tlw.zip"
SAID = {
    "gemm.py": (
        "14.5 µs on an NVIDIA H200, 19 % of its measured matmul rate, 0.437 × the speed of "
        "torch_matmul; predicted 13.4 µs (−8.1 %)."
    ),
    "large_gemm.py": (
        "358 µs on an NVIDIA H200, 50 % of its measured matmul rate, 0.549 × the speed of "
        "ref_program; predicted 338 µs (−5.7 %)."
    ),
    "softmax.py": (
        "16.9 µs on an NVIDIA H200, 47 % of its measured copy bandwidth, 4.50 × the speed of "
        "ref_program; predicted 10.8 µs (−36 %)."
    ),
    "transpose.py": (
        "7.33 µs on an NVIDIA H200, 27 % of its measured copy bandwidth, 1.24 × the speed of "
        "ref_program; predicted 6.99 µs (−4.5 %). All 38 exact predictions are as measured."
    ),
}


class Silent:
    """A timer that never ends."""

    def restart(self, milliseconds: int) -> None: ...

    def stop(self) -> None: ...


@pytest.fixture
def session(tmp_path: Path, pump: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[Session]:
    (tmp_path / ".git").mkdir()
    made = Session(tmp_path, surroundings_of(pump.post, lambda call: Silent()))
    monkeypatch.setattr(made.jobs, "submit", lambda *_, **__: "job")
    imported = import_file(made.history(), ARCHIVE)
    assert (len(imported.added), imported.problems, imported.absent) == (5, (), 0)
    yield made
    made.close()


def opened(session: Session, name: str) -> OpenDocument:
    """The document of a run, with what the run holds."""
    history = session.history()
    run = next(run for run in history.list().runs if run.document == name)
    found = read_run_profile(history, run)
    document = open_document_of(found, session)
    bring(found, document, session)
    return document


def view_of(session: Session, name: str) -> ProfileView:
    return profile_view(subject_of_document(opened(session, name), session, None, ""))


@pytest.mark.parametrize("name", SAID)
def test_the_conclusion(session: Session, name: str) -> None:
    assert view_of(session, name).conclusion == SAID[name]


def test_every_part_of_the_pane_is_there(session: Session) -> None:
    view = view_of(session, "transpose.py")
    assert view.samples is not None
    assert [lane.name for lane in view.samples.lanes] == ["kernel", "ref_program"]
    assert [share.share is not None for share in view.shares] == [True]
    assert any(said.text.startswith("The middle 80 %") for said in view.trust)
    assert {row.verdict for row in view.numbers.compared if not row.estimate} <= {
        "equal",
        "unknown",
    }
    assert len(view.numbers.counters) > 400


def test_the_time_of_a_long_kernel_follows_the_clock(session: Session) -> None:
    view = view_of(session, "large_gemm.py")
    assert view.samples is not None
    assert view.samples.order.drift is not None
    assert any("MHz" in said.text for said in view.trust)


def test_the_lenses_have_it_beside_what_they_predict(session: Session) -> None:
    document = opened(session, "transpose.py")
    subject = lens_subject(document, session)
    (target,) = subject.targets
    assert target.measured is not None
    banks = banks_picture(subject, target)
    assert banks is not None
    assert banks.measured == (
        "Measured on NVIDIA H200: 1,081,344 wavefronts, as predicted; so is every kind of access."
    )
    occupancy = occupancy_picture(subject)
    assert not isinstance(occupancy, str)
    assert occupancy.columns[0].measured.endswith("reached of 100 %")


def test_the_roofline_has_its_solid_point(session: Session) -> None:
    document = opened(session, "gemm.py")
    subject = lens_subject(document, session)
    target = subject.target("h200")
    assert target is not None
    assert target.measured is not None
    assert target.measured.time_us is not None
    picture = roofline_picture(subject, {"h200": target.measured.time_us})
    assert isinstance(picture, RooflinePicture)
    assert "Measured on H200: 148 TFLOP/s, 161 predicted." in picture.conclusion


def test_another_lowering_has_its_own_predictions(session: Session) -> None:
    document = opened(session, "attention.py")
    latest = document.profiles.latest
    assert latest is not None
    assert latest.target == "h200:sm_80"
    view = profile_view(subject_of_document(document, session, None, ""))
    assert view.numbers.short_verdict == "All 38 exact predictions are as measured."


def test_the_status_bar_tells_it(session: Session) -> None:
    document = opened(session, "gemm.py")
    signs = vital_signs(document, session.targets.resolve("h200"))
    assert signs is not None
    assert [sign.text for sign in signs.measured] == ["14.5\N{NO-BREAK SPACE}µs measured"]


def test_a_run_from_elsewhere_is_looked_at_and_not_run(session: Session) -> None:
    document = opened(session, "gemm.py")
    assert not session.trusts(document)
    assert to_plain(document.profiles.newest["h200"].result)["failure"] is None
