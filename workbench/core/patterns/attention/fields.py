"""Fields, rules and sentences that the patterns of attention share."""

from __future__ import annotations

import enum
from collections.abc import Callable
from typing import Any

from workbench.core.patterns.common import (
    GPU,
    block_field,
    dialect_rule,
    dtype_field,
    matrix_dtype_rule,
    numbers,
    size_field,
    storage_dtype_rule,
    switch_field,
    threads_rule,
)
from workbench.core.patterns.model import Field, Kind, Rule, Step, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

LOG2_E = "1.4426950408889634"
TENSOR_CORE_ROWS = 16
WARPGROUP_ROWS = 64


class Family(enum.Enum):
    """Kinds of GPUs that call for different tiles of attention."""

    HOPPER = "hopper"
    AMPERE = "ampere"
    SMALL_SHARED = "small shared memory"
    OLD = "no asynchronous copies"
    CDNA = "cdna"


def family_of(target: Target) -> Family:
    """The kind of GPU that decides the tiles."""
    arch = target.arch
    if arch.vendor is Vendor.AMD:
        return Family.CDNA
    if uses_warpgroups(target):
        return Family.HOPPER
    if not arch.has(Feature.CP_ASYNC):
        return Family.OLD
    shared = arch.limits.shared_bytes_per_block_opt_in or 0
    return Family.AMPERE if shared > 128 * 1024 else Family.SMALL_SHARED


def uses_warpgroups(target: Target) -> bool:
    """Whether T.gemm becomes wgmma: Hopper, and lowered for it."""
    return target.arch.has(Feature.WGMMA) and target.lowering_arch == target.arch.name


def multiprocessors(target: Target) -> int:
    """How many multiprocessors the target has; 0 where it is not known."""
    return max(target.sm_counts.values(), default=0)


def matrix_unit(target: Target) -> str:
    """What multiplies, as a sentence begins with it."""
    if target.arch.vendor is Vendor.AMD:
        return f"matrix cores (MFMA) of {short_label(target)}"
    if uses_warpgroups(target):
        return "Hopper's warpgroup products (wgmma) and TMA"
    return f"tensor cores with mma.sync ({short_label(target)} or newer)"


def batch_field(default: int = 8) -> Field:
    """How many sequences there are."""
    return size_field(
        "batch", "Batch", "Sequences of one launch.", default, r"\bbatch(?: size)?\b", r"\bb\b"
    )


def heads_field(default: int = 16) -> Field:
    """Heads of the queries."""
    return size_field("heads", "Heads", "Heads of the queries.", default, r"\bheads?\b", r"\bh\b")


def kv_heads_field(default: int = 16) -> Field:
    """Heads of keys and values."""
    return size_field(
        "kv_heads",
        "Key-value heads",
        "Heads of keys and values; fewer than those of the queries share each among a group (GQA), "
        "one is shared by all (MQA).",
        default,
        r"\b(?:kv|key[- ]value)[- _]heads?\b",
    )


def length_field(name: str, title: str, text: str, default: int, *words: str) -> Field:
    """How many tokens a sequence has."""
    return size_field(name, title, text, default, *words)


SEQ_WORDS = (r"\bseq(?:uence)?s?(?:[- _]?len(?:gth)?)?\b", r"\bs\b", r"\btokens?\b")
CONTEXT_WORDS = (r"\bcontext(?:[- ]len(?:gth)?)?\b", r"\bkv[- ]len(?:gth)?\b", *SEQ_WORDS)


def dim_field(default: int = 128, *offered: int) -> Field:
    """Values of a head."""
    return Field(
        "dim",
        Kind.INTEGER,
        Step.REQUIREMENTS,
        "Head dimension",
        "Values of one head's query, key and value.",
        default,
        numbers(*(offered or (64, 128, 256))),
        "elements",
        64,
        256,
        power_of_two=True,
        words=(r"\b(?:head[- _])?dim(?:ension)?\b", r"\bd\b"),
    )


def half_field() -> Field:
    """The format of the operands: those of 16 bits."""
    return dtype_field("float16", "float16", "bfloat16")


def causal_field() -> Field:
    """Whether a token attends to those before it only."""
    return switch_field(
        "causal",
        Step.REQUIREMENTS,
        "Causal",
        "A token attends to itself and those before it: half of the tiles need not be computed.",
        False,
        r"\bcausal\b",
        r"\bauto-?regressive\b",
    )


