"""What a decorator offers the form of a sweep: read off the source, else by a worker."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest

from tests.session.conftest import Pump
from tests.support.sweep_points import KERNELS, Clock
from tests.support.tuned_documents import SIX, UNTOLD, tuned
from workbench.core.jobs import ConfigurationsRequest, ConfigurationsResult, Failure
from workbench.core.plain import to_plain
from workbench.core.sweeps.space import SpaceError
from workbench.core.targets.table import load_targets
from workbench.session.open_document import OpenDocument
from workbench.session.sweeps.desk import SweepDesk
from workbench.session.sweeps.form import plan_of
from workbench.session.sweeps.offering import Offer
from workbench.wire.events import Ended


@dataclass
class Place:
    """A desk whose worker answers with what a test says."""

    desk: SweepDesk
    pump: Pump
    clock: Clock
    asked: list[ConfigurationsRequest] = field(default_factory=list)

    def offered(self, document: OpenDocument) -> Offer:
        """What the form gets for a document, once it is known."""
        self.desk.begin_form(document)
        self.pump.until(lambda: not self.offer.is_pending)
        return self.offer

    @property
    def offer(self) -> Offer:
        assert self.desk.form is not None
        assert self.desk.form.offer is not None
        return self.desk.form.offer


@pytest.fixture
def make_place(tmp_path: Path, pump: Pump) -> Callable[..., Place]:
    def make(result: ConfigurationsResult | None = None, trusted: bool = True) -> Place:
        clock = Clock()
        asked: list[ConfigurationsRequest] = []

        def ask(request: ConfigurationsRequest, on_end: Callable[[Ended], None]) -> None:
            asked.append(request)
            pump.post(lambda: on_end(Ended("job", "done", to_plain(result))))

        desk = SweepDesk(
            tmp_path, load_targets(), clock.make, pump.post, ask, lambda _: trusted, lambda: ()
        )
        return Place(desk, pump, clock, asked)

    return make


def test_the_form_offers_the_decorators_configurations_and_takes_them(
    make_place: Callable[..., Place], tmp_path: Path
) -> None:
    place = make_place()
    document = tuned(tmp_path)
    offer = place.offered(document)
    assert offer.title == "The decorator's 6 configurations"
    assert offer.note == "With values of block, threads"
    assert not place.asked
    form = place.desk.form
    assert form is not None
    plan = plan_of(form, document, tmp_path)
    assert len(plan.configurations) == 6
    assert plan.axes == ()
    while place.clock.elapse():
        pass
    assert place.desk.sieve.result.total == 6
    other = form.with_field("factor", "2, 3", varied=True)
    assert plan_of(other, document, tmp_path).space.size == 12


def test_without_them_it_is_a_form_as_any(make_place: Callable[..., Place], tmp_path: Path) -> None:
    place = make_place()
    document = tuned(tmp_path)
    place.offered(document)
    assert place.desk.form is not None
    form = replace(place.desk.form, takes_offer=False)
    assert [axis.name for axis in plan_of(form, document, tmp_path).axes] == ["block"]


def test_a_kernel_without_a_decorator_offers_nothing(
    make_place: Callable[..., Place], tmp_path: Path
) -> None:
    path = tmp_path / "gemm.py"
    path.write_bytes((KERNELS / "gemm.py").read_bytes())
    place = make_place()
    place.desk.begin_form(OpenDocument.of(path.read_text("utf-8"), path, path.name))
    assert place.desk.form is not None
    assert place.desk.form.offer is None


def test_a_worker_runs_a_trusted_document_where_the_source_does_not_tell(
    make_place: Callable[..., Place], tmp_path: Path
) -> None:
    place = make_place(ConfigurationsResult(None, ({"block": 32, "threads": 64},)))
    document = tuned(tmp_path, UNTOLD)
    place.desk.begin_form(document)
    assert place.desk.form is not None
    with pytest.raises(SpaceError, match="are being read"):
        plan_of(place.desk.form, document, tmp_path)
    place.pump.until(lambda: not place.offer.is_pending)
    assert place.offer.title == "The decorator's configuration"
    (request,) = place.asked
    assert (request.kernel.name, request.source.trusted) == ("scale", True)
    assert request.kernel.args["M"] == 1024


def test_an_untrusted_document_is_not_run(make_place: Callable[..., Place], tmp_path: Path) -> None:
    place = make_place(trusted=False)
    offer = place.offered(tuned(tmp_path, UNTOLD))
    assert not place.asked
    assert "`os` is not known before the file runs (line 9)" in offer.problem
    assert "Trust its folder" in offer.problem


def test_what_fails_when_it_is_run_is_said_without_options(
    make_place: Callable[..., Place], tmp_path: Path
) -> None:
    place = make_place(ConfigurationsResult(Failure("kernel", "KeyError: 'BLOCK'")))
    offer = place.offered(tuned(tmp_path, UNTOLD))
    assert "running it failed: KeyError: 'BLOCK'" in offer.problem
    assert "--" not in offer.problem


def test_the_answer_for_an_earlier_document_is_dropped(
    make_place: Callable[..., Place], tmp_path: Path
) -> None:
    place = make_place(ConfigurationsResult(None, ({"block": 32, "threads": 64},)))
    place.desk.begin_form(tuned(tmp_path, UNTOLD))
    place.pump.until(lambda: place.asked)
    offer = place.offered(tuned(tmp_path, SIX))
    assert len(offer.configurations) == 6
    place.desk.close()
