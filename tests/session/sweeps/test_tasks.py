"""What becomes of points that ask for more than a thread, a block or the target has."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.sweep_backend import MadeBackend, a_plan, swept, usual
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Failure, Resources
from workbench.core.plain import to_plain
from workbench.core.sweeps.model import Outcome, Stage
from workbench.core.sweeps.space import parse_axis
from workbench.core.targets.table import load_targets
from workbench.session.sweeps.tasks import Task
from workbench.wire.events import Ended


def over(code: str, kernel: KernelAnalysis, resources: Resources | None = None) -> Ended:
    """An analysis with one error of limits, as the engine tells it: it fails by that error."""
    found = Diagnostic(code, Severity.ERROR, f"{code}!", TextRange(9), stage="resources")
    failure = Failure("kernel", found.message)
    result = AnalyzeResult(failure, (kernel,), resources, diagnostics=(found,))
    return Ended("", "done", to_plain(result))


def test_what_asks_for_more_than_the_target_has_is_ruled_out(tmp_path: Path) -> None:
    def answer(task: Task) -> Ended:
        return over(
            "shared-memory-over-limit", KernelAnalysis("main", (1, 1, 1), (128, 1, 1), 4096)
        )

    plan = a_plan(tmp_path, axes=(parse_axis("num_stages=1,2"),))
    sweep = swept(tmp_path, MadeBackend(answer), plan)
    assert {(r.stage, r.outcome, r.code) for r in sweep.records} == {
        (Stage.LOWER, Outcome.RULED_OUT, "shared-memory-over-limit")
    }


@pytest.mark.parametrize(
    ("spilled", "said"),
    [(None, "would spill: registers-over-limit!"), (4516, "would spill 4,516 B"), (0, None)],
)
def test_what_spills_is_estimated_and_measured_not_lost(
    tmp_path: Path, spilled: int | None, said: str | None
) -> None:
    """A thread has 255 registers; the compiler keeps the rest in memory, and the kernel runs."""

    def answer(task: Task) -> Ended:
        if task.needs_gpu:
            return usual(task)
        slow = Estimate(900.0, "registers", "model", 1, None, 1, 1.0, (), None)
        known = None if task.stage is Stage.LOWER else slow
        kernel = KernelAnalysis("main", (1, 1, 1), (128, 1, 1), 4096, estimate=known)
        compiled = None if task.stage is Stage.LOWER else Resources(255, spilled)
        return over("registers-over-limit", kernel, compiled)

    axes = (parse_axis("num_stages=1,2"),)
    predicted = swept(tmp_path, MadeBackend(answer, gpus=0), a_plan(tmp_path, axes=axes))
    for record in predicted.records:
        assert (record.outcome, record.estimate_us) == (Outcome.PREDICTED, 900.0)
        assert record.code == ("register-spill" if said else None)
        assert (record.reason or "").startswith(said or "")
        assert record.line == (9 if said else None)
    plan = a_plan(tmp_path, axes=axes, id="0abd", exhaustive=True)
    measured = swept(tmp_path, MadeBackend(answer), plan)
    assert all(r.time_us is not None and r.reason is None for r in measured.records)


def test_a_block_of_more_registers_than_it_can_have_is_no_launch(tmp_path: Path) -> None:
    """What no compiler's spilling helps: registers times threads over those of a block."""
    arch = load_targets().resolve("h200").arch
    full = occupancy_of(BlockResources(threads=512, registers=168), arch)
    assert full is not None

    def answer(task: Task) -> Ended:
        kernel = KernelAnalysis("main", (1, 1, 1), (512, 1, 1), 0, occupancy=full)
        return Ended("", "done", to_plain(AnalyzeResult(None, (kernel,))))

    plan = a_plan(tmp_path, axes=(parse_axis("num_stages=1,2"),))
    first, _ = swept(tmp_path, MadeBackend(answer), plan).records
    assert (first.outcome, first.code) == (Outcome.RULED_OUT, "cannot-launch")
    assert "a block can have 65536" in (first.reason or "")


def test_a_check_inside_the_compiler_is_told_in_a_plain_sentence(tmp_path: Path) -> None:
    message = "InternalError: Check failed: pb->value != 0 (0 vs. 0)"

    def answer(task: Task) -> Ended:
        return Ended("", "done", to_plain(AnalyzeResult(Failure("kernel", message))))

    plan = a_plan(tmp_path, axes=(parse_axis("num_stages=1"),))
    (record,) = swept(tmp_path, MadeBackend(answer), plan).records
    assert record.outcome is Outcome.FAILED
    assert record.reason == (
        "TileLang stopped at a check inside itself. It said: Check failed: pb->value != 0 (0 vs. 0)"
    )
