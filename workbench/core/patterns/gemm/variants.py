"""Fields, rules and advice of matrix multiplication for patterns that are built around one."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.common import GPU, dialect_rule, is_gpu, tolerances
from workbench.core.patterns.gemm import advice
from workbench.core.patterns.gemm.fields import FIELDS
from workbench.core.patterns.gemm.rules import RULES
from workbench.core.patterns.model import Advice, Field, Goal, Rule, Values
from workbench.core.patterns.rendering import call
from workbench.core.targets.model import Target

_PLAIN: Mapping[str, Any] = {
    "layout_A": "row",
    "layout_B": "row",
    "policy": "Square",
    "bias": False,
    "activation": "none",
    "staged": False,
    "panel": 0,
    "stays": False,
    "dynamic_M": False,
}
_OF_OTHER_DIALECTS = ("ascend", "cpu")

Sizes = Callable[[Values], Mapping[str, int]]


def same_sizes(values: Values) -> Mapping[str, int]:
    """The sizes as the fields call them."""
    return {name: values[name] for name in "MNK"}


def fields(
    *names: str, dtypes: tuple[str, ...] = ("float16", "bfloat16"), **defaults: int
) -> tuple[Field, ...]:
    """The fields of those names; the operands' formats are the given ones, as are defaults."""
    found = {field.name: field for field in FIELDS}
    found["dtype"] = replace(
        found["dtype"],
        options=tuple(option for option in found["dtype"].options if option.value in dtypes),
    )
    usual = {name: found[name].default for name in names}
    return tuple(replace(found[name], default=defaults.get(name, usual[name])) for name in names)


def rules(fields: Iterable[Field], sizes: Sizes = same_sizes) -> tuple[Rule, ...]:
    """The rules for GPUs, of a multiplication with these fields and sizes."""
    names = {field.name for field in fields}
    kept = [rule for rule in RULES if not rule.name.startswith(_OF_OTHER_DIALECTS)]
    return (
        dialect_rule((GPU,), "There is a form for GPUs only."),
        *(_of_fields(rule, names, sizes) for rule in kept),
    )


def _of_fields(rule: Rule, names: Container[str], sizes: Sizes) -> Rule:
    """The rule as it holds for a pattern that has only these fields to change."""
    own = tuple(name for name in rule.fields if name in names)
    return replace(rule, fields=own, broken=_adapted(rule.broken, sizes))


def _adapted(
    broken: Callable[[Values, Target], str | None], sizes: Sizes
) -> Callable[[Values, Target], str | None]:
    def adapted(values: Values, target: Target) -> str | None:
        return broken(as_gemm(values, sizes), target)

    return adapted


def as_gemm(values: Values, sizes: Sizes = same_sizes) -> dict[str, Any]:
    """Values as a plain matrix multiplication has them."""
    return {**_PLAIN, **values, **sizes(values)}


def multiply(values: Values, column: int, b: str = "B_shared") -> str:
    """The call of T.gemm at a column of the text; `b` is the tile of the second operand."""
    plain = {**_PLAIN, **values}
    flags = [
        "" if plain["layout_B"] == "row" else "transpose_B=True",
        "" if plain["policy"] == "Square" else f"policy=T.GemmWarpPolicy.{plain['policy']}",
    ]
    return call("T.gemm", ["A_shared", b, "C_local", *filter(None, flags)], column)


def operand_b(by_rows: bool, depth: str, column: str) -> dict[str, str]:
    """How templates write B: its shape, its tile, and the part loaded at `depth` and `column`."""
    place = (depth, column) if by_rows else (column, depth)
    return {
        "shape_B": "(K, N)" if by_rows else "(N, K)",
        "tile_B": "(block_K, block_N)" if by_rows else "(block_N, block_K)",
        "part_B": f"B[{place[0]}, {place[1]}]",
        "matrix_B": "B" if by_rows else "B.T",
    }


def advise(
    values: Values, target: Target, goal: Goal, sizes: Sizes = same_sizes
) -> dict[str, Advice]:
    """What is recommended of a multiplication with these sizes, for the fields that there are."""
    if not is_gpu(target):
        return {}
    found = advice.advise(as_gemm(values, sizes), target, goal, may_stay=False)
    return {name: advised for name, advised in found.items() if name in values}


def product_cases(
    values: Values, tails: Mapping[str, int], whole: Mapping[str, int]
) -> tuple[Case, ...]:
    """A case with partial tiles, one without, and that of the sizes asked for, by its sizes."""
    real = {name: values[name] for name in "MNK"}
    named = (
        ("tails", tails),
        ("whole-tiles", whole),
        ("x".join(str(size) for size in real.values()), real),
    )
    return tuple(
        Case(name, dict(args), flops="2 * M * N * K", baseline="torch_matmul", **tolerances(values))
        for name, args in named
    )
