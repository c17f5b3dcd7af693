"""What reductions compute: each operation as TileLang's, as PyTorch's, and of two values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Operation:
    """A reduction: TileLang's operation, the value it starts from, and PyTorch's call on `dim`.

    `joined` is what becomes of the value so far, `{part}`, and the next one, `{x}`.
    """

    title: str
    tile: str
    start: str
    torch: str
    joined: str
    words: tuple[str, ...]


LOWEST, HIGHEST = '-T.infinity("float32")', 'T.infinity("float32")'
_SUM, _MAX, _MIN = "{part} + {x}", "T.max({part}, {x})", "T.min({part}, {x})"

OPERATIONS = {
    "sum": Operation("Sum", "reduce_sum", "0", "sum(dim={dim})", _SUM, (r"\bsums?\b",)),
    "mean": Operation(
        "Mean", "reduce_sum", "0", "mean(dim={dim})", _SUM, (r"\bmeans?\b", r"\baverage")
    ),
    "max": Operation(
        "Maximum", "reduce_max", LOWEST, "amax(dim={dim})", _MAX, (r"\bmax(?:imum)?\b",)
    ),
    "min": Operation(
        "Minimum", "reduce_min", HIGHEST, "amin(dim={dim})", _MIN, (r"\bmin(?:imum)?\b",)
    ),
    "absmax": Operation(
        "Largest magnitude", "reduce_absmax", "0", "abs().amax(dim={dim})",
        "T.max({part}, T.abs({x}))", (r"\babs(?:olute)?[- ]?max(?:imum)?\b",),
    ),
    "cumsum": Operation(
        "Cumulative sum", "cumsum", "0", "cumsum(dim={dim})", _SUM,
        (r"\bcum(?:ulative )?[- ]?sum\b", r"\bprefix sum\b", r"\bscan\b"),
    ),
}  # fmt: skip
