from __future__ import annotations

from datetime import datetime, timezone
from typing import Any

from portability_facts import KIB, lowered

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import Failure
from workbench.core.portability.export import as_markdown, as_tsv
from workbench.core.portability.facts import Identity, Verification, verifications
from workbench.core.portability.matrix import portability_matrix
from workbench.core.portability.model import CellState, Column, PortabilityMatrix
from workbench.core.runs import Run, RunKind, RunStatus

NO = AnalyzeResult(Failure("kernel", "TypeError: no"))


def matrix(*facts: Any) -> PortabilityMatrix:
    return portability_matrix("matmul", "square", facts)


def test_the_conclusion_counts_and_names_a_limit_before_a_compiler(facts: Any) -> None:
    found = matrix(
        facts("sm_80"),
        facts("ascend", analysis=NO),
        facts("gfx942", analysis=lowered(96 * KIB)),
    )
    assert found.conclusion == (
        "It can run on 1 of 3 targets; on gfx942 96 KiB of shared memory are over the limit of "
        "64 KiB, and 1 more has an obstacle."
    )
    assert [row.state for row in found.rows] == [
        CellState.GOOD,
        CellState.BAD,
        CellState.BAD,
    ]


def test_a_target_that_is_not_looked_at_counts_for_nothing(facts: Any) -> None:
    found = matrix(facts("sm_80"), facts("sm_90a", analysis=None, code=None, pending=True))
    assert found.conclusion == "So far it can run on 1 of 2 targets."
    assert found.pending == 1
    assert found.rows[1].state is CellState.UNKNOWN


def test_a_target_of_which_nothing_could_be_told_is_named(facts: Any) -> None:
    lost = AnalyzeResult(Failure("environment", "the worker went away"))
    found = matrix(facts("sm_80"), facts("sm_90a", analysis=lost))
    assert found.conclusion == "It can run on 1 of 2 targets; of sm_90a it is not known."


def test_every_row_answers_every_column(facts: Any) -> None:
    names = ("sm_75", "sm_90a", "gfx942", "ascend", "metal", "cpu")
    for row in matrix(*(facts(name) for name in names)).rows:
        assert [cell.column for cell in row.cells] == list(Column)
        assert all(cell.reason for cell in row.cells)


def test_a_bad_cell_can_be_said_in_the_conclusion(facts: Any) -> None:
    found = matrix(facts("sm_80", analysis=NO), facts("metal", analysis=lowered(33 * KIB)))
    bad = [c for row in found.rows for c in row.cells if c.state is CellState.BAD]
    assert len(bad) == 2
    assert all(cell.clause for cell in bad)


def verified(facts: Any, target: str, **changes: Any) -> tuple[CellState, str]:
    cell = matrix(facts(target, **changes)).rows[0].cell(Column.VERIFIED)
    return cell.state, cell.text


def test_a_device_s_word_counts_before_the_simulator_s(facts: Any) -> None:
    simulated = Verification("sm_80", "simulator", True)
    device = Verification("a100", "NVIDIA A100", False)
    assert verified(facts, "sm_80", own=(simulated,)) == (CellState.GOOD, "simulator")
    assert verified(facts, "sm_80", own=(simulated, device)) == (CellState.BAD, "mismatch")


def test_a_pass_elsewhere_or_of_a_sample_is_less(facts: Any) -> None:
    elsewhere = Verification("h100", "simulator", True)
    sampled = Verification("sm_80", "simulator", True, "sampled 64 of 1,024 blocks")
    assert verified(facts, "sm_80", others=(elsewhere,)) == (CellState.UNKNOWN, "elsewhere")
    assert verified(facts, "sm_80", own=(sampled,)) == (CellState.CAUTION, "sampled")
    assert verified(facts, "sm_80") == (CellState.UNKNOWN, "not checked")


def run(text: str, args: dict[str, Any], status: RunStatus = RunStatus.DONE) -> Run:
    identity = Identity(text, "matmul", args)
    created = datetime(2026, 1, 1, tzinfo=timezone.utc)
    return Run(
        "r1", created, RunKind.VERIFY, status, None, identity.text_blob, "matmul",
        args=args, target="h100", device="simulator",
    )  # fmt: skip


def test_only_runs_of_the_same_text_and_arguments_verify_it() -> None:
    same = Identity("text", "matmul", {"M": 64, "block": (16, 16)})
    runs = [
        run("text", {"M": 64, "block": [16, 16]}),
        run("other", {"M": 64, "block": [16, 16]}),
        run("text", {"M": 128, "block": [16, 16]}),
        run("text", {"M": 64, "block": [16, 16]}, RunStatus.CANCELLED),
    ]
    assert verifications(runs, same) == (Verification("h100", "simulator", True),)


def test_the_matrix_as_text(facts: Any) -> None:
    found = matrix(facts("sm_80"), facts("gfx942", analysis=lowered(96 * KIB)))
    markdown, tsv = as_markdown(found), as_tsv(found)
    assert markdown.startswith(found.conclusion)
    assert "| 96 of 64 KiB (no) |" in markdown
    lines = tsv.splitlines()
    assert len({line.count("\t") for line in lines}) == 1
    assert lines[1].split("\t")[0] == "sm_80"
