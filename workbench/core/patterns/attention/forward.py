"""The pattern of FlashAttention's forward pass: the scores never leave the multiprocessor."""

from __future__ import annotations

from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.fields import (
    LOG2_E,
    Family,
    batch_field,
    causal_field,
    dim_field,
    family_of,
    half_field,
    heads_field,
    kv_heads_field,
    length_field,
    matrix_unit,
    multiprocessors,
    sharing,
    small_heads,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
)
from workbench.core.patterns.attention.fields import SEQ_WORDS as SEQ
from workbench.core.patterns.attention.fields import groups_rule as shared_heads
from workbench.core.patterns.attention.fields import rows_rule as whole_warps
from workbench.core.patterns.attention.roles import (
    COPYING_THREADS,
    has_roles,
    role_rules,
    role_words,
    schedule_field,
    tile_fields,
)
from workbench.core.patterns.attention.tiles import advise_schedule
from workbench.core.patterns.common import (
    ceildiv,
    choice_field,
    registers_rule,
    shared_rule,
    stages_field,
    switch_field,
    threads_field,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import (
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rendering import call
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

_BYTES = 2
_FIELDS = (
    batch_field(),
    heads_field(),
    kv_heads_field(),
    length_field("seq_len", "Length", "Tokens of a sequence; of the longest.", 4096, *SEQ),
    dim_field(),
    half_field(),
    causal_field(),
    switch_field(
        "variable",
        Step.REQUIREMENTS,
        "Variable length",
        "Sequences of different lengths lie behind each other without padding.",
        False,
        r"\b(?:variable|var)[- ]?len(?:gth)?s?\b",
        r"\bpacked\b",
        r"\bragged\b",
    ),
    *tile_fields(),
    threads_field(256, 64),
    schedule_field(),
    stages_field(2, 4),
    choice_field(
        "order",
        Step.PIPELINE,
        "Order of blocks",
        "Which blocks run at the same time.",
        "tiles",
        Option("tiles", "Tiles first", "Tiles of one head after each other: they share its keys."),
        Option(
            "heads",
            "Heads first",
            "The same tile of all heads, the last first: with a causal mask it is the longest.",
        ),
    ),
    *tolerance_fields(),
)


def shared_bytes(values: Values, target: Target) -> int:
    """Bytes of Q's tile and of K's and V's in each stage; the results take the place of one.

    Within the condition of packed sequences TileLang gives the results a place of their own; on
    CDNA the sums over lanes take some, too. The barriers of roles have a KiB for themselves.
    """
    apart = values.get("variable") and not has_roles(values)
    rows = values["block_M"] * (2 if apart else 1)
    keys = 2 * max(1, values["num_stages"]) * values["block_N"]
    sums = 8 * values["threads"] if family_of(target) is Family.CDNA else 0
    barriers = 1024 if has_roles(values) else 0
    return int((rows + keys) * values["dim"] * _BYTES + sums + barriers)


def registers_kept(values: Values, target: Target) -> int:
    """Values that a thread keeps: results and scores in 32 bits, weights two in a register."""
    m, n = values["block_M"], values["block_N"]
    return int((m * values["dim"] + m * n + m * n // 2) // values["threads"])


def _unordered(values: Values, target: Target) -> str | None:
    if values["causal"] and values["order"] == "tiles":
        return (
            "With a causal mask the last tile of a sequence has the most work: blocks that begin "
            "with it late leave the other multiprocessors idle at the end."
        )
    return None


_RULES = (
    *unit_rules(),
    unknown_turns_rule(lambda values: bool(values["variable"] or values["causal"])),
    shared_heads(),
    whole_warps(),
    shared_rule(shared_bytes, "num_stages", "block_N", "block_M"),
    registers_rule(registers_kept, "threads", "block_N", "block_M"),
    *role_rules(registers_kept),
    Rule("long-rows-last", "Order of blocks", ("order",), _unordered, advisory=True),
)


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    return Program(
        "flash_attention",
        "flash_attention.py.j2",
        {**values, **_code(values, target), **_role_code(values), **_functions(values, target)},
        _formula(values),
        _usage(values),
        _hardware(values, target),
        _sizes(values, target),
        _cases(values),
        _why(values, target),
        "the weights are rounded to the operands' format before the second product, as other "
        "kernels of attention do.",
    )


def _code(values: Values, target: Target) -> dict[str, Any]:
    """The expressions of the kernel that depend on causality, packing and order."""
    packed, heads_first = values["variable"], values["order"] == "heads"
    named = heads_first or has_roles(values)
    tiles = "tiles" if named else "T.ceildiv(seq_len, block_M)"
    return {
        "log2_e": LOG2_E,
        "shape_Q": "(total, heads, dim)" if packed else "(batch, seq_len, heads, dim)",
        "shape_K": "(total, kv_heads, dim)" if packed else "(batch, seq_len, kv_heads, dim)",
        "grid": f"heads, {tiles}, batch" if heads_first else f"{tiles}, heads, batch",
        "block": "by, bx, bz" if heads_first else "bx, by, bz",
        "tiles_named": named,
        "swizzled": not target.arch.has(Feature.TMA),
        "tile": "(tiles - 1 - bx)" if heads_first else "bx",
        "why_order": _why_order(values),
        "part_Q": f"Q[{_rows(packed)}, by, :]",
        "part_O": f"Out[{_rows(packed)}, by, :]",
        "wide": _wide(packed),
        "steps": _steps(values),
        "needed": _mask_needed(values),
        "counts": _counts(values),
        "why_stages": stages_comment(values["num_stages"], "keys and values"),
    }


def _rows(packed: bool) -> str:
    """A tile's queries as an index: of the packed tokens, or behind the sequence's number."""
    return "query : query + block_M" if packed else "bz, first : first + block_M"


def _wide(packed: bool) -> dict[str, str]:
    """The keys and the values of a step."""
    rows = "key : key + block_N" if packed else "bz, k * block_N : (k + 1) * block_N"
    return {name: f"{name}[{rows}, by // group, :]" for name in "KV"}


def _role_code(values: Values) -> dict[str, Any]:
    """The expressions of a kernel with roles, which takes its keys from the last to the first."""
    packed, causal = values["variable"], values["causal"]
    start = "start + " if packed else ""
    rows = "key : key + block_N" if packed else "bz, key : key + block_N"
    return {
        **role_words(values),
        "key": f"{start}last - k * block_N",
        "role_wide": {name: f"{name}[{rows}, by // group, :]" for name in "KV"},
        "role_counts": "first + i >= last + j" if causal else f"last + j < {_length(values)}",
    }


def _why_order(values: Values) -> str:
    if values["order"] == "tiles":
        return (
            "bx runs fastest: blocks that run together share the keys and values of a head in L2."
        )
    if values["causal"]:
        return (
            "The last tile has the most keys, so it starts first, of all heads: what is left at "
            "the end of the launch is short."
        )
    return "Heads run fastest: blocks that run together read the keys of several heads."


def _steps(values: Values) -> str:
    if values["causal"]:
        return f"T.ceildiv(T.min(first + block_M, {_length(values)}), block_N)"
    return f"T.ceildiv({_length(values)}, block_N)"


def _length(values: Values) -> str:
    return "length" if values["variable"] else "seq_len"


def _mask_needed(values: Values) -> str:
    """What is true of a tile with scores that do not count; the end is seen by no stored row."""
    if values["causal"]:
        return "(k + 1) * block_N > first"
    return f"(k + 1) * block_N > {_length(values)}"


def _counts(values: Values) -> str:
    if values["causal"]:
        return "first + i >= k * block_N + j"
    return f"k * block_N + j < {_length(values)}"


def _functions(values: Values, target: Target) -> dict[str, Any]:
    """What the reference and the baseline are made of."""
    options = [
        *(["is_causal=True"] if values["causal"] else []),
        *(["enable_gqa=True"] if values["kv_heads"] != values["heads"] else []),
    ]
    return {
        "backends": target.arch.vendor is Vendor.NVIDIA and not values["variable"],
        "attend": call("F.scaled_dot_product_attention", ["q", "k", "v", *options], 10),
        "attend_inner": call("F.scaled_dot_product_attention", ["q", "k", "v", *options], 14),
    }


def _formula(values: Values) -> str:
    causal = "causal " if values["causal"] else ""
    packed = " over packed sequences" if values["variable"] else ""
    title = DTYPES[values["dtype"]].title
    kind = sharing(values)
    return f"Out = softmax(Q Kᵀ / √dim) V, {causal}{kind} attention{packed} in {title}."


def _usage(values: Values) -> tuple[str, ...]:
    sizes = ", ".join(str(values[n]) for n in ("batch", "heads", "kv_heads", "seq_len", "dim"))
    lead = f"kernel = flash_attention({sizes})"
    if values["variable"]:
        return (
            lead,
            "Out = kernel(Q, K, V, Starts)  # Q: (total, heads, dim); Starts: (batch + 1,) int32",
        )
    return lead, f"Out = kernel(Q, K, V)  # (batch, seq_len, heads, dim) {values['dtype']}"


def _hardware(values: Values, target: Target) -> str:
    threads = values["threads"] + (COPYING_THREADS if has_roles(values) else 0)
    return (
        f"{matrix_unit(target)}; {size(shared_bytes(values, target))} of shared memory and "
        f"{threads} threads a block."
    )


def _sizes(values: Values, target: Target) -> str:
    m, n = values["block_M"], values["block_N"]
    blocks = ceildiv(values["seq_len"], m) * values["heads"] * values["batch"]
    units = multiprocessors(target)
    waves = f", {blocks / units:.1f} waves of {short_label(target)}" if units else ""
    return (
        f"{m} queries a block make {blocks} blocks{waves}; each key and value that comes from L2 "
        f"is used for all of them ({2 * m} FLOP a byte). Scores of {m} × {n} and results of "
        f"{m} × {values['dim']} take {registers_kept(values, target)} registers of each of "
        f"{values['threads']} threads."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """Tails in both tiles, whole tiles, and the sizes asked for."""
    m, n = values["block_M"], values["block_N"]
    few = small_heads(values)
    tails = {"batch": 1, **few, "seq_len": max(m, n) + 24}
    # With roles more tiles than stages, so that each place in shared memory is used again.
    count = 2 * max(1, values["num_stages"]) if has_roles(values) else 2
    whole = {"batch": 2, **few, "seq_len": count * max(m, n)}
    if values["variable"]:
        tails, whole = {**tails, "batch": 3}, {**whole, "batch": 1}
    real = {name: values[name] for name in ("batch", "heads", "kv_heads", "seq_len")}
    name = "b{batch}-h{heads}-s{seq_len}".format(**real) + f"-d{values['dim']}"
    named = [("tails", tails), ("whole-tiles", whole), (name, real)]
    return tuple(_case(name, sizes, values) for name, sizes in named)


def lengths(batch: int, longest: int) -> list[int]:
    """The lengths that the generated `make_inputs` gives its sequences: from whole to half."""
    return [longest * (2 * batch - b) // (2 * batch) for b in range(batch)]


def _case(name: str, sizes: dict[str, Any], values: Values) -> Case:
    pairs = sum(n * n for n in lengths(sizes["batch"], sizes["seq_len"]))
    work = f"{pairs} * heads" if values["variable"] else "batch * heads * seq_len * seq_len"
    return Case(
        name,
        {**sizes, "dim": values["dim"]},
        dims=(
            {"total": sum(lengths(sizes["batch"], sizes["seq_len"]))} if values["variable"] else {}
        ),
        flops=f"{2 if values['causal'] else 4} * {work} * dim",
        baseline=None if values["variable"] else "torch_attention",
        **tolerances(values),
    )


def _why_pipeline(values: Values) -> Why:
    if not has_roles(values):
        return Why("Pipeline", stages_comment(values["num_stages"], "keys and values"))
    return Why(
        "Warpgroups with roles",
        "One warpgroup copies tiles ahead and needs few registers; the others have the rest. They "
        "begin the scores of the next tile and the product with V of the last, and compute "
        "maxima and exponentials while that product goes on. Keys are taken from the last to the "
        "first, so that masks are needed before the loop only.",
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    found = [
        Why(
            "Scores stay on the chip",
            "A tile of scores becomes weights in registers and is multiplied by V at once: the "
            "seq_len × seq_len matrix is never written. Maximum and sum of a row are carried from "
            "tile to tile, and what was summed so far is scaled when the maximum grows.",
        ),
        Why("Tiles", _sizes(values, target)),
        _why_pipeline(values),
        Why(
            "Whole rows a warp",
            "FullRow gives each warp whole rows of scores, so that their maxima and sums need only "
            "shuffles, and the weights are an operand of the second product as they lie.",
        ),
        Why(
            "Base two",
            "exp(x) is exp2(x · log2 e); the scale of the scores goes into the same factor, so "
            "that each weight takes one multiply-add and one exp2.",
        ),
        Why("Order of blocks", _why_order(values)),
    ]
    if values["causal"]:
        text = (
            "Tiles of keys behind the last query of a block are left out, and only those on the "
            "diagonal are masked: half of the work, and no comparisons in the rest of it."
        )
        found.append(Why("Causal bound", text))
    if values["kv_heads"] != values["heads"]:
        text = "Heads of a group run after each other, so that L2 serves their keys and values."
        found.append(Why("Groups of heads", text))
    return tuple(found)


FLASH_ATTENTION = Pattern(
    "flash-attention",
    "Attention",
    "FlashAttention, forward",
    "Softmax(Q Kᵀ) V without the matrix of scores: MHA, GQA, causal, packed sequences.",
    2,
    _FIELDS,
    _RULES,
    (r"\bflash[- ]?attention\b", r"\battention\b", r"\bmha\b", r"\bgqa\b", r"\bsdpa\b"),
    ("batch", "heads", "seq_len", "dim"),
    advise_schedule,
    _program,
)