def query_block_field(default: int = 128) -> Field:
    """Rows of queries of a tile."""
    return block_field(
        "block_M",
        "Block M",
        "Queries of one block; keys and values are read once for all of them.",
        default,
        (64, 128),
        16,
        256,
    )


def key_block_field(default: int = 128) -> Field:
    """Keys of a step."""
    return block_field(
        "block_N", "Block N", "Keys and values of one step.", default, (32, 64, 128), 16, 256
    )


def groups_rule() -> Rule:
    """The heads of the queries are shared out evenly."""

    def broken(values: Values, target: Target) -> str | None:
        heads, shared = values["heads"], values["kv_heads"]
        if heads % shared == 0:
            return None
        return f"{heads} heads of queries cannot share {shared} heads of keys evenly."

    return Rule("heads-not-in-groups", "Groups of heads", ("kv_heads", "heads"), broken)


def rows_rule(rows: str = "block_M") -> Rule:
    """Each warp has whole rows of tensor-core tiles, so that a row's maximum stays in a warp."""

    def broken(values: Values, target: Target) -> str | None:
        warp = target.arch.limits.warp_size or 32
        warps = max(1, values["threads"] // warp)
        if uses_warpgroups(target) and values[rows] >= WARPGROUP_ROWS:
            groups = max(1, values["threads"] // 128)
            if values[rows] % (WARPGROUP_ROWS * groups) == 0 and values["threads"] % 128 == 0:
                return None
            return (
                f"A warpgroup of 128 threads multiplies {WARPGROUP_ROWS} rows at once: "
                f"{values['threads']} threads cannot share {values[rows]}."
            )
        if values[rows] % (warps * TENSOR_CORE_ROWS) == 0:
            return None
        return (
            f"{warps} warps would share {values[rows]} rows; each needs whole tiles of "
            f"{TENSOR_CORE_ROWS}, since it keeps its rows' maxima and sums."
        )

    return Rule("rows-not-of-whole-warps", "Rows of a warp", ("threads", rows), broken)


def unit_rules() -> tuple[Rule, ...]:
    """There is a matrix unit that takes the format, with threads of whole warps."""
    why = (
        "Attention keeps tiles of scores in registers between two products, which TileLang has "
        "for NVIDIA's and AMD's matrix units only."
    )

    def no_fragments(values: Values, target: Target) -> str | None:
        return why if target.arch.vendor not in (Vendor.NVIDIA, Vendor.AMD) else None

    return (
        dialect_rule((GPU,), why),
        Rule("no-scores-in-registers", "Target", (), no_fragments),
        storage_dtype_rule(),
        matrix_dtype_rule(),
        threads_rule(),
    )


def copies_asynchronously(target: Target) -> bool:
    """Whether tiles are copied by cp.async: it is there, and no TMA is used."""
    arch = target.arch
    tma = arch.has(Feature.TMA) and target.lowering_arch == arch.name
    return arch.has(Feature.CP_ASYNC) and not tma


def unknown_turns_rule(varies: Callable[[Values], bool]) -> Rule:
    """A loop that may have any number of turns has one stage where copies are cp.async.

    TileLang 0.1.15 gives up on the number of copies to wait for at the end of such a loop
    ("Downcast from tirx.Sub to ir.IntImm failed").
    """

    def broken(values: Values, target: Target) -> str | None:
        if not copies_asynchronously(target) or values["num_stages"] < 2 or not varies(values):
            return None
        return (
            "The loop may have fewer turns than stages: TileLang does not pipeline it with "
            "cp.async."
        )

    return Rule("turns-not-known", "Stages", ("num_stages",), broken)


def sharing(values: Values) -> str:
    """How heads share keys, in the field's words."""
    if values["kv_heads"] == values["heads"]:
        return "multi-head"
    return "multi-query" if values["kv_heads"] == 1 else "grouped-query"


def stages_comment(stages: int, what: str) -> str:
    """The comment above a pipelined loop."""
    if stages < 2:
        return f"One stage: {what} are copied, then multiplied."
    following = "next" if stages == 2 else f"next {stages - 1}"
    return f"The {following} {what} are on their way while these are multiplied."


def small_heads(values: Values, groups: int = 2) -> dict[str, Any]:
    """Heads of a small problem with the same kind of sharing: few, and not as many as sequences."""
    if values["kv_heads"] == values["heads"]:
        return {"heads": groups, "kv_heads": groups}
    if values["kv_heads"] == 1:
        return {"heads": 2 * groups, "kv_heads": 1}
    return {"heads": 2 * groups, "kv_heads": groups}
