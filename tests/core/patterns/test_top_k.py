"""The largest of rows: keys of 32 bits where they do, and threads for every rank."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import generated

from workbench.core.patterns.generating import IllegalError


@pytest.mark.parametrize(
    ("values", "key"),
    [
        ({"N": 65536}, "int32"),
        ({"N": 65537}, "int64"),
        ({"dtype": "float32", "N": 128}, "int64"),
        ({"dtype": "bfloat16", "N": 128}, "int32"),
    ],
)
def test_the_key_holds_value_and_column(values: dict[str, Any], key: str) -> None:
    text = generated("top_k", **values).text
    assert f'lowest = T.cast({"1 - 2**63" if key == "int64" else "-(2**31)"}, "{key}")' in text


@pytest.mark.parametrize("n", [1, 8, 100, 128, 3000, 8192, 50000, 200000])
@pytest.mark.parametrize("k", [1, 5, 64])
@pytest.mark.parametrize("dtype", ["float16", "float32"])
def test_every_length_of_rows_has_a_kernel(n: int, k: int, dtype: str) -> None:
    values = generated("top_k", N=n, k=min(n, k), dtype=dtype).values
    assert values["threads"] // values["block_M"] >= min(n, k)


@pytest.mark.parametrize(
    ("values", "rule"),
    [
        ({"k": 9, "N": 8}, "more-than-a-row"),
        ({"threads": 96, "block_M": 1}, "threads-of-a-row"),
        ({"threads": 64, "block_M": 16, "k": 8}, "thread-for-each-rank"),
        ({"threads": 256, "block_M": 1, "block_N": 1024}, "whole-accesses"),
    ],
)
def test_what_no_kernel_is_for_is_refused(values: dict[str, Any], rule: str) -> None:
    with pytest.raises(IllegalError) as caught:
        generated("top_k", **values)
    assert rule in {breach.rule.name for breach in caught.value.breaches}
