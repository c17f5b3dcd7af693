"""How packed weights become numbers: the expressions of the templates, and what is said of them."""

from __future__ import annotations

from typing import Any

from workbench.core.patterns.model import Values
from workbench.core.patterns.rendering import call, returned

PACKING = (
    "W: tiles of 16 rows and 128 columns, 4 bits a weight, in the order that `pack` gives them: "
    "a thread's 16 bytes are weights of one row, and one `and` gets two neighbours out of a word."
)
# A half keeps the number as an offset above it; a bfloat16 has too few bits for one digit up, but
# an exponent wide enough to bring the tiny numbers back that the bits alone are.
_GEMM: dict[str, dict[str, Any]] = {
    "float16": {
        "why_bits": "With 0x6400 above it a weight v is the half 1024 + v, one digit up 1024 + 16 "
        "v.",
        "bits_low": "(word & 0x000F000F) | 0x64006400",
        "bits_high": "(word & 0x00F000F0) | 0x64006400",
        "low": ("T.add2", "low", "both(-1024 - zero)"),
        "high": ("T.fma2", "high", "both(0.0625)", "both(-64 - zero)"),
        "scale": "scales[at, row]",
    },
    "bfloat16": {
        "why_bits": "As a bfloat16 a weight v is v / 2**133, one digit up v / 2**129: products "
        "with powers of two bring v / 64 back, exactly.",
        "bits_low": "word & 0x000F000F",
        "bits_high": "word & 0x00F000F0",
        "low": ("T.fma2", "low", "both(2.0**127)", "both(zero * -(2.0**-6))"),
        "high": ("T.fma2", "high", "both(2.0**123)", "both(zero * -(2.0**-6))"),
        "scale": "scales[at, row] * 64",
    },
}
_COLUMN = 28  # of the statements in the template


def gemm_widening(values: Values) -> dict[str, Any]:
    """What makes two weights of bits, less their zero point, and the scale that is theirs."""
    found = _GEMM[values["dtype"]]
    return {
        **found,
        "widen_low": _stored("4 * h", *found["low"]),
        "widen_high": _stored("4 * h + 2", *found["high"]),
    }


def _stored(place: str, name: str, *arguments: str) -> str:
    return call(f"weights[T.Ramp({place}, 1, 2)] = {name}", arguments, _COLUMN)


_GEMV: dict[str, dict[str, Any]] = {
    "float16": {
        "why_bits": "As a half a weight v alone is v / 2**24, one digit up v / 2**20: products "
        "with powers of two bring v / 2**10 back, exactly.",
        "unit": -10,
        "low": 14,
        "high": 10,
        "short": "fp16",
    },
    "bfloat16": {
        "why_bits": "As a bfloat16 a weight v alone is v / 2**133, one digit up v / 2**129: "
        "products with powers of two bring v / 2**6 back, exactly.",
        "unit": -6,
        "low": 127,
        "high": 123,
        "short": "bf16",
    },
}


def gemv_widening(values: Values) -> dict[str, Any]:
    """The powers of two that make weights of bits, their unit, and mma's name of the format."""
    return _GEMV[values["dtype"]]


def functions(values: Values) -> dict[str, Any]:
    """What the reference and the baseline of a document are made of."""
    quantized = ["W", "Scales", *(["Zeros"] if values["zeros"] else [])]
    inputs = ["A", *quantized, *(["Bias"] if values["bias"] else [])]
    product = f"A.float() @ dequantize({', '.join(quantized)}).T"
    widened = f"_widened({', '.join(quantized)})"
    dtype = f".to(torch.{values['dtype']})"
    reference = [product, "C + Bias.float()"] if values["bias"] else [f"({product})"]
    reference[-1] = f"({reference[-1]}){dtype}" if values["bias"] else f"{reference[-1]}{dtype}"
    baseline = (
        f"torch.addmm(Bias, A, {widened}.T)" if values["bias"] else f"torch.matmul(A, {widened}.T)"
    )
    return {
        "inputs": ", ".join(inputs),
        "quantized": ", ".join(quantized),
        "reference": returned("C", reference),
        "baseline": [f"return {baseline}"],
    }
