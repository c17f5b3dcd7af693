"""Sizes with which nothing can be built are told by the source, and possible ones are let pass."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.sizes import impossible_size
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import cases_of, known_arguments
from workbench.core.targets.table import load_targets

KERNELS = Path(__file__).resolve().parents[3] / "kernels"
TABLE = load_targets()


def found(name: str, given: dict[str, Any], target: str = "h200") -> tuple[str, str] | None:
    """Code and message for a kernel of the repository with its first case's arguments."""
    document = read_document(KERNELS / name)
    module, kernel = read_module(document.text), document.kernels[0]
    assert module is not None
    args = known_arguments(kernel, cases_of(document, kernel)[0], given)
    resolved = TABLE.resolve(target)
    fault = impossible_size(facts_of(module, kernel, args, (resolved,)), resolved)
    return None if fault is None else (fault.code, fault.message)


@pytest.mark.parametrize(
    ("given", "code", "said"),
    [
        ({"block_M": -5}, "extent-not-positive", "extent of `A_shared`, block_M = -5, has to be a"),
        ({"block_N": 0}, "extent-not-positive", "block_N = 0"),
        ({"block_K": 1.5}, "extent-not-positive", "block_K = 1.5"),
        ({"block_K": 32.0}, "extent-not-positive", "block_K = 32.0"),
        ({"M": 0}, "grid-not-positive", "T.ceildiv(M, block_M) = 0"),
        ({"threads": 0}, "threads-not-positive", "threads = 0"),
        ({"threads": -128}, "threads-not-positive", "threads = -128"),
        ({"threads": 1.5}, "threads-not-positive", "whole number above 0"),
        ({"threads": 3}, "warp-partition-illegal", "less than a warp of 32"),
    ],
)
def test_what_cannot_be_built_is_told(given: dict[str, Any], code: str, said: str) -> None:
    fault = found("gemm.py", given)
    assert fault is not None
    assert fault[0] == code
    assert said in fault[1]


@pytest.mark.parametrize("path", sorted(KERNELS.glob("*.py")), ids=lambda path: path.stem)
def test_the_kernels_that_ship_are_let_pass(path: Path) -> None:
    assert found(path.name, {}) is None


def test_a_block_of_few_threads_is_let_pass_where_nothing_is_multiplied() -> None:
    assert found("elementwise_add.py", {"threads": 3}) is None
