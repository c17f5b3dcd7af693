"""The pattern of FlashAttention's forward pass: the scores never leave the multiprocessor."""

from __future__ import annotations

from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.attention.accuracy import causal_tolerances
from workbench.core.patterns.attention.fields import (
    LOG2_E,
    batch_field,
    causal_field,
    dim_field,
    half_field,
    heads_field,
    kv_heads_field,
    length_field,
    small_heads,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
)
from workbench.core.patterns.attention.fields import SEQ_WORDS as SEQ
from workbench.core.patterns.attention.fields import groups_rule as shared_heads
from workbench.core.patterns.attention.fields import rows_rule as whole_warps
from workbench.core.patterns.attention.footprint import (
    registers_in_loop,
    registers_kept,
    shared_bytes,
)
from workbench.core.patterns.attention.forward_words import (
    formula,
    hardware,
    tiles_chosen,
    usage,
    why_order,
    whys,
)
from workbench.core.patterns.attention.roles import (
    QUERIES_OF_ROLES,
    TURNS_OF_TWO,
    has_roles,
    queries_field,
    role_rules,
    role_words,
    schedule_field,
    tile_fields,
)
from workbench.core.patterns.attention.tiles import advise_schedule
from workbench.core.patterns.common import (
    choice_field,
    registers_rule,
    shared_rule,
    stages_field,
    switch_field,
    threads_field,
    tolerance_fields,
)
from workbench.core.patterns.model import (
    Option,
    Pattern,
    Program,
    Rule,
    Setting,
    Step,
    Values,
)
from workbench.core.patterns.rendering import call
from workbench.core.targets.model import Feature, Target, Vendor

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
    schedule_field(turns=True),
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
    queries_field(),
    *tolerance_fields(),
)


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
    registers_rule(registers_in_loop, "threads", "block_N", "block_M"),
    *role_rules(registers_kept, "queries_in_registers"),
    TURNS_OF_TWO,
    QUERIES_OF_ROLES,
    Rule("long-rows-last", "Order of blocks", ("order",), _unordered, advisory=True),
)


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    return Program(
        "flash_attention",
        "flash_attention.py.j2",
        {**values, **_code(values, setting), **_role_code(values), **_functions(values, target)},
        formula(values),
        usage(values),
        hardware(values, target),
        tiles_chosen(values, target),
        _cases(values),
        whys(values, target),
        "the weights are rounded to the operands' format before the second product, as other "
        "kernels of attention do.",
    )


def _code(values: Values, setting: Setting) -> dict[str, Any]:
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
        "swizzled": setting.lacks(Feature.TMA),
        "tile": "(tiles - 1 - bx)" if heads_first else "bx",
        "why_order": why_order(values),
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
        **causal_tolerances(values),
    )


FLASH_ATTENTION = Pattern(
    "flash-attention",
    "Attention",
    "FlashAttention, forward",
    "Softmax(Q Kᵀ) V without the matrix of scores: MHA, GQA, causal, packed sequences.",
    3,
    _FIELDS,
    _RULES,
    (r"\bflash[- ]?attention\b", r"\battention\b", r"\bmha\b", r"\bgqa\b", r"\bsdpa\b"),
    ("batch", "heads", "seq_len", "dim"),
    advise_schedule,
    _program,
)
