"""Checks of what a kernel asks of its targets: formats that are multiplied, and instructions."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.diagnostics import Severity
from workbench.core.doctor.checks.products import products_of
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding, listed, named
from workbench.core.doctor.module import Module
from workbench.core.targets.model import Feature, Target, Vendor

# The feature that a matrix product of a format needs, and what comes of it without: a product
# of bfloat16 is computed without the matrix unit, one of the others is not computed at all.
FORMATS: dict[str, tuple[Feature, Severity]] = {
    "float8_e4m3fn": (Feature.FP8_E4M3FN, Severity.ERROR),
    "float8_e5m2": (Feature.FP8_E4M3FN, Severity.ERROR),
    "float8_e4m3fnuz": (Feature.FP8_E4M3FNUZ, Severity.ERROR),
    "float8_e5m2fnuz": (Feature.FP8_E4M3FNUZ, Severity.ERROR),
    "float6_e2m3fn": (Feature.FP6, Severity.ERROR),
    "float6_e3m2fn": (Feature.FP6, Severity.ERROR),
    "float4_e2m1fn": (Feature.FP4, Severity.ERROR),
    "int4": (Feature.INT4_TENSOR, Severity.ERROR),
    "int8": (Feature.INT8_TENSOR, Severity.WARNING),
    "bfloat16": (Feature.BF16, Severity.WARNING),
}
_WITHOUT = {
    Severity.ERROR: "the kernel may lower and compile, and stops when it runs",
    Severity.WARNING: "it is lowered to scalar code, many times slower",
}
# Operations by the feature that they need, and what to use without it.
OPERATIONS: dict[str, tuple[Feature, str]] = {
    **dict.fromkeys(
        ("tma_copy", "tma_load", "tma_store", "tma_store_arrive", "tma_store_wait"),
        (Feature.TMA, "T.copy"),
    ),
    **dict.fromkeys(
        ("wgmma_gemm", "warpgroup_arrive", "warpgroup_commit_batch", "warpgroup_wait"),
        (Feature.WGMMA, "T.gemm"),
    ),
    **dict.fromkeys(
        ("tcgen05_gemm", "tcgen05_gemm_blockscaled", "tcgen05_ld", "tcgen05_mma_arrive"),
        (Feature.TCGEN05, "T.gemm"),
    ),
    **dict.fromkeys(
        ("set_max_nreg", "inc_max_nreg", "dec_max_nreg"),
        (Feature.SETMAXNREG, "no split of the registers"),
    ),
    **dict.fromkeys(
        ("cluster_arrive", "cluster_wait", "cluster_sync", "block_rank_in_cluster"),
        (Feature.CLUSTERS, "blocks without clusters"),
    ),
}
_TITLES = {
    Feature.TMA: "Bulk tensor copies (TMA)",
    Feature.WGMMA: "Products of a warp group (wgmma)",
    Feature.TCGEN05: "Products in tensor memory (tcgen05)",
    Feature.SETMAXNREG: "Requests for registers (setmaxnreg)",
    Feature.CLUSTERS: "Clusters of blocks",
}


def unsupported(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Products and operations that a target has no instruction for."""
    yield from _products(facts)
    told: set[tuple[str, int]] = set()
    for operation in facts.operations:
        needed = OPERATIONS.get(operation.name)
        line = operation.node.lineno
        if needed is None or (operation.name, line) in told:
            continue
        feature, instead = needed
        lacking = [t for t in facts.on_gpu() if not t.arch.has(feature)]
        if lacking:
            told.add((operation.name, line))
            names = listed(t.name for t in lacking)
            message = f"{_TITLES[feature]} do not exist on {names}: use {instead}{_newer(feature)}."
            yield Finding(operation.node, message, (), named(lacking, facts.targets))


def _newer(feature: Feature) -> str:
    least = {
        Feature.TMA: "sm_90a",
        Feature.WGMMA: "sm_90a",
        Feature.SETMAXNREG: "sm_90a",
        Feature.CLUSTERS: "sm_90a",
        Feature.TCGEN05: "sm_100a",
    }
    return f", or a target from {least[feature]} on"


def _products(facts: KernelFacts) -> Iterator[Finding]:
    for product in products_of(facts):
        needed = FORMATS.get(product.a.dtype or "")
        if needed is None:
            continue
        feature, severity = needed
        lacking = [t for t in facts.on_gpu() if _multiplies(t) and not t.arch.has(feature)]
        if lacking:
            names = listed(t.name for t in lacking)
            message = (
                f"{names} cannot multiply {product.a.dtype} in a matrix unit: "
                f"{_WITHOUT[severity]}. {_instead(product.a.dtype or '')}"
            )
            concerned = named(lacking, facts.targets)
            yield Finding(product.operation.node, message, (), concerned, severity)


def _multiplies(target: Target) -> bool:
    return target.arch.vendor in {Vendor.NVIDIA, Vendor.AMD}


def _instead(dtype: str) -> str:
    if dtype == "bfloat16":
        return "Use float16, or a target from sm_80 on."
    if dtype.startswith("float8"):
        return "Convert to float16, or use a target with that format, such as sm_89 for e4m3fn."
    return "Convert to float16, or use a target with that format."
