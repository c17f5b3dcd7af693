"""The pattern of block-sparse attention: of the tiles of scores only those of a list count."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.accuracy import causal_tolerances
from workbench.core.patterns.attention.fields import (
    LOG2_E,
    SEQ_WORDS,
    batch_field,
    causal_field,
    dim_field,
    groups_rule,
    half_field,
    heads_field,
    key_block_field,
    kv_heads_field,
    length_field,
    matrix_unit,
    query_block_field,
    rows_rule,
    sharing,
    small_heads,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
)
from workbench.core.patterns.attention.footprint import registers_kept, shared_bytes
from workbench.core.patterns.attention.tiles import advise
from workbench.core.patterns.common import (
    ceildiv,
    registers_rule,
    shared_rule,
    stages_field,
    threads_field,
    tolerance_fields,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.model import (
    Advice,
    Field,
    Goal,
    Kind,
    Pattern,
    Program,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rendering import call
from workbench.core.targets.model import Feature, Target

_FIELDS = (
    batch_field(2),
    heads_field(),
    kv_heads_field(),
    length_field("seq_len", "Length", "Tokens of a sequence.", 8192, *SEQ_WORDS),
    dim_field(),
    half_field(),
    causal_field(),
    Field(
        "density",
        Kind.NUMBER,
        Step.CASES,
        "Density",
        "The share of tiles beside the diagonal that the cases draw.",
        0.25,
        low=0,
        high=1,
    ),
    query_block_field(),
    key_block_field(),
    threads_field(256, 64),
    stages_field(2, 4),
    *tolerance_fields(),
)
_RULES = (
    *unit_rules(),
    groups_rule(),
    unknown_turns_rule(lambda values: True),
    rows_rule(),
    shared_rule(shared_bytes, "num_stages", "block_N", "block_M"),
    registers_rule(registers_kept, "threads", "block_N", "block_M"),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    advice = dict(advise(values, target, goal))
    del advice["order"]
    return advice


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    causal = "causal " if values["causal"] else ""
    options = ["attn_mask=mask"]
    options += [] if values["kv_heads"] == values["heads"] else ["enable_gqa=True"]
    sizes = ", ".join(str(values[n]) for n in ("batch", "heads", "kv_heads", "seq_len", "dim"))
    return Program(
        "block_sparse_attention",
        "block_sparse_attention.py.j2",
        {
            **values,
            "log2_e": LOG2_E,
            "swizzled": setting.lacks(Feature.TMA),
            "attend": call("F.scaled_dot_product_attention", ["q", "k", "v", *options], 10),
        },
        f"Block-sparse {causal}{sharing(values)} attention in {DTYPES[values['dtype']].title}: a "
        "list of tiles for each row.",
        (
            f"kernel = block_sparse_attention({sizes})",
            "# Tiles: (batch, heads, rows, columns) int32, the first Counts of each row count",
            "Out = kernel(Q, K, V, Tiles, Counts)",
        ),
        f"{matrix_unit(target)}; {size(shared_bytes(values, target))} of shared memory and "
        f"{values['threads']} threads a block.",
        _sizes(values),
        _cases(values),
        _why(values),
        _results(values),
    )


def _results(values: Values) -> str:
    """What the result depends on, and which of it is least exact."""
    given = "each row of tiles has at least one; a row without any would be 0 / 0."
    if not values["causal"]:
        return given
    return (
        f"{given} Queries that see few keys are off the most, since the rounding of their weights "
        "does not average out: the cases' tolerance is theirs."
    )


def _sizes(values: Values) -> str:
    m, n = values["block_M"], values["block_N"]
    rows = ceildiv(values["seq_len"], m) * values["heads"] * values["batch"]
    return (
        f"{m} queries a block make {rows} blocks. Smaller tiles follow a pattern more closely, "
        f"larger ones of {m} × {n} keep the matrix unit busy."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """Tails in both tiles, whole tiles, and the sizes asked for."""
    longest = max(values["block_M"], values["block_N"])
    few = small_heads(values)
    tails = {"batch": 1, **few, "seq_len": 2 * longest + 24}
    whole = {"batch": 2, **few, "seq_len": 3 * longest}
    real = {name: values[name] for name in ("batch", "heads", "kv_heads", "seq_len")}
    name = "b{batch}-h{heads}-s{seq_len}".format(**real)
    factor: float = (2 if values["causal"] else 4) * values["density"]
    return tuple(
        Case(
            name,
            {**sizes, "dim": values["dim"]},
            flops=f"{factor:g} * batch * heads * seq_len * seq_len * dim",
            baseline="torch_attention",
            **causal_tolerances(values),
        )
        for name, sizes in (("tails", tails), ("whole-tiles", whole), (name, real))
    )


def _why(values: Values) -> tuple[Why, ...]:
    return (
        Why(
            "Lists of tiles",
            "A mask would have each block look at all tiles and branch; a list names those that "
            "count, so that the loop has no branch and the next tile is known ahead of time.",
        ),
        Why("Tiles", _sizes(values)),
        Why("Pipeline", stages_comment(values["num_stages"], "keys and values")),
        Why(
            "Scores stay on the chip",
            "As in dense FlashAttention maximum and sum of a row are carried from tile to tile, in "
            "whatever order they come.",
        ),
    )


BLOCK_SPARSE_ATTENTION = Pattern(
    "block-sparse-attention",
    "Attention",
    "Block-sparse attention",
    "Attention over the tiles of scores that a list names for each row of them.",
    2,
    _FIELDS,
    _RULES,
    (r"\b(?:block[- ]?)?sparse attention\b",),
    ("batch", "heads", "seq_len", "dim"),
    _advise,
    _program,
)
