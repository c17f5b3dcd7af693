"""Activations of an epilogue: as a tile's expression, and as PyTorch's."""

from __future__ import annotations

from workbench.core.patterns.common import choice_field
from workbench.core.patterns.model import Field, Option, Step

TILE = {
    "relu": "T.max({x}, 0)",
    "gelu": "{x} * 0.5 * (1 + T.erf({x} * 0.70710678))",
    "silu": "{x} * T.sigmoid({x})",
}
"""By name, with `{x}` for the element."""
TORCH = {"relu": "F.relu({x})", "gelu": "F.gelu({x})", "silu": "F.silu({x})"}
"""By name, with `{x}` for the tensor; `F` is `torch.nn.functional`."""
TITLES = {"none": "", "relu": "ReLU", "gelu": "GELU", "silu": "SiLU"}


def activation_field() -> Field:
    """The choice of an activation."""
    return choice_field(
        "activation",
        Step.EPILOGUE,
        "Activation",
        "What is applied to each element before it is rounded and written.",
        "none",
        Option("none", "None"),
        Option("relu", "ReLU", "max(x, 0)", (r"\brelu\b",)),
        Option("gelu", "GELU", "x Φ(x), with the error function", (r"\bgelu\b",)),
        Option("silu", "SiLU", "x sigmoid(x)", (r"\bsilu\b", r"\bswish\b")),
    )
