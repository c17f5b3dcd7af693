"""The reference as it ships, with a few names of TileLang."""

from __future__ import annotations

import pytest

from workbench.core.data_files import find_data
from workbench.core.reference.api_model import Api, ApiEntry, ApiParameter
from workbench.core.reference.library import Library, Shipped, build_library
from workbench.core.targets.table import load_targets


@pytest.fixture(scope="session")
def library() -> Library:
    parameters = (ApiParameter("a", "list[int] | None", "None", "how many"),)
    entries = (
        ApiEntry(
            "T.gemm",
            "function",
            "tilelang.gemm",
            "(a: list[int] | None = None) -> int",
            "Multiplies <tiles>.",
            parameters=parameters,
            file="/packages/site-packages/tilelang/gemm.py",
            line=7,
        ),
        ApiEntry("T.clear", "function", "tilelang.fill", "(buffer)", "Sets to 0."),
    )
    shipped = Shipped(find_data("resources"), find_data("kernels"), load_targets())
    return build_library(shipped, Api("1.0", entries))
