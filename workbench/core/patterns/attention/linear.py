"""The pattern of causal linear attention in chunks: a running state in place of all keys."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.accuracy import linear_tolerances, linear_words
from workbench.core.patterns.attention.fields import (
    SEQ_WORDS,
    Family,
    batch_field,
    dim_field,
    family_of,
    half_field,
    heads_field,
    length_field,
    matrix_unit,
    multiprocessors,
    rows_rule,
    stages_comment,
    unit_rules,
)
from workbench.core.patterns.common import (
    block_field,
    ceildiv,
    numbers,
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
    Rule,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target

_BYTES = 2
_SPILLS_AT = (128, 64)  # the head dimension and the columns of a block: half of all registers
_FIELDS = (
    batch_field(),
    heads_field(),
    length_field("seq_len", "Length", "Tokens of a sequence.", 8192, *SEQ_WORDS),
    dim_field(128, 64, 128),
    Field(
        "dim_v",
        Kind.INTEGER,
        Step.REQUIREMENTS,
        "Value dimension",
        "Values of a head's value, and columns of its state.",
        128,
        numbers(64, 128, 256),
        "elements",
        64,
        512,
        power_of_two=True,
        words=(r"\bvalue[- ]dim(?:ension)?\b",),
    ),
    half_field(),
    block_field("chunk", "Chunk", "Tokens that are worked on at once.", 64, (64, 128), 32, 128),
    block_field(
        "block_V", "Block V", "Columns of V and the state of one block.", 64, (32, 64), 16, 256
    ),
    threads_field(128, 64),
    stages_field(2, 3),
    *tolerance_fields(),
)


def _shared_bytes(values: Values, target: Target) -> int:
    """Bytes of Q, K and V in each stage, and of the state and the weights in the short format."""
    c, d, v = values["chunk"], values["dim"], values["block_V"]
    stages = max(1, values["num_stages"])
    return int((stages * c * (2 * d + v) + d * v + c * c) * _BYTES)


def _registers(values: Values, target: Target) -> int:
    c, d, v = values["chunk"], values["dim"], values["block_V"]
    return int((d * v + c * v + c * c) // values["threads"])


def _wide_block(values: Values, target: Target) -> str | None:
    if values["block_V"] <= values["dim_v"]:
        return None
    return f"V has {values['dim_v']} columns, fewer than block_V = {values['block_V']}."


_RULES = (
    *unit_rules(),
    rows_rule("chunk"),
    Rule("columns-without-values", "Columns of V", ("block_V",), _wide_block),
    shared_rule(_shared_bytes, "num_stages", "block_V", "chunk"),
    registers_rule(_registers, "threads", "block_V", "chunk"),
)


# 8 x 16 heads of 8192 tokens and 128 values in fp16, NVIDIA H200, 2026-11-30, tilelang 0.1.15:
# chunks of 64 and 64 columns a block, 2 stages: 398 us (259 TFLOP/s); PyTorch's chunks 6.6 ms.
def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    family = family_of(target)
    small = family in (Family.CDNA, Family.OLD)
    units = multiprocessors(target) or 128
    rows = values["batch"] * values["heads"]
    wide = 64 if not small and rows * values["dim_v"] // 64 >= units else 32
    chunk = 64 if not small or values["dim"] <= 64 else 32
    threads = (
        (256 if chunk == 64 else 128) if family is Family.CDNA else (128 if chunk == 64 else 64)
    )
    stages = 1 if small or family is Family.SMALL_SHARED else 2
    return {
        "chunk": Advice(chunk, "Work within a chunk grows with its square, that of the state not."),
        "block_V": Advice(
            wide,
            f"{rows * ceildiv(values['dim_v'], wide)} blocks for {units} multiprocessors."
            f"{_spills(values, target, wide)}",
        ),
        "threads": Advice(threads, "Each warp has whole rows of a chunk."),
        "num_stages": Advice(
            stages,
            "The next chunk is on its way while this one is multiplied four times."
            if stages > 1
            else "Shared memory has room for one chunk beside the state.",
        ),
    }


def _spills(values: Values, target: Target, wide: int) -> str:
    """What nvcc 13.0 spills for sm_80, seen in the machine code (bf16, a length of whole chunks).

    Half the columns spill 16 B. One stage spills nothing there, but 88 B at a length with a tail.
    """
    if target.lowering_arch != "sm_80" or (values["dim"], wide) != _SPILLS_AT:
        return ""
    return (
        " Up to 24 B of registers a thread spill; half the columns would spill less, but have the "
        "weights of each chunk made twice as often."
    )


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    return Program(
        "linear_attention",
        "linear_attention.py.j2",
        {
            **values,
            "swizzled": setting.lacks(Feature.WGMMA),
            "why_stages": stages_comment(values["num_stages"], "chunks"),
        },
        f"Causal linear attention, Out = tril(Q Kᵀ) V / √dim, in chunks, in "
        f"{DTYPES[values['dtype']].title} with an fp32 state.",
        (
            "kernel = linear_attention({batch}, {heads}, {seq_len})".format(**values),
            f"Out = kernel(Q, K, V)  # Q, K: (batch, seq_len, heads, dim) {values['dtype']}",
        ),
        f"{matrix_unit(target)}; {size(_shared_bytes(values, target))} of shared memory and "
        f"{values['threads']} threads a block.",
        _sizes(values, target),
        _cases(values),
        _why(values, target),
        linear_words(values),
    )


def _sizes(values: Values, target: Target) -> str:
    blocks = values["batch"] * values["heads"] * ceildiv(values["dim_v"], values["block_V"])
    units = multiprocessors(target)
    each = f" for the {units} multiprocessors of {short_label(target)}" if units else ""
    return (
        f"{values['block_V']} of {values['dim_v']} columns a block make {blocks} blocks{each}; "
        f"their state of {values['dim']} × {values['block_V']} takes "
        f"{values['dim'] * values['block_V'] // values['threads']} registers a thread. A chunk of "
        f"{values['chunk']} tokens costs {values['chunk']} × {values['chunk']} weights."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """A length with a tail, whole chunks, and the sizes asked for."""
    chunk = values["chunk"]
    tails = {"batch": 1, "heads": 2, "seq_len": 3 * chunk + 24}
    whole = {"batch": 2, "heads": 1, "seq_len": 4 * chunk}
    real = {name: values[name] for name in ("batch", "heads", "seq_len")}
    name = "b{batch}-h{heads}-s{seq_len}".format(**real)
    widths = {"dim": values["dim"], "dim_v": values["dim_v"]}
    per_token = f"(2 * {chunk} * (dim + dim_v) + 4 * dim * dim_v)"
    return tuple(
        Case(
            name,
            {**sizes, **widths},
            flops=f"batch * heads * seq_len * {per_token}",
            baseline=None if sizes["seq_len"] % chunk else "torch_linear_attention",
            **linear_tolerances(values, sizes["seq_len"]),
        )
        for name, sizes in (("tails", tails), ("whole-chunks", whole), (name, real))
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    return (
        Why(
            "A state in place of the keys",
            "Without a softmax the keys and values before a token can be summed once: the work "
            "grows with the length and not with its square.",
        ),
        Why(
            "Chunks",
            "Token by token the state would be read and written for each, with no product to give "
            "a matrix unit. A chunk is multiplied within itself as attention is, and with the "
            "state of all chunks before it at once.",
        ),
        Why("Tiles", _sizes(values, target)),
        Why("Pipeline", stages_comment(values["num_stages"], "chunks")),
        Why("State in registers", "It never leaves the block: only Q, K, V and Out move."),
    )


LINEAR_ATTENTION = Pattern(
    "linear-attention",
    "Attention",
    "Linear attention, in chunks",
    "Causal attention without a softmax: a running state, and chunks for the matrix unit.",
    2,
    _FIELDS,
    _RULES,
    (r"\b(?:chunked )?linear attention\b",),
    ("batch", "heads", "seq_len", "dim"),
    _advise,
    _program,
)
