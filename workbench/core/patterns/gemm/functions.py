"""The reference and the baseline of a matrix multiplication, as their templates take them."""

from __future__ import annotations

from typing import Any

from workbench.core.patterns.activations import TORCH
from workbench.core.patterns.common import element_bytes
from workbench.core.patterns.dtypes import DTYPES, concrete, is_fp8
from workbench.core.patterns.model import Values
from workbench.core.patterns.rendering import call, returned
from workbench.core.targets.model import Target, Vendor

_VECTOR_BYTES = 16


def functions(values: Values, target: Target) -> dict[str, Any]:
    """What the reference and the baseline are made of."""
    a = "A" if values["layout_A"] == "row" else "A.T"
    b = "B" if values["layout_B"] == "row" else "B.T"
    dtype = values["dtype"]
    wide = "double" if dtype == "int8" else "float"
    fused = not (is_fp8(dtype) or dtype == "int8")
    reference = [f"{_converted(a, wide, dtype)} @ {_converted(b, wide, dtype)}"]
    baseline = [_baseline(values, a, b)]
    if values["bias"]:
        reference.append(f"C + {_converted('Bias', wide, values['out_dtype'])}")
    if values["bias"] and not fused:
        baseline.append("C + Bias")
    if values["activation"] != "none":
        reference.append(TORCH[values["activation"]].format(x="C"))
        baseline.append(TORCH[values["activation"]].format(x="C"))
    return {
        "dtype": concrete(dtype, target),
        "accum_dtype": DTYPES[dtype].accumulator,
        "tile_dtype": "accum_dtype" if dtype == "int8" else "dtype",
        "reference": returned("C", reference, as_dtype(values["out_dtype"], reference, dtype)),
        "baseline": returned("C", baseline),
        "scaled": is_fp8(dtype),
        "bias_width": f", coalesced_width={_VECTOR_BYTES // element_bytes(values['out_dtype'])}",
        "tf32": dtype == "float32" and target.arch.vendor is Vendor.NVIDIA,
    }


def as_dtype(out: str, steps: list[str], dtype: str) -> str:
    """How the last step becomes the output's format: not at all where it has it already."""
    if out == "float32" and dtype != "int8":
        return "{}"
    is_call = steps[-1].endswith(")") and steps[-1].startswith("F.")
    return ("{}" if is_call else "({})") + f".to(torch.{out})"


def _baseline(values: Values, a: str, b: str) -> str:
    if values["dtype"] == "int8":
        return f"torch._int_mm({a}, {b})"
    if is_fp8(values["dtype"]):
        out = f"out_dtype=torch.{values['out_dtype']}"
        return call("torch._scaled_mm", [a, b, "one", "one", out], 4)
    return f"torch.addmm(Bias, {a}, {b})" if values["bias"] else f"torch.matmul({a}, {b})"


def _converted(tensor: str, wide: str, dtype: str) -> str:
    return tensor if dtype == "float32" else f"{tensor}.{wide}()"
