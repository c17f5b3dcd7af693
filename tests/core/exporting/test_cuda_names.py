"""The names of a tensor map's numbers, held to the header of an installed CUDA."""

from __future__ import annotations

import importlib.metadata
import re
from pathlib import Path

import pytest

from workbench.core.exporting.cuda_names import cuda_name, named_fields

PREFIXES = {
    "data_type": "CU_TENSOR_MAP_DATA_TYPE",
    "interleave": "CU_TENSOR_MAP_INTERLEAVE",
    "swizzle": "CU_TENSOR_MAP_SWIZZLE",
    "l2_promotion": "CU_TENSOR_MAP_L2_PROMOTION",
    "oob_fill": "CU_TENSOR_MAP_FLOAT_OOB_FILL",
}


def header() -> str:
    files = importlib.metadata.files("nvidia-cuda-runtime") or []
    found = [Path(str(file.locate())) for file in files if file.name == "cuda.h"]
    if not found:
        pytest.skip("no cuda.h here")
    return found[0].read_text(encoding="utf-8", errors="replace")


@pytest.mark.parametrize("field", named_fields())
def test_numbers_have_the_names_of_the_header(field: str) -> None:
    prefix = PREFIXES[field]
    enumeration = re.search(rf"typedef enum \w+ \{{([^}}]*{prefix}[^}}]*)\}}", header())
    assert enumeration is not None
    names = re.findall(rf"\b{prefix}_\w+", enumeration.group(1))
    assert [cuda_name(field, number) for number in range(len(names))] == names
    assert cuda_name(field, len(names)) is None
