"""The pattern of a decoding step of latent attention (MLA): all heads read one cache of latents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.alternating import (
    all_threads,
    alternating_bytes,
    alternating_registers,
    alternating_rules,
    alternating_why,
    alternating_words,
    schedule_advice,
)
from workbench.core.patterns.attention.fields import (
    CONTEXT_WORDS,
    LOG2_E,
    Family,
    batch_field,
    family_of,
    half_field,
    heads_field,
    key_block_field,
    length_field,
    matrix_unit,
    multiprocessors,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
    uses_warpgroups,
)
from workbench.core.patterns.attention.roles import has_roles, schedule_field
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
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target

_BYTES = 2


def _width_field(name: str, title: str, text: str, default: int, *offered: int) -> Field:
    return Field(
        name, Kind.INTEGER, Step.REQUIREMENTS, title, text, default, numbers(*offered), "elements",
        16, 1024, power_of_two=True,
    )  # fmt: skip


_FIELDS = (
    batch_field(128),
    heads_field(128),
    length_field("context", "Context", "Tokens in the cache.", 8192, *CONTEXT_WORDS),
    _width_field(
        "latent", "Latent", "Values of a token's latent, key and value at once.", 512, 512
    ),
    _width_field("rope", "Rotated part", "Values of a key that carry its position.", 64, 64),
    half_field(),
    head_block_field(64),
    key_block_field(64),
    threads_field(256, 64),
    split_field(),
    stages_field(2, 3),
    schedule_field(),
    *tolerance_fields(),
)


def _shared_bytes(values: Values, target: Target) -> int:
    """Bytes of the queries and weights, and of latents and rotated keys in each stage."""
    if has_roles(values):
        return alternating_bytes(values)
    width = values["latent"] + values["rope"]
    heads, keys, stages = values["block_H"], values["block_N"], max(1, values["num_stages"])
    return int((heads * width + heads * keys + stages * keys * width) * _BYTES)


def _registers(values: Values, target: Target) -> int:
    if has_roles(values):
        return alternating_registers(values, target)
    return int(values["block_H"] * (values["latent"] + values["block_N"]) // values["threads"])


def _uneven(values: Values, target: Target) -> str | None:
    if values["heads"] % values["block_H"] == 0:
        return None
    return f"{values['heads']} heads are no whole tiles of {values['block_H']}."


_RULES = (
    *unit_rules(),
    unknown_turns_rule(lambda values: bool(values["num_split"] > 1)),
    Rule("heads-not-in-tiles", "Heads of a tile", ("block_H", "heads"), _uneven),
    columns_rule(),
    shared_rule(_shared_bytes, "num_stages", "block_N", "block_H"),
    registers_rule(_registers, "threads", "block_H"),
    split_rule(),
    *alternating_rules(),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    family = family_of(target)
    heads, keys, threads, stages = {
        Family.HOPPER: (64, 64, 256, 2),
        Family.AMPERE: (32, 32, 128, 2),
        Family.SMALL_SHARED: (16, 32, 128, 1),
        Family.OLD: (16, 32, 128, 1),
        Family.CDNA: (16, 32, 128, 1),
    }[family]
    heads = min(heads, values["heads"])
    tiles = values["batch"] * ceildiv(values["heads"], heads)
    reason = {
        Family.HOPPER: "64 rows are what a warpgroup multiplies; the result takes 128 registers.",
        Family.CDNA: "Queries and latents of 576 values fit the 64 KiB of LDS with 16 heads.",
    }.get(family, "Queries and latents of 576 values share shared memory.")
    return {
        "block_H": Advice(heads, reason),
        "block_N": Advice(keys, "What is left of shared memory beside the queries."),
        "threads": Advice(
            threads, f"The result takes {heads * 512 // threads} registers a thread."
        ),
        "num_stages": Advice(
            stages,
            "The next latents are on their way while these are multiplied twice."
            if stages > 1
            else "Shared memory has room for one tile of latents.",
        ),
        "num_split": split_advice(tiles, values, target, 1),
        "schedule": schedule_advice(values, target, heads),
    }


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    roles = has_roles(values)
    return Program(
        "mla_decode",
        "mla_decode_alternating.py.j2" if roles else "mla_decode.py.j2",
        {
            **values,
            **(alternating_words(values) if roles else _compiled_words(values, target)),
            "log2_e": LOG2_E,
            "width": "latent",
            "split": values["num_split"] > 1,
            "combining": combining_threads(values["latent"], target),
        },
        f"A decoding step of latent attention (MLA) in {DTYPES[values['dtype']].title}: all heads "
        "read one cache.",
        (
            "kernel = mla_decode({batch}, {heads}, {context})".format(**values),
            "# Q, Out: (batch, heads, latent); KV: (batch, context, latent); others: (..., rope)",
            "Out = kernel(Q, Q_rope, KV, K_rope)",
        ),
        f"{matrix_unit(target)}; {size(_shared_bytes(values, target))} of shared memory and "
        f"{all_threads(values)} threads a block.",
        _sizes(values, target),
        _cases(values),
        _why(values, target),
        "the weights are rounded to the operands' format before the second product.",
    )


def _compiled_words(values: Values, target: Target) -> dict[str, Any]:
    split = values["num_split"] > 1
    steps = "steps = T.ceildiv(context, block_N)"
    if split:
        steps = "steps = T.ceildiv(T.max(T.min(context - first, part), 0), block_N)"
    return {
        "staged": uses_warpgroups(target) and not split,
        "steps": steps,
        "token": "first + k * block_N" if split else "k * block_N",
        "why_stages": stages_comment(values["num_stages"], "latents"),
    }


def _sizes(values: Values, target: Target) -> str:
    tiles = values["batch"] * ceildiv(values["heads"], values["block_H"])
    blocks = tiles * values["num_split"]
    units = multiprocessors(target)
    waves = f", {blocks / units:.2f} waves of {short_label(target)}" if units else ""
    flop = 2 * values["block_H"] * (2 * values["latent"] + values["rope"])
    byte = _BYTES * (values["latent"] + values["rope"])
    return (
        f"{values['block_H']} heads a block and {values['num_split']} parts of a sequence make "
        f"{blocks} blocks{waves}. Each byte of the cache feeds {flop / byte:.0f} FLOP in a block; "
        f"the result of {values['block_H']} × {values['latent']} takes "
        f"{values['block_H'] * values['latent'] // values['threads']} registers of each of "
        f"{values['threads']} threads."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """A context with a tail, whole tiles, and the sizes asked for."""
    h, n, split = values["block_H"], values["block_N"], values["num_split"]
    parts = {"num_split": min(split, 3)} if split > 1 else {}
    tails = {"batch": 1, "heads": 2 * h, "context": 4 * n + 24}
    whole = {"batch": 3, "heads": h, "context": 3 * n}
    real = {name: values[name] for name in ("batch", "heads", "context")}
    name = "b{batch}-h{heads}-c{context}".format(**real)
    named: list[tuple[str, dict[str, Any], dict[str, Any]]] = [
        ("tails", tails, parts),
        ("whole-tiles", whole, parts),
        (name, real, {}),
    ]
    widths = {"latent": values["latent"], "rope": values["rope"]}
    return tuple(
        Case(
            name,
            {**sizes, **widths, **more},
            flops="2 * batch * heads * context * (2 * latent + rope)",
            baseline="torch_mla",
            **tolerances(values),
        )
        for name, sizes, more in named
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    return (
        Why(
            "One tile, two products",
            "A token's latent is the key and the value of all heads: a tile is loaded once, "
            "multiplied by the queries, and multiplied again by the weights.",
        ),
        *(alternating_why() if has_roles(values) else _compiled_why(values)),
        Why("Tiles", _sizes(values, target)),
        Why("Parts of a sequence", split_why(values, target)),
        Why(
            "Base two",
            "exp(x) is exp2(x · log2 e); the scale of the scores goes into the same factor.",
        ),
    )


def _compiled_why(values: Values) -> tuple[Why, ...]:
    return (
        Why(
            "Columns a warp",
            "The result is 512 wide: by rows a warp would need it all in its registers. FullCol "
            "gives each warp columns, and the weights go through shared memory.",
        ),
        Why("Pipeline", stages_comment(values["num_stages"], "latents")),
    )


MLA_DECODE = Pattern(
    "mla-decode",
    "Attention",
    "DeepSeek MLA, decoding",
    "Latent attention over one cache for all heads: 512 values and 64 rotated ones a token.",
    2,
    _FIELDS,
    _RULES,
    (
        r"\b(?:deepseek )?mla(?: decod(?:e|ing))?\b",
        r"\b(?:multi-head )?latent attention(?: decod(?:e|ing))?\b",
    ),
    ("batch", "heads", "context"),
    _advise,
    _program,
)
