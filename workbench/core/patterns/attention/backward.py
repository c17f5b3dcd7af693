"""The pattern of FlashAttention's backward pass: one kernel for all three gradients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.attention.backward_words import tiles_chosen, whys
from workbench.core.patterns.attention.fields import (
    LOG2_E,
    SEQ_WORDS,
    Family,
    batch_field,
    causal_field,
    dim_field,
    family_of,
    groups_rule,
    half_field,
    heads_field,
    kv_heads_field,
    length_field,
    matrix_unit,
    rows_rule,
    sharing,
    small_heads,
    stages_comment,
    unit_rules,
    unknown_turns_rule,
    uses_warpgroups,
)
from workbench.core.patterns.attention.roles import (
    COPYING_THREADS,
    WARPGROUP,
    has_roles,
    role_rules,
    role_words,
    schedule_field,
)
from workbench.core.patterns.common import (
    block_field,
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
    Goal,
    Pattern,
    Program,
    Setting,
    Values,
)
from workbench.core.targets.model import Target

_BYTES = 2
_TILES: Mapping[Family, Mapping[int, tuple[int, int, int, int]]] = {
    # queries, keys, threads, stages by head dimension
    Family.HOPPER: {64: (64, 128, 256, 2), 128: (64, 128, 256, 2), 256: (32, 64, 128, 1)},
    Family.AMPERE: {64: (64, 128, 256, 2), 128: (64, 128, 256, 1), 256: (32, 64, 128, 1)},
    Family.SMALL_SHARED: {64: (32, 128, 256, 1), 128: (64, 64, 128, 1), 256: (16, 32, 64, 1)},
    Family.OLD: {64: (32, 64, 128, 1), 128: (32, 64, 128, 1), 256: (16, 16, 32, 1)},
    Family.CDNA: {64: (32, 64, 256, 1), 128: (32, 64, 256, 1), 256: (16, 32, 128, 1)},
}
# Timed at 8 x 16 heads of 4096 tokens, causal, in fp16 on an NVIDIA H200, 2026-11-30, tilelang
# 0.1.15: with roles 2.65 ms, 2.75 ms with dQ not transposed (two rows of it meet in a bank);
# TileLang's own schedule 3.35 ms; PyTorch's flash backend 4.89 ms, cuDNN 2.86 ms.
_ROLES_FOR = (64, 128)
_SPILLS_AT = 128  # the head dimension whose dK and dV take half of all registers
_FIELDS = (
    batch_field(),
    heads_field(),
    kv_heads_field(),
    length_field("seq_len", "Length", "Tokens of a sequence.", 4096, *SEQ_WORDS),
    dim_field(128, 64, 128),
    half_field(),
    causal_field(),
    block_field("block_M", "Block M", "Queries of one step.", 64, (32, 64, 128), 16, 128),
    block_field(
        "block_N",
        "Block N",
        "Keys of one block, whose gradients it keeps in registers.",
        128,
        (64, 128),
        16,
        128,
    ),
    threads_field(256, 32),
    schedule_field(),
    stages_field(2, 3),
    *tolerance_fields(),
)


def _shared_bytes(values: Values, target: Target) -> int:
    """Bytes of keys and values, of queries and gradients in each stage, and of dScores and dQ.

    With roles there are two places for dScores, and a KiB of barriers.
    """
    m, n, dim = values["block_M"], values["block_N"], values["dim"]
    stages = max(1, values["num_stages"])
    reduced = 4 * m * dim if uses_warpgroups(target) else 0
    sums = 8 * m * stages
    tiles, barriers = (2, 1024) if has_roles(values) else (1, 0)
    operands = 2 * n * dim + 2 * stages * m * dim + tiles * m * n
    return int(operands * _BYTES + reduced + sums + barriers)


def _registers(values: Values, target: Target) -> int:
    """dK and dV, and a tile of scores with its weights; those of dScores and dQ follow them."""
    m, n, dim = values["block_M"], values["block_N"], values["dim"]
    return int((2 * n * dim + m * n + m * n // 2) // values["threads"])


def _role_registers(values: Values, target: Target) -> int:
    """dK, dV, scores, their gradients, and weights as an operand: all while products go on."""
    m, n, dim = values["block_M"], values["block_N"], values["dim"]
    return int((2 * n * dim + 2 * m * n + m * n // 2) // values["threads"])


_RULES = (
    *unit_rules(),
    unknown_turns_rule(lambda values: bool(values["causal"])),
    groups_rule(),
    rows_rule("block_N"),
    shared_rule(_shared_bytes, "num_stages", "block_M", "block_N"),
    registers_rule(_registers, "threads", "block_N", "block_M"),
    *role_rules(_role_registers),
)


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    family = family_of(target)
    dims = _TILES[family]
    queries, keys, threads, stages = dims.get(values["dim"], dims[128])
    kept = 2 * keys * values["dim"] // threads
    roles = family is Family.HOPPER and values["dim"] in _ROLES_FOR
    return {
        "kv_heads": Advice(values["heads"], "Each head has keys and values of its own (MHA)."),
        "block_M": Advice(queries, _why_queries(family, values["dim"])),
        "block_N": Advice(keys, f"dK and dV of these keys take {kept} registers a thread."),
        "threads": Advice(threads, f"dK and dV take {kept} registers of each."),
        "num_stages": Advice(
            stages,
            "The next queries and gradients are on their way while these are multiplied five times."
            if stages > 1
            else "Shared memory has room for one tile of queries beside keys and values.",
        ),
        "schedule": Advice("roles", "Exponentials and sums of dQ overlap with products.")
        if roles
        else Advice("compiler", "TileLang places the copies, and waits for each product."),
    }


def _why_queries(family: Family, dim: int) -> str:
    """Why so many queries a step; for sm_80 nvcc 13.0 spills, seen in the machine code."""
    fits = "Two tiles of scores of a step fit beside dK and dV."
    if family is not Family.AMPERE or dim != _SPILLS_AT:
        return fits
    return (
        f"{fits} The compiler keeps up to 68 bytes of addresses a thread in memory, of which a "
        f"step reads 16 from L1: 16 queries would need none of it, and would read keys and values "
        f"from shared memory four times as often."
    )


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    threads = values["threads"] + (COPYING_THREADS if has_roles(values) else 0)
    title = DTYPES[values["dtype"]].title
    causal = "causal " if values["causal"] else ""
    sizes = ", ".join(str(values[n]) for n in ("batch", "heads", "kv_heads", "seq_len", "dim"))
    return Program(
        "flash_attention_backward",
        "flash_attention_backward.py.j2",
        {**values, **_code(values, setting)},
        f"dQ, dK and dV of {causal}{sharing(values)} attention in {title} with fp32 sums.",
        (
            f"kernel = flash_attention_backward({sizes})",
            "# LogSums: (batch, heads, seq_len), natural logarithms of the sums of the weights",
            "dQ, dK, dV = kernel(Q, K, V, Out, dOut, LogSums)",
        ),
        f"{matrix_unit(target)}; {size(_shared_bytes(values, target))} of shared memory and "
        f"{threads} threads a block; "
        + (
            "TMA adds tiles of dQ in L2."
            if _adds_by_tma(setting)
            else "dQ is added to by atomic operations of L2."
        ),
        tiles_chosen(values),
        _cases(values),
        whys(values),
        "the order in which blocks add to dQ differs from run to run, and with it its last bits.",
    )


def _adds_by_tma(setting: Setting) -> bool:
    """Whether dQ leaves by TMA, which all targets of the one text must have."""
    return all(uses_warpgroups(target) for target in setting.targets)


def _code(values: Values, setting: Setting) -> dict[str, Any]:
    grouped, causal = values["kv_heads"] != values["heads"], values["causal"]
    turn = "k % steps" if grouped else "k"
    if causal:
        turn = f"({turn} + before)"
    elif grouped:
        turn = f"({turn})"
    order = (
        "The first keys have the most queries: they start first, of all heads."
        if causal
        else "Heads run fastest: blocks that run together add to dQ of different heads."
    )
    return {
        **role_words(values),
        "log2_e": LOG2_E,
        "grouped": grouped,
        "head": "by * group + k // steps" if grouped else "by",
        # Each warpgroup has 64 rows of dQ transposed, or all of them and a part of the queries.
        "dq_policy": "FullCol" if values["dim"] * WARPGROUP < 64 * values["threads"] else "FullRow",
        "reducing": _adds_by_tma(setting),
        "turns": "group * steps" if grouped else "steps",
        "first_query": turn,
        "why_order": f"A block keeps dK and dV of its keys and goes through the queries. {order}",
        "why_stages": stages_comment(values["num_stages"], "queries and gradients"),
        "repeated": ".repeat_interleave(q.shape[1] // v.shape[1], dim=0)" if grouped else "",
    }


def _cases(values: Values) -> tuple[Case, ...]:
    """Tails in both tiles, whole tiles, and the sizes asked for."""
    longest = max(values["block_M"], values["block_N"])
    few = small_heads(values)
    tails = {"batch": 1, **few, "seq_len": longest + 24}
    # With roles more steps than stages, so that each place in shared memory is used again.
    whole = {"batch": 2, **few, "seq_len": (4 if has_roles(values) else 2) * longest}
    real = {name: values[name] for name in ("batch", "heads", "kv_heads", "seq_len")}
    name = "b{batch}-h{heads}-s{seq_len}".format(**real) + f"-d{values['dim']}"
    work = 5 if values["causal"] else 10
    return tuple(
        Case(
            name,
            {**sizes, "dim": values["dim"]},
            flops=f"{work} * batch * heads * seq_len * seq_len * dim",
            baseline=None if values["kv_heads"] != values["heads"] else "torch_backward",
            **_tolerances(values),
        )
        for name, sizes in (("tails", tails), ("whole-tiles", whole), (name, real))
    )


def _tolerances(values: Values) -> dict[str, Any]:
    """Three roundings to the operands' format lie between the inputs and a gradient."""
    return {
        "rtol": 1e-2,
        "atol": 5e-3 if values["dtype"] == "float16" else 4e-2,
        **tolerances(values),
    }


FLASH_ATTENTION_BACKWARD = Pattern(
    "flash-attention-backward",
    "Attention",
    "FlashAttention, backward",
    "Gradients of queries, keys and values, from the sums that the forward pass kept.",
    2,
    _FIELDS,
    _RULES,
    (
        r"\b(?:flash[- ]?)?attention[- ]backward\b",
        r"\bbackward(?: pass)? of (?:causal )?(?:flash[- ]?)?attention\b",
        r"\bgradients? of (?:causal )?(?:flash[- ]?)?attention\b",
    ),
    ("batch", "heads", "seq_len", "dim"),
    _advise,
    _program,
)
