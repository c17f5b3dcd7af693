"""The pattern of flash decoding: one new token a sequence, its keys split among blocks."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.fields import (
    CONTEXT_WORDS,
    LOG2_E,
    Family,
    batch_field,
    dim_field,
    family_of,
    groups_rule,
    half_field,
    heads_field,
    key_block_field,
    kv_heads_field,
    length_field,
    matrix_unit,
    multiprocessors,
    sharing,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
)
from workbench.core.patterns.attention.splitting import (
    columns_rule,
    combining_threads,
    head_block_field,
    split_advice,
    split_field,
    split_rule,
    split_why,
)
from workbench.core.patterns.common import (
    ceildiv,
    numbers,
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
    Advice,
    Field,
    Goal,
    Kind,
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
from workbench.core.targets.model import Target

_BYTES = 2
_FIELDS = (
    batch_field(16),
    heads_field(32),
    kv_heads_field(8),
    length_field("context", "Context", "Tokens in the cache; most of them.", 8192, *CONTEXT_WORDS),
    dim_field(),
    half_field(),
    switch_field(
        "paged",
        Step.REQUIREMENTS,
        "Paged cache",
        "Keys and values lie in pages anywhere in the cache, found by a table; lengths differ.",
        False,
        r"\bpaged?\b",
    ),
    Field(
        "page",
        Kind.INTEGER,
        Step.REQUIREMENTS,
        "Page",
        "Tokens of a page of the cache.",
        64,
        numbers(64, 128, 256),
        "tokens",
        16,
        1024,
        power_of_two=True,
        words=(r"\bpage size\b",),
        matters=lambda values: bool(values["paged"]),
    ),
    head_block_field(16),
    key_block_field(64),
    threads_field(128, 64),
    split_field(),
    stages_field(2, 4),
    *tolerance_fields(),
)


def _shared_bytes(values: Values, target: Target) -> int:
    """Bytes of the queries and weights, and of keys and values in each stage."""
    heads, keys, dim = values["block_H"], values["block_N"], values["dim"]
    stages = max(1, values["num_stages"])
    return int((heads * dim + heads * keys + 2 * stages * keys * dim) * _BYTES)


def _registers(values: Values, target: Target) -> int:
    return int(values["block_H"] * (values["dim"] + values["block_N"]) // values["threads"])


def _across_pages(values: Values, target: Target) -> str | None:
    if not values["paged"] or values["page"] % values["block_N"] == 0:
        return None
    return f"A tile of {values['block_N']} keys would lie across pages of {values['page']}."


_RULES = (
    *unit_rules(),
    unknown_turns_rule(lambda values: values["paged"] or values["num_split"] > 1),
    groups_rule(),
    columns_rule(),
    Rule("tile-across-pages", "Pages", ("block_N", "page"), _across_pages),
    shared_rule(_shared_bytes, "num_stages", "block_N"),
    registers_rule(_registers, "threads", "block_H"),
    split_rule(),
)


# 16 sequences of 8192 tokens, 32 heads over 8 of 128 values in fp16, NVIDIA H200, 2026-11-30,
# tilelang 0.1.15: two parts 134.9 us (3981 GB/s), three 137.3, four 139.1, eight 144.8; 64 keys in
# 2 stages, 128 in 2 and 64 in 3 within 1.5 us of each other. PyTorch takes 130.1 us.
def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    family = family_of(target)
    keys = 64 if family is not Family.OLD else 32
    wide = values["dim"] > 128
    if family is Family.CDNA or (family in (Family.OLD, Family.SMALL_SHARED) and wide):
        keys, stages = (64 if not wide else 32), 1
    else:
        stages = 1 if family is Family.OLD else 2
    if values["paged"]:
        keys = min(keys, values["page"])
    threads = 256 if family is Family.CDNA else 128
    tiles = values["batch"] * values["kv_heads"] * ceildiv(_group(values), 16)
    return {
        "block_H": Advice(16, "The fewest rows that a matrix unit multiplies; the cache decides."),
        "block_N": Advice(keys, "A copy of a tile is long enough to use the memory's bandwidth."),
        "threads": Advice(threads, f"Each of the warps takes {keys * 32 // threads} keys or more."),
        "num_stages": Advice(
            stages,
            "The next tile is on its way while this one is used: bytes in flight decide."
            if stages > 1
            else "Several blocks of a multiprocessor hide each other's waits.",
        ),
        "num_split": split_advice(tiles, values, target, 2),
    }


def _group(values: Values) -> int:
    return max(1, int(values["heads"]) // int(values["kv_heads"]))


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    return Program(
        "flash_decoding",
        "flash_decoding.py.j2",
        {**values, **_code(values), "combining": combining_threads(values["dim"], target)},
        _formula(values),
        _usage(values),
        _hardware(values, target),
        _sizes(values, target),
        _cases(values),
        _why(values, target),
        "the weights are rounded to the operands' format before the second product; parts are "
        "kept in fp32.",
    )


def _code(values: Values) -> dict[str, Any]:
    """The expressions of the kernel that depend on splitting and paging."""
    split, paged = values["num_split"] > 1, values["paged"]
    token = "first + k * block_N" if split else "k * block_N"
    if paged:
        rows = "where, token % page : token % page + block_N"
    elif split:
        rows = "bz, token : token + block_N"
    else:
        rows = "bz, k * block_N : (k + 1) * block_N"
    gqa = [] if values["kv_heads"] == values["heads"] else ["enable_gqa=True"]
    sdpa = "F.scaled_dot_product_attention"
    return {
        "log2_e": LOG2_E,
        "width": "dim",
        "split": split,
        "shape_K": "(batch * pages, page, kv_heads, dim)"
        if paged
        else "(batch, context, kv_heads, dim)",
        "token": token,
        "part_K": f"K[{rows}, shared_head, :]",
        "part_V": f"V[{rows}, shared_head, :]",
        "steps": _steps(values, split),
        "counts": f"{token if not split else 'token'} + j < context",
        "attend": call(sdpa, ["q", "k", "v", *gqa], 10),
        "attend_masked": call(sdpa, ["q", "k", "v", "attn_mask=mask", *gqa], 10),
        "why_stages": stages_comment(values["num_stages"], "keys and values"),
    }


def _steps(values: Values, split: bool) -> str:
    length = "Lengths[bz]" if values["paged"] else "context"
    if not split:
        return f"steps = T.ceildiv({length}, block_N)"
    return f"steps = T.ceildiv(T.max(T.min({length} - first, part), 0), block_N)"


def _formula(values: Values) -> str:
    cache = "a paged cache" if values["paged"] else "the cache"
    title = DTYPES[values["dtype"]].title
    return f"One decoding step of {sharing(values)} attention over {cache} in {title}."


def _usage(values: Values) -> tuple[str, ...]:
    sizes = ", ".join(str(values[n]) for n in ("batch", "heads", "kv_heads", "context", "dim"))
    if values["paged"]:
        return (
            f"kernel = flash_decoding({sizes})",
            "Out = kernel(Q, K, V, Pages, Lengths)  # Q: (batch, heads, dim); Pages: int32",
        )
    return (
        f"kernel = flash_decoding({sizes})",
        f"Out = kernel(Q, K, V)  # Q: (batch, heads, dim) {values['dtype']}",
    )


def _hardware(values: Values, target: Target) -> str:
    return (
        f"{matrix_unit(target)}; {size(_shared_bytes(values, target))} of shared memory and "
        f"{values['threads']} threads a block. Bound by memory: the cache is read once."
    )


def _sizes(values: Values, target: Target) -> str:
    tiles = values["batch"] * values["kv_heads"] * ceildiv(_group(values), values["block_H"])
    blocks = tiles * values["num_split"]
    units = multiprocessors(target)
    each = (
        f", {blocks / units:.1f} for each multiprocessor of {short_label(target)}" if units else ""
    )
    return (
        f"{tiles} tiles of queries in {values['num_split']} parts make {blocks} blocks{each}. A "
        f"step of {values['block_N']} keys and values is "
        f"{size(2 * values['block_N'] * values['dim'] * _BYTES)}."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """A context with a tail and fewer heads than rows, whole tiles, and the sizes asked for."""
    n, split = values["block_N"], values["num_split"]
    group = min(_group(values), 4)
    few = {"heads": 2 * group, "kv_heads": 2}
    parts = {"num_split": min(split, 3)} if split > 1 else {}
    tails = {"batch": 2, **few, "context": 5 * n + 24}
    whole = {"batch": 3, "heads": group, "kv_heads": 1, "context": 4 * n}
    names = ("batch", "heads", "kv_heads", "context")
    real = {name: values[name] for name in names}
    name = "b{batch}-h{heads}-c{context}".format(**real)
    named = [("tails", tails, parts), ("whole-tiles", whole, parts), (name, real, {})]
    return tuple(_case(name, sizes, more, values) for name, sizes, more in named)


def _case(name: str, sizes: dict[str, Any], more: dict[str, Any], values: Values) -> Case:
    return Case(
        name,
        {**sizes, "dim": values["dim"], **more},
        flops="4 * batch * heads * context * dim",
        baseline="torch_attention",
        **tolerances(values),
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    found = [Why("Parts of a sequence", split_why(values, target))]
    if values["kv_heads"] != values["heads"]:
        text = (
            f"The {_group(values)} queries of a group are rows of one tile: their keys and values "
            "come from memory once, and the matrix unit multiplies all of them at once."
        )
        found.append(Why("Groups as rows", text))
    found.append(Why("Tiles", _sizes(values, target)))
    found.append(Why("Pipeline", stages_comment(values["num_stages"], "keys and values")))
    text = (
        "With 16 rows there is nothing to share out by rows: FullCol gives each warp keys of its "
        "own. Weights go through shared memory, since each warp multiplies all of them."
    )
    found.append(Why("Columns a warp", text))
    if values["paged"]:
        text = "A page is a multiple of a tile: one look-up in the table finds where it begins."
        found.append(Why("Pages", text))
    return tuple(found)


FLASH_DECODING = Pattern(
    "flash-decoding",
    "Attention",
    "Flash decoding",
    "One new token a sequence over a long cache: split keys, grouped queries, pages.",
    1,
    _FIELDS,
    _RULES,
    (
        r"\bflash[- ]?decod(?:e|ing)\b",
        r"\bsplit[- ]?kv(?: decod(?:e|ing))?\b",
        r"\b(?:attention )?decod(?:e|ing)(?: attention)?\b",
        r"\bpaged attention\b",
    ),
    ("batch", "heads", "context", "dim"),
    _advise,
    _program,
)
