"""Tolerances of attention's cases: they follow the size of what the roundings move."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import generated

from workbench.core.documents.model import Case
from workbench.core.documents.reading import parse_document


def cases_of(pattern: str, **values: Any) -> tuple[Case, ...]:
    metadata = parse_document(generated(pattern, "h200", **values).text).metadata
    assert metadata is not None
    return metadata.cases


@pytest.mark.parametrize(("dtype", "step"), [("float16", 2**-11), ("bfloat16", 2**-8)])
def test_linear_attention_may_be_off_by_a_share_of_the_root_of_its_length(
    dtype: str, step: float
) -> None:
    for case in cases_of("linear-attention", dtype=dtype):
        root = case.args["seq_len"] ** 0.5
        assert case.atol == pytest.approx(4 * step * root, rel=5e-3)
        assert case.rtol == pytest.approx(2 * step, rel=5e-3)


def test_sparse_attention_has_the_tolerance_of_causal_attention() -> None:
    dense = {(case.rtol, case.atol) for case in cases_of("flash-attention", causal=True)}
    sparse = {(case.rtol, case.atol) for case in cases_of("block-sparse-attention", causal=True)}
    assert sparse == dense != {(None, None)}


def test_where_all_queries_see_many_keys_the_usual_tolerance_holds() -> None:
    cases = cases_of("block-sparse-attention", causal=False)
    assert {(case.rtol, case.atol) for case in cases} == {(None, None)}


def test_a_tolerance_that_was_set_stays() -> None:
    sparse = cases_of("block-sparse-attention", causal=True, atol=0.5)
    linear = cases_of("linear-attention", atol=0.5)
    assert {case.atol for case in sparse + linear} == {0.5}
