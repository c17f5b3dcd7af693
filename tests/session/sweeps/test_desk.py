"""The window's side of a sweep: its form, how many points remain, its process, what is applied."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from tests.session.conftest import Pump
from tests.support.sweep_points import TIME, Clock, a_plan
from workbench.core.jobs import ConfigurationsRequest
from workbench.core.sweeps import journal
from workbench.core.sweeps.journal import Journal
from workbench.core.sweeps.model import Facts, Outcome, PointRecord, Stage
from workbench.core.targets.table import load_targets
from workbench.session.jobs import OnEnd
from workbench.session.open_document import OpenDocument
from workbench.session.sweeps import store
from workbench.session.sweeps.desk import SweepDesk
from workbench.session.sweeps.following import Tail
from workbench.session.sweeps.form import suggested
from workbench.session.sweeps.states import SweepState

Ask = Callable[[ConfigurationsRequest, OnEnd], object]
KERNELS = Path(__file__).parents[3] / "kernels"


@pytest.fixture
def clock() -> Clock:
    return Clock()


def a_desk(
    folder: Path,
    clock: Clock,
    pump: Pump,
    ask: Ask = lambda request, on_end: pytest.fail("no worker is needed"),
    trusted: bool = True,
) -> SweepDesk:
    """A desk without GPUs; `ask` stands for a worker."""
    targets = load_targets()
    return SweepDesk(
        folder, targets, clock.make, pump.post, ask, lambda document: trusted, lambda: ()
    )


@pytest.fixture
def desk(tmp_path: Path, clock: Clock, pump: Pump) -> SweepDesk:
    return a_desk(tmp_path, clock, pump)


def opened(folder: Path) -> OpenDocument:
    path = folder / "gemm.py"
    path.write_bytes((KERNELS / "gemm.py").read_bytes())
    document = OpenDocument.of(path.read_text("utf-8"), path, path.name)
    document.targets = ("h200",)
    return document


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (128, "64, 128, 256"),
        (192, "64, 128, 192, 256"),
        (3, "1..4"),
        (0, "0..1"),
        (True, "True, False"),
        ("float16", '"float16"'),
    ],
)
def test_values_around_the_present_one_are_suggested(value: object, text: str) -> None:
    assert suggested(value) == text


def test_a_form_varies_what_tunes_and_leaves_the_problem_alone(
    desk: SweepDesk, tmp_path: Path
) -> None:
    desk.begin_form(opened(tmp_path))
    assert desk.form is not None
    varied = {each.name for each in desk.form.varied}
    assert varied == {"block_M", "block_N", "block_K", "threads", "num_stages"}
    assert {"M", "dtype"} <= {each.name for each in desk.form.fields}
    assert desk.form.targets == ("h200",)


def test_what_remains_is_counted_in_slices_with_the_reasons(
    desk: SweepDesk, tmp_path: Path, clock: Clock
) -> None:
    desk.begin_form(opened(tmp_path))
    form = desk.form
    assert form is not None
    for name in ("block_N", "block_K", "threads"):
        form = form.with_field(name, varied=False)
    form = form.with_field("num_stages", "1..4").with_field("block_M", "64, 128")
    desk.set_form(replace(form, conditions=("num_stages < 4",)))
    slices = 0
    while clock.elapse():
        slices += 1
    assert desk.sieve.result.is_complete
    assert slices >= 2
    assert desk.sieve.result.left == 6
    assert desk.sieve.result.sentence == "6 of 8 configurations remain; 2 fall out."
    assert [fate.code for fate in desk.sieve.result.fates] == ["condition"]


def test_values_that_cannot_be_meant_are_told_and_nothing_starts(
    desk: SweepDesk, tmp_path: Path, clock: Clock
) -> None:
    desk.begin_form(opened(tmp_path))
    assert desk.form is not None
    desk.set_form(desk.form.with_field("block_M", "64,,128"))
    clock.elapse()
    assert "block_M" in desk.sieve.result.problem
    told: list[str] = []
    desk.told.connect(told.append)
    assert not desk.start()
    assert "empty value" in told[0]
    assert not desk.listed()


def test_a_sweep_runs_in_its_own_process_and_its_journal_is_followed(
    desk: SweepDesk, tmp_path: Path, clock: Clock
) -> None:
    desk.begin_form(opened(tmp_path))
    assert desk.form is not None
    desk.set_form(replace(desk.form, conditions=("block_M > 9000",)))  # nothing needs a worker
    assert desk.start()
    assert desk.shown is not None
    assert desk.shown.state is SweepState.RUNNING
    assert not desk.start()  # one at a time
    deadline = time.monotonic() + 60
    while desk.is_running and time.monotonic() < deadline:
        time.sleep(0.05)
        clock.elapse()
    assert desk.shown.state is SweepState.DONE, desk.shown.problem
    assert all(record.code == "condition" for record in desk.shown.sweep.records)
    assert [each.state for each in desk.listed()] == [SweepState.DONE]
    desk.close()


def test_a_closing_window_ends_its_sweep_which_can_go_on_later(
    desk: SweepDesk, tmp_path: Path, clock: Clock, pump: Pump
) -> None:
    desk.begin_form(opened(tmp_path))
    assert desk.start()
    assert desk.shown is not None
    desk.close()
    assert journal.runner_of(desk.shown.folder) is None
    later = a_desk(tmp_path, clock, pump)
    assert [each.id for each in later.interrupted()] == [desk.shown.folder.name]


def test_a_cancelled_sweep_is_over_and_leaves_no_process(
    desk: SweepDesk, tmp_path: Path, clock: Clock, pump: Pump
) -> None:
    desk.begin_form(opened(tmp_path))
    assert desk.start()
    assert desk.shown is not None
    folder = desk.shown.folder
    told: list[str] = []
    desk.told.connect(told.append)
    desk.cancel()
    pump.until(lambda: told)
    assert told[0].startswith("The sweep ended")
    assert desk.shown.state is SweepState.CANCELLED
    assert journal.runner_of(folder) is None
    assert not desk.is_running


def test_a_sweep_is_read_on_from_where_it_was(tmp_path: Path) -> None:
    folder = journal.create(tmp_path, a_plan(tmp_path))
    facts = Facts(predicted_us=210.0)
    with Journal(folder) as kept:
        kept.note(PointRecord(4, Stage.COMPILE, Outcome.PREDICTED, facts=facts), 1.0)
        tail = Tail(folder)
        assert tail.read() == (True, False)
        assert tail.reading.predicted == [4]
        assert tail.read() == (False, False)
        kept.note(PointRecord(4, Stage.MEASURE, Outcome.MEASURED, facts=facts, measured=TIME), 2.0)
        with (folder / journal.JOURNAL).open("ab") as file:
            file.write(b'{"point": {"number": 1')  # a line under way
        assert tail.read() == (True, False)
        assert tail.reading.order == [4]
    assert tail.reading.sweep.records[4].time_us == 200.0
    assert tail.reading.sweep.seconds == 2.0
    assert tail.reading.sweep.ended is None


def test_the_best_point_is_written_into_the_document_as_it_is_typed(
    desk: SweepDesk, tmp_path: Path
) -> None:
    document = opened(tmp_path)
    folder = journal.create(store.sweeps_folder(tmp_path), a_plan(tmp_path))
    with Journal(folder) as kept:
        kept.note(PointRecord(4, Stage.MEASURE, Outcome.MEASURED, measured=TIME), 1.0)
        kept.note_end("done", 1.0)
    desk.open("0abc")
    assert desk.shown is not None
    assert desk.shown.state is SweepState.DONE
    typed = document.text.encode() + b"# typed\n"
    found = desk.applied(typed)
    assert b"block_M = 128" in found.content
    assert found.content.endswith(b"# typed\n")
    assert "a GPU" in found.note


def test_what_is_not_trusted_is_neither_started_nor_gone_on_with(
    tmp_path: Path, clock: Clock, pump: Pump
) -> None:
    desk = a_desk(tmp_path, clock, pump, trusted=False)
    refused: list[str] = []
    desk.refused.connect(lambda document: refused.append(document.why_untrusted))
    desk.begin_form(opened(tmp_path))
    assert not desk.start()
    assert "not trusted" in refused[0]
    assert not desk.listed()
    journal.create(store.sweeps_folder(tmp_path), a_plan(tmp_path))
    desk.open("0abc")
    assert desk.shown is not None
    assert not desk.resume()
    assert len(refused) == 2
    assert not desk.is_running


def test_a_form_is_for_one_target_the_first_chosen_or_the_first_of_the_case(
    desk: SweepDesk, tmp_path: Path
) -> None:
    document = opened(tmp_path)
    for chosen, taken in ((("h100", "a100"), "h100"), (("b200", "a100"), "b200")):
        document.targets = chosen
        desk.begin_form(document)
        assert desk.form is not None
        assert desk.form.targets == (taken,)


def test_the_count_says_how_many_targets_it_is_for(
    desk: SweepDesk, tmp_path: Path, clock: Clock
) -> None:
    desk.begin_form(opened(tmp_path))
    form = desk.form
    assert form is not None
    for name in ("block_M", "block_N", "block_K", "threads"):
        form = form.with_field(name, varied=False)
    form = form.with_field("num_stages", "1, 2")
    desk.set_form(replace(form, targets=("h100", "h200")))
    while clock.elapse():
        pass
    sentence = desk.sieve.result.sentence
    assert sentence == "4 of 4 points (2 configurations × 2 targets) remain, none falls out."
