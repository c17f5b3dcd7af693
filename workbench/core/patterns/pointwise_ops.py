"""What fused pointwise kernels compute: each operation as a tile's expression and as PyTorch's."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """One operation: `tile` with `{a}`, `{b}` and `{bias}` for an element of each input in fp32.

    `torch` is the same of whole tensors in fp32, `baseline` of the tensors as they are. `inputs`
    are names in the kernel's order; a Bias has one value a column.
    """

    name: str
    title: str
    formula: str
    inputs: tuple[str, ...]
    tile: str
    torch: str
    baseline: str
    words: tuple[str, ...]


_GELU = "{a} * 0.5 * (1 + T.erf({a} * 0.70710678))"
_SILU = "{a} * T.sigmoid({a})"

OPERATIONS = {
    op.name: op
    for op in (
        Operation(
            "add", "Sum", "A + B", ("A", "B"), "{a} + {b}", "a + b", "A + B",
            (r"\badd(?:ition)?\b", r"\bsum of two\b", r"\ba \+ b\b"),
        ),
        Operation(
            "mul", "Product", "A B", ("A", "B"), "{a} * {b}", "a * b", "A * B",
            (r"\bmul(?:tiply)?\b", r"\bproduct\b", r"\ba \* b\b"),
        ),
        Operation(
            "relu", "ReLU", "max(A, 0)", ("A",), "T.max({a}, 0)", "F.relu(a)", "F.relu(A)",
            (r"\brelu\b",),
        ),
        Operation(
            "gelu", "GELU", "A Φ(A)", ("A",), _GELU, "F.gelu(a)", "F.gelu(A)", (r"\bgelu\b",)
        ),
        Operation(
            "silu", "SiLU", "A sigmoid(A)", ("A",), _SILU, "F.silu(a)", "F.silu(A)",
            (r"\bsilu\b", r"\bswish\b"),
        ),
        Operation(
            "silu_mul", "SwiGLU gate", "SiLU(A) B", ("A", "B"), f"{_SILU} * {{b}}",
            "F.silu(a) * b", "F.silu(A) * B",
            (r"\bswi-?glu(?: gate)?\b", r"\bsilu[- ](?:and[- ])?mul\b", r"\bgated silu\b"),
        ),
        Operation(
            "gelu_mul", "GeGLU gate", "GELU(A) B", ("A", "B"), f"{_GELU} * {{b}}",
            "F.gelu(a) * b", "F.gelu(A) * B",
            (r"\bge-?glu(?: gate)?\b", r"\bgelu[- ](?:and[- ])?mul\b", r"\bgated gelu\b"),
        ),
        Operation(
            "bias_relu", "Bias and ReLU", "max(A + bias, 0)", ("A", "Bias"),
            "T.max({a} + {bias}, 0)", "F.relu(a + bias)", "F.relu(A + Bias)",
            (r"\bbias[- ](?:and[- ])?relu\b", r"\brelu with bias\b"),
        ),
        Operation(
            "bias_residual", "Bias and residual", "A + bias + B", ("A", "B", "Bias"),
            "{a} + {bias} + {b}", "a + bias + b", "A + Bias + B",
            (r"\bbias[ -](?:and[ -])?residual\b", r"\bresidual(?: add(?:ition)?)?\b"),
        ),
    )
}  # fmt: skip
