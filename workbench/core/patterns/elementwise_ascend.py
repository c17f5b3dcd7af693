"""What a pointwise kernel needs on Ascend: whole tiles, all of them in the unified buffer."""

from __future__ import annotations

from workbench.core.figures import size
from workbench.core.patterns.common import ASCEND, element_bytes
from workbench.core.patterns.model import Advice, Rule, Values
from workbench.core.patterns.pointwise_ops import OPERATIONS
from workbench.core.targets.model import Target


def _ascend_broken(values: Values, target: Target) -> str | None:
    if target.dialect != ASCEND:
        return None
    for extent, block in (("N", "block_N"), ("M", "block_M")):
        if values[extent] % values[block]:
            return f"{extent} = {values[extent]} is no multiple of {block} = {values[block]}."
    return None


def _unified_buffer(values: Values, target: Target) -> str | None:
    limit = target.arch.limits.unified_buffer_bytes
    if target.dialect != ASCEND or limit is None:
        return None
    needed = ascend_bytes(values)
    if needed <= limit:
        return None
    return f"The tiles need {size(needed)} of the unified buffer, which has {size(limit)}."


def ascend_bytes(values: Values) -> int:
    """Bytes of the unified buffer: each input's tile, and a wider one in fp32 where it is short."""
    tiles = sum(name != "Bias" for name in OPERATIONS[values["op"]].inputs)
    each = element_bytes(values["dtype"])
    wide = 0 if each == 4 else 4
    return int(values["block_M"] * values["block_N"] * tiles * (each + wide))


def ascend_advice(values: Values) -> dict[str, Advice]:
    """Tiles of the largest power of two that the columns, and rows, are whole multiples of."""
    wide = next(n for n in (1024, 512, 256, 128, 64, 32, 16) if values["N"] % n == 0 or n == 16)
    rows = next(n for n in (4, 2, 1) if values["M"] % n == 0)
    return {
        "block_N": Advice(wide, "A part of a row that all columns are made of."),
        "block_M": Advice(rows, "The tiles of all inputs fit the unified buffer of a vector core."),
        "threads": Advice(256, "Lanes of the SIMT region."),
    }


ASCEND_RULES = (
    Rule("whole-tiles", "Whole tiles", ("block_N", "block_M"), _ascend_broken),
    Rule("unified-buffer", "Unified buffer", ("block_M", "block_N"), _unified_buffer),
)
