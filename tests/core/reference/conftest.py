"""A reference made of what ships and of a few names, as a worker would have read them."""

from __future__ import annotations

import pytest

from workbench.core.data_files import find_data
from workbench.core.reference.api_model import Api, ApiEntry, ApiParameter, DialectForm
from workbench.core.reference.library import Library, Shipped, build_library
from workbench.core.targets.table import load_targets

ALL = ("tilelang.language", "tilelang.ascend.language", "tilelang.cpu.language")
API = Api(
    "0.0.1",
    (
        ApiEntry(
            "T.gemm",
            "function",
            "tilelang.language.gemm_op",
            "(A: Buffer, B: Buffer, C: Buffer, policy: Policy = Policy.Square)",
            "Multiplies tiles.",
            parameters=(
                ApiParameter("A", "Buffer", None, "the left operand"),
                ApiParameter("policy", "Policy", "Policy.Square", "how warps share the tile"),
            ),
            dialects=ALL,
            forms=(DialectForm("tilelang.ascend.language", "(A: Buffer, B: Buffer)"),),
            file="/p/site-packages/tilelang/language/gemm_op.py",
            line=3,
        ),
        ApiEntry("T.GemmWarpPolicy", "enum", "tilelang.tileop.base", members=("Square", "FullRow")),
        ApiEntry("T.clear", "function", "tilelang.language.fill_op", "(buffer)", "Sets to 0."),
        ApiEntry("T.alloc_shared", "function", "tilelang.language.allocate", "(shape, dtype)"),
        ApiEntry("T.Pipelined", "function", "tilelang.language.loop", "(start, num_stages=0)"),
        ApiEntry("T.exp", "function", "tvm.tirx.op", "(x)", "The exponential."),
        ApiEntry("T.float16", "dtype", "tilelang.language.dtypes", aliases=("half",)),
        ApiEntry("tilelang.jit", "function", "tilelang.jit", "(func)", "Compiles."),
    ),
)


@pytest.fixture(scope="session")
def shipped() -> Shipped:
    return Shipped(find_data("resources"), find_data("kernels"), load_targets())


@pytest.fixture(scope="session")
def library(shipped: Shipped) -> Library:
    return build_library(shipped, API)
