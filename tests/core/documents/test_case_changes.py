"""What runs were asked for beside their case."""

from __future__ import annotations

import json
from typing import Any

import pytest

from workbench.core.documents.case_changes import case_changes
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select

TEXT = """\
# /// workbench
# [[case]]
# name = "square"
# args = { M = 64, N = 64 }
# dims = { rows = 8 }
# ///
import tilelang


@tilelang.jit
def matmul(M, N, block=128, tile=(1, 2)):
    return None
"""
DOCUMENT = parse_document(TEXT)


def changes(**overrides: str) -> dict[str, Any] | None:
    (found,) = select(DOCUMENT, case="square", overrides=overrides)
    return case_changes(DOCUMENT, "matmul", "square", found.args, found.case.dims)


def test_a_case_as_it_is_has_no_changes() -> None:
    assert changes() == {}
    assert changes(M="64") == {}


def test_arguments_that_differ_are_told_in_their_order() -> None:
    assert changes(block="64", M="8192") == {"M": 8192, "block": 64}


def test_arguments_that_came_back_from_json_are_the_same() -> None:
    (found,) = select(DOCUMENT, case="square", overrides={"N": "32"})
    stored = json.loads(json.dumps(found.args))
    assert case_changes(DOCUMENT, "matmul", "square", stored) == {"N": 32}


def test_a_size_of_the_data_may_differ_too() -> None:
    (found,) = select(DOCUMENT, case="square")
    assert case_changes(DOCUMENT, "matmul", "square", found.args, {"rows": 16}) == {"rows": 16}


@pytest.mark.parametrize(("kernel", "case"), [("matmul", "tall"), ("other", "square")])
def test_what_the_document_does_not_have_is_unknown(kernel: str, case: str) -> None:
    assert case_changes(DOCUMENT, kernel, case, {"M": 64}) is None


def test_without_cases_the_defaults_are_the_case() -> None:
    document = parse_document(
        "import tilelang\n\n\n@tilelang.jit\ndef k(M, N=8):\n    return None\n"
    )
    assert case_changes(document, "k", "default", {"M": 4, "N": 8}) == {"M": 4}
