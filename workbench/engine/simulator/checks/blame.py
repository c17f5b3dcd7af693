"""Finds at run time which operation made NaN or infinity, and of which operands."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from workbench.engine.simulator.registry import helper
from workbench.engine.simulator.runtime import Runtime, Where

Array = np.ndarray[Any, Any]
Step = tuple[str, str, Any, tuple[int, ...]]
_MOST_LOOKS = 64  # at one statement, whose operands were at fault each time
_MOST_STEPS = 2**20  # in which products are summed
_STATE = "blame"
_EXPONENT = {2: np.uint16(0x7C00)}
_CODES = {"rsqrt": "epsilon-missing", "a quotient by a root": "epsilon-missing"}
NUMERIC_CODES = ("nan-source", "epsilon-missing")
_REMEDY = "; add a small epsilon before the root"


@helper
def all_finite(value: Any) -> bool:
    """Whether no element is NaN or infinite; cheap where that is so."""
    if not isinstance(value, np.ndarray):
        return math.isfinite(value)
    if value.dtype == np.float16:
        bits = value.view(np.uint16)
        return bool(np.bitwise_and(bits, 0x7C00).max(initial=0) != 0x7C00)
    if value.dtype.kind == "f" and value.flags.c_contiguous:
        flat = value.reshape(-1)
        if math.isfinite(np.dot(flat, flat)):  # one pass, no array; overflow asks again below
            return True
    return bool(np.isfinite(value).all())


@helper
def wants_blame(rt: Runtime, site: int) -> bool:
    """Whether a statement is worth another look: not after many that found nothing."""
    looks: dict[int, int] = rt.state.setdefault(_STATE, {})
    looks[site] = looks.get(site, 0) + 1
    return looks[site] <= _MOST_LOOKS


@helper
def blame(rt: Runtime, site: int, value: Any, mask: Any, steps: Sequence[Step]) -> None:
    """Note the first step that made NaN or infinity; none did where operands had it already."""
    bad_result = ~np.isfinite(np.asarray(value))
    if mask is not None:
        bad_result = bad_result & mask
    for text, kind, result, operands in steps:
        inputs = [steps[at][2] for at in operands]
        made = _made(result, inputs) & bad_result if kind and inputs else np.False_
        if np.any(made):
            named = [(steps[at][0], steps[at][2]) for at in operands]
            _note(rt, site, (text, kind), made, result, named)
            return


def _made(result: Any, inputs: Sequence[Any]) -> Any:
    """Return where NaN comes of numbers, or infinity of finite ones."""
    finite: Any = True
    numbers: Any = True
    for each in inputs:
        wide = np.asarray(each)
        finite = finite & np.isfinite(wide)
        numbers = numbers & ~np.isnan(wide)
    wide = np.asarray(result)
    return (np.isnan(wide) & numbers) | (np.isinf(wide) & finite)


def _note(
    rt: Runtime,
    site: int,
    step: tuple[str, str],
    made: Any,
    result: Any,
    operands: Sequence[tuple[str, Any]],
) -> None:
    text, kind = step
    at = np.unravel_index(int(np.argmax(made)), np.shape(made))
    shape = np.shape(made)

    def element(value: Any) -> float:
        return float(np.broadcast_to(value, shape)[at])

    values = {name: element(value) for name, value in operands}
    got = element(result)
    zero = any(value == 0 for value in values.values())
    code = _CODES.get(kind, "nan-source") if zero else "nan-source"
    told = ", ".join(f"{name} = {_number(value)}" for name, value in values.items())
    remedy = _REMEDY if code == "epsilon-missing" else ""
    are_finite = all(math.isfinite(value) for value in values.values())
    is_first = are_finite or not rt.has_noted(*NUMERIC_CODES)
    rt.note(
        code,
        "error" if is_first else "info",  # a consequence of what is told already
        site,
        lambda: f"{text} is {_number(got)} where {told} ({kind}){remedy}",
        lambda: Where(
            tuple(map(int, at)),
            tuple(map(int, at)),
            {
                "operation": kind,
                "result": _number(got),
                "operands": {name: _number(value) for name, value in values.items()},
            },
        ),
        int(np.count_nonzero(made)),
    )


def _number(value: float) -> str:
    return f"{value:.6g}"


@helper
def blame_tile(
    rt: Runtime,
    site: int,
    what: str,
    target: Array,
    operands: Sequence[Array],
    names: Sequence[str],
    axis: int | None,
    is_copy: bool,
    line: int | None,
) -> None:
    """Note a tile operation that made NaN or infinity of finite tiles."""
    bad = ~np.isfinite(target)
    if is_copy:
        made = bad & np.isfinite(operands[0]).reshape(bad.shape)
    elif axis is not None:
        made = bad & np.isfinite(operands[0]).all(axis=axis).reshape(bad.shape)
    else:
        # Finite tiles have a product without NaN: what is NaN was so before it was added to.
        made = np.isinf(target) if _may_overflow(target, operands) else np.zeros_like(bad)
    if not made.any():
        return
    at = tuple(map(int, np.unravel_index(int(np.argmax(made)), made.shape)))
    largest = {
        name: _number(float(np.abs(each.astype(np.float64)).max()))
        for name, each in zip(names, operands, strict=True)
    }
    told = ", ".join(f"{name} up to {size}" for name, size in largest.items())
    got = _number(float(target[at]))
    evidence = {"operation": what, "result": got, "largest": largest, "at_line": line}
    limit = f"; {target.dtype} ends at {_limit(target)}" if "inf" in got else ""
    rt.note(
        "nan-source",
        "error",
        site,
        lambda: f"{rt.site(site).buffer} is {got} after {what} of finite values ({told}){limit}",
        lambda: Where(at, (), evidence),
        int(np.count_nonzero(made)),
    )


def _may_overflow(target: Array, operands: Sequence[Array]) -> bool:
    """Whether finite tiles can have a product beyond the target's range, in many steps at least.

    In float32 they hardly can: an infinity there is a mask that the product was added to.
    """
    if not all(np.isfinite(each).all() for each in operands):
        return False
    if target.dtype.itemsize < 4:
        return True
    largest = [float(np.abs(each.astype(np.float64)).max(initial=0)) for each in operands]
    terms = max(max(each.shape) for each in operands) * _MOST_STEPS
    return bool(math.prod(largest) * terms > float(np.finfo(target.dtype).max))


@helper
def grade_numerics(rt: Runtime, outputs: Sequence[Array]) -> None:
    """At the end: what did not reach an output is no error."""
    floats = [each for each in outputs if each.dtype.kind not in "iub"]
    if rt.has_noted(*NUMERIC_CODES) and all(all_finite(each) for each in floats):
        for code in NUMERIC_CODES:
            rt.grade(code, "info")


def _limit(target: Array) -> str:
    return f"{float(np.finfo(target.dtype).max):.6g}" if target.dtype.kind == "f" else "its maximum"
