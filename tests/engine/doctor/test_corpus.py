"""Faults of the corpus that a lowering shows are told at their lines, and their twins are clean."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomllib

from tests.support.lowering_faults import analyzed, compiled

FAULTS = Path(__file__).parents[4] / "shared" / "faults"
ERRORS = {
    "gemm-shape-mismatch",
    "warp-partition-illegal",
    "tensor-core-shape-illegal",
    "unaligned-block-k",
    "fragment-two-index-maps",
    "fragment-serial-access",
    "layout-conflict",
    "layout-not-found",
    "layout-not-injective",
    "rank-mismatch",
    "sibling-pipelines-mismatch",
    "removed-api",
    "target-unsupported",
}
SLOW = {"55", "58", "66", "87"}
RESOURCES = {
    "shared-memory-over-limit",
    "registers-over-limit",
    "fragment-replicated",
    "idle-threads",
}


def faults(codes: set[str], outcome: str) -> list[dict[str, Any]]:
    if not FAULTS.is_dir():
        return []
    found = tomllib.loads((FAULTS / "expect.toml").read_text())["fault"]
    kept = [each for each in found if each["code"] in codes and each["outcome"] == outcome]
    return [each for each in kept if each.get("fails_in") in (None, "import", "get_tir", "lower")]


def named(fault: dict[str, Any]) -> str:
    return str(fault["file"])


pytestmark = pytest.mark.skipif(not FAULTS.is_dir(), reason="the corpus of faults is not here")


@pytest.mark.parametrize("fault", faults(ERRORS, "error"), ids=named)
@pytest.mark.filterwarnings("ignore:T.Buffer")
def test_an_error_is_told_with_its_code_at_its_line(fault: dict[str, Any]) -> None:
    for result in compiled(FAULTS / fault["file"]):
        assert result.failure is not None
        assert result.failure.raw
        (found,) = result.diagnostics
        assert found.range is not None
        assert (found.code, found.severity.value) == (fault["code"], fault["severity"])
        assert abs(found.range.line - fault["line"]) <= 1


def _with_slow_ones_apart(found: list[dict[str, Any]]) -> list[Any]:
    """The faults; what itself, or whose twin, lowers longest is left to the thorough run."""
    return [
        pytest.param(each, marks=pytest.mark.thorough) if named(each)[:2] in SLOW else each
        for each in found
    ]


@pytest.mark.parametrize("fault", _with_slow_ones_apart(faults(RESOURCES, "silent")), ids=named)
def test_a_limit_is_told_with_its_code_at_its_line(fault: dict[str, Any]) -> None:
    only = fault.get("only_on")
    for target, result in analyzed(FAULTS / fault["file"]):
        lines = [
            found.range.line
            for found in result.diagnostics
            if found.code == fault["code"] and found.range is not None
        ]
        if only is not None and target not in only:
            assert lines == []
        else:
            assert len(lines) == 1
            assert abs(lines[0] - fault["line"]) <= 1


@pytest.mark.parametrize(
    "fault", _with_slow_ones_apart(faults(ERRORS - {"removed-api"}, "error")), ids=named
)
def test_the_twin_of_an_error_lowers(fault: dict[str, Any]) -> None:
    result = next(compiled(FAULTS / fault["fixed_by"]))
    assert result.failure is None
    assert result.diagnostics == ()


@pytest.mark.thorough
@pytest.mark.parametrize("fault", faults(ERRORS - {"removed-api"}, "error"), ids=named)
def test_the_twin_of_an_error_lowers_for_each_target(fault: dict[str, Any]) -> None:
    for result in compiled(FAULTS / fault["fixed_by"]):
        assert result.failure is None
        assert result.diagnostics == ()


@pytest.mark.parametrize("fault", _with_slow_ones_apart(faults(RESOURCES, "silent")), ids=named)
def test_the_twin_of_a_limit_is_within_it(fault: dict[str, Any]) -> None:
    _, result = next(analyzed(FAULTS / fault["fixed_by"]))
    assert result.kernels
    assert fault["code"] not in {found.code for found in result.diagnostics}
