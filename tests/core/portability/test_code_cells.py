from __future__ import annotations

from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.core.jobs import CompileResult, Failure
from workbench.core.portability.code_cells import lowers, machine_code
from workbench.core.portability.model import CellState


def refused(message: str, kind: str = "kernel", *found: Diagnostic) -> AnalyzeResult:
    return AnalyzeResult(Failure(kind, message), diagnostics=found)


def error(code: str, line: int, *fixes: Fix) -> Diagnostic:
    return Diagnostic(code, Severity.ERROR, "it is wrong", TextRange(line), fixes=fixes)


def test_a_kernel_with_code_lowers_even_where_it_is_over_a_limit(facts: Any) -> None:
    cell = lowers(facts("metal"))
    assert (cell.state, cell.text) == (CellState.GOOD, "yes")


def test_a_refusal_leads_to_its_line(facts: Any) -> None:
    found = error("warp-partition-illegal", 12)
    cell = lowers(facts("sm_80", analysis=refused("no partition", "kernel", found)))
    assert (cell.state, cell.line, cell.reason) == (CellState.BAD, 12, "no partition.")


def test_a_refusal_that_the_source_shows_too_has_the_fix(facts: Any) -> None:
    fix = Fix("Use 64 threads", (Edit(TextRange(12), "64"),))
    cell = lowers(
        facts(
            "sm_80",
            analysis=refused("no partition", "kernel", error("warp-partition-illegal", 12)),
            lint=(error("warp-partition-illegal", 12, fix),),
        )
    )
    assert cell.diagnostic is not None
    assert cell.diagnostic.fixes == (fix,)


def test_another_dialect_is_told_before_what_the_compiler_says(facts: Any) -> None:
    cell = lowers(facts("ascend", analysis=refused("T.copy() is not allowed")))
    assert cell.clause == (
        "a kernel is written with tilelang.ascend.language, not with tilelang.language"
    )
    assert "T.copy() is not allowed" in cell.reason


def test_a_failure_of_the_machine_is_no_answer(facts: Any) -> None:
    for kind in ("environment", "timeout", "memory", "internal"):
        cell = lowers(facts("sm_80", analysis=refused("out of time", kind)))
        assert cell.state is CellState.UNKNOWN, kind


def test_a_crash_of_the_compiler_is_an_obstacle(facts: Any) -> None:
    cell = lowers(facts("sm_80", analysis=refused("signal 11", "crash")))
    assert (cell.state, cell.clause) == (CellState.BAD, "TileLang crashes")


def test_what_no_compiler_here_takes_is_unknown_and_says_why(facts: Any) -> None:
    cell = machine_code(facts("gfx942"))
    assert (cell.state, cell.text) == (CellState.UNKNOWN, "not checked")
    assert "gfx942" in cell.reason
    missing = CompileResult(None, missing={"machine code": "nvcc 13.0 has no sm_70"})
    cell = machine_code(facts("sm_70", code=missing))
    assert (cell.state, cell.reason) == (CellState.UNKNOWN, "nvcc 13.0 has no sm_70.")


def test_source_that_nvcc_refuses_is_an_obstacle(facts: Any) -> None:
    failure = Failure("kernel", "the generated source does not compile for sm_80: error: x")
    cell = machine_code(facts("sm_80", code=CompileResult(failure)))
    assert (cell.state, cell.clause) == (CellState.BAD, "nvcc refuses the generated source")
