"""What operations became on several targets stands side by side, and what differs is told."""

from __future__ import annotations

from dataclasses import replace

from tests.support.analysis_results import analysis, analyzed
from workbench.core.analysis.operations import Operation
from workbench.core.targets.table import load_targets
from workbench.session.lenses.operations import details, operations_picture
from workbench.session.lenses.subject import LensSubject, LensTarget

TMA = Operation(7, "copy", "T.copy A -> A_shared", "TMA load", 8192, None, ("A", "A_shared"))
ASYNC = replace(TMA, instruction="cp.async", bytes=16, note="the rows are too short for 16 bytes.")
FILL = Operation(5, "fill", "T.clear C_local", None, None, None, ("C_local",))


def subject(*targets: LensTarget) -> LensSubject:
    return LensSubject("gemm.py", "gemm.py", "", "matmul", "default", {}, targets)


def target(name: str, mark: int, *operations: Operation) -> LensTarget:
    kernel = replace(analysis(), operations=operations)
    return LensTarget(load_targets().resolve(name), mark, analyzed(kernel), level=2)


def test_an_operation_has_one_row_with_an_outcome_for_each_target() -> None:
    picture = operations_picture(subject(target("h100", 0, FILL, TMA), target("a100", 1, ASYNC)))
    assert picture is not None
    fill, copy = picture.rows
    assert (fill.line, fill.op, fill.differs) == (5, "T.clear C_local", False)
    assert [each.text for each in fill.outcomes] == ["no code of its own", ""]
    assert [each.text for each in copy.outcomes] == ["TMA load · 8 KiB", "cp.async · 16 B"]
    assert copy.differs
    assert copy.buffers == ("A", "A_shared")
    assert picture.conclusion == (
        "2 tile operations: 1 of them differs between H100 and A100. "
        "On line 7: the rows are too short for 16 bytes."
    )


def test_all_of_an_operation_is_told_in_lines() -> None:
    picture = operations_picture(subject(target("h100", 0, TMA), target("a100", 1, ASYNC)))
    assert picture is not None
    heading, text = details(picture, picture.rows[0])
    assert heading == "Line 7: T.copy A -> A_shared"
    assert text.splitlines() == [
        "H100: TMA load · 8 KiB",
        "A100: cp.async · 16 B",
        "Note: the rows are too short for 16 bytes.",
    ]


def test_targets_that_do_it_alike_are_said_to() -> None:
    picture = operations_picture(subject(target("h100", 0, TMA), target("h200", 1, TMA)))
    assert picture is not None
    assert not picture.rows[0].differs
    assert picture.conclusion == "1 tile operation: done alike on all targets."


def test_without_an_analysis_there_is_no_picture() -> None:
    assert operations_picture(subject(LensTarget(load_targets().resolve("h100"), 0))) is None
