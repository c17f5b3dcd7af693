"""What decoding kernels share: parts of a sequence, tiles of few queries, keys shared by warps."""

from __future__ import annotations

from workbench.core.patterns.attention.fields import multiprocessors
from workbench.core.patterns.common import block_field, ceildiv, numbers
from workbench.core.patterns.model import Advice, Field, Kind, Rule, Step, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_MOST_PARTS = 64
_LEAST_STEPS = 4  # of a part, so that its pipeline fills


def head_block_field(default: int) -> Field:
    """Queries of a tile."""
    return block_field(
        "block_H", "Block H", "Queries of one block, which share keys.", default, (16, 64), 16, 128
    )


def split_field() -> Field:
    """Parts of a sequence."""
    return Field(
        "num_split",
        Kind.INTEGER,
        Step.TILES,
        "Parts",
        "Blocks that share the keys of a sequence; a second kernel combines their results. With 1 "
        "there is none.",
        8,
        numbers(1, 2, 4, 8, 16),
        "parts",
        1,
        _MOST_PARTS,
    )


def split_advice(tiles: int, values: Values, target: Target, blocks: int) -> Advice:
    """As many parts as fill `blocks` places of each multiprocessor, none of them too short.

    One part more would leave most multiprocessors waiting for a few last blocks.
    """
    units = multiprocessors(target) or 128
    wanted = blocks * units // tiles
    most = max(1, values["context"] // (_LEAST_STEPS * 64))
    number = max(1, min(wanted, most, _MOST_PARTS))
    if number == 1:
        return Advice(1, f"{tiles} tiles of queries are work for all multiprocessors.")
    return Advice(
        number,
        f"{tiles} tiles of queries in {number} parts make {tiles * number} blocks for the {units} "
        f"multiprocessors of {short_label(target)}.",
    )


def split_rule() -> Rule:
    """A part has at least a tile."""

    def broken(values: Values, target: Target) -> str | None:
        steps = ceildiv(values["context"], values["block_N"])
        if values["num_split"] <= steps:
            return None
        return (
            f"{values['context']} tokens are {steps} tiles: of {values['num_split']} parts some "
            f"would have none."
        )

    return Rule("parts-without-keys", "Parts", ("num_split", "block_N"), broken)


def columns_rule(columns: str = "block_N") -> Rule:
    """Each warp has whole columns of tensor-core tiles."""

    def broken(values: Values, target: Target) -> str | None:
        warps = values["threads"] // (target.arch.limits.warp_size or 32)
        least = 16 if target.arch.limits.warp_size == 64 else 8
        if values[columns] % (warps * least) == 0:
            return None
        return f"{warps} warps cannot share {values[columns]} keys in whole tiles of {least}."

    return Rule("keys-not-of-whole-warps", "Keys of a warp", ("threads", columns), broken)


def split_why(values: Values, target: Target) -> str:
    """Why the keys of a sequence are split, or not."""
    if values["num_split"] == 1:
        return (
            "There are tiles of queries enough for all multiprocessors: each block goes through "
            "the whole sequence, and no second kernel has to combine parts."
        )
    return (
        f"One token a sequence gives too few blocks to draw on the memory's whole bandwidth. "
        f"{values['num_split']} blocks share the keys of a sequence; each keeps its result and the "
        f"logarithm of its sum, and a second kernel weighs the parts."
    )


def combining_threads(width: int, target: Target) -> int:
    """Threads of the kernel that combines parts: whole warps with four values for each thread."""
    warp = target.arch.limits.warp_size or 32
    return max(warp, width // 4 // warp * warp)
