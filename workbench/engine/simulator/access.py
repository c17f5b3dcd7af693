"""How one buffer access is written in numpy: basic slices where affine, index arrays otherwise."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workbench.engine.simulator.tir import static_int, tirx
from workbench.engine.simulator.translator import Place, Translator


@dataclass(frozen=True)
class Term:
    """An index of the form `axis * stride + offset`; without axis it is the scalar `offset`."""

    axis: int | None
    stride: int
    offset: str  # "0" where there is none


@dataclass(frozen=True)
class Sliced:
    """A view with one dimension for each of `axes` (positions in the axes, in this order).

    `checks` are conditions for the slices to lie inside the buffer; none means proven.
    """

    code: str
    axes: tuple[int, ...]
    checks: tuple[str, ...]


def affine_term(t: Translator, index: Any) -> Term | None:
    """Return an index as a Term, None where it is not affine in one axis."""
    if isinstance(index, tirx.Var):
        position = t.axis_position(index)
        if position is not None:
            return Term(position, 1, "0")
    handler = _AFFINE.get(type(index))
    found = handler(t, index) if handler is not None else None
    return found or _scalar_term(t, index)


def _scalar_term(t: Translator, index: Any) -> Term | None:
    start = t.emitter.position
    value = t.expression(index)
    if value.is_vector or t.emitter.position != start:
        return None
    return Term(None, 0, value.code)


def _add_term(t: Translator, index: Any) -> Term | None:
    left, right = affine_term(t, index.a), affine_term(t, index.b)
    if left is None or right is None or (left.axis is not None and right.axis is not None):
        return None
    moving, still = (left, right) if left.axis is not None else (right, left)
    return Term(moving.axis, moving.stride, _sum_code(moving.offset, "+", still.offset))


def _subtract_term(t: Translator, index: Any) -> Term | None:
    left, right = affine_term(t, index.a), affine_term(t, index.b)
    if left is None or right is None or right.axis is not None:
        return None
    return Term(left.axis, left.stride, _sum_code(left.offset, "-", right.offset))


def _multiply_term(t: Translator, index: Any) -> Term | None:
    factor = static_int(index.b)
    inner = affine_term(t, index.a) if factor is not None and factor > 0 else None
    if inner is None or factor is None:
        return None
    offset = inner.offset if inner.offset == "0" else f"({inner.offset} * {factor})"
    return Term(inner.axis, inner.stride * factor, offset)


def _sum_code(left: str, sign: str, right: str) -> str:
    if right == "0":
        return left
    return right if left == "0" and sign == "+" else f"({left} {sign} {right})"


_AFFINE = {tirx.Add: _add_term, tirx.Sub: _subtract_term, tirx.Mul: _multiply_term}


def proven(t: Translator, index: Any, extent: Any) -> bool:
    """Whether an index certainly lies in [0, extent)."""
    size, bounds = static_int(extent), t.bounds(index)
    return size is not None and bounds is not None and bounds[0] >= 0 and bounds[1] < size


def sliced(t: Translator, place: Place, indices: Any) -> Sliced | None:
    """Return an access as slices, None where it needs index arrays."""
    terms = [affine_term(t, index) for index in indices]
    if any(term is None for term in terms):
        return None
    known = [term for term in terms if term is not None]
    own = tuple(t.axes.index(axis) for axis in place.leading if axis in t.axes)
    axes = own + tuple(term.axis for term in known if term.axis is not None)
    if len(own) != len(place.leading) or not axes or len(set(axes)) != len(axes):
        return None
    parts, checks = [":"] * len(own), []
    for term, index, size in zip(known, indices, place.shape, strict=True):
        part, check = _slice(t, term, size)
        parts.append(part)
        if not proven(t, index, size):
            checks.append(check)
    plain = all(part == ":" for part in parts)
    return Sliced(place.name if plain else f"{place.name}[{', '.join(parts)}]", axes, tuple(checks))


def _slice(t: Translator, term: Term, size: Any) -> tuple[str, str]:
    start, length = term.offset, t.expression(size).code
    if not start.isidentifier() and not start.isdigit():
        start = t.emitter.assign(start, "start")
    if term.axis is None:
        return start, f"0 <= {start} < {length}"
    extent = t.axes[term.axis].extent
    span = f"{extent}" if term.stride == 1 else f"({extent} - 1) * {term.stride} + 1"
    if isinstance(extent, int):
        span = str((extent - 1) * term.stride + 1)
    end = span if start == "0" else f"{start} + {span}"
    check = f"0 <= {start} and {end} <= {length}"
    if term.stride == 1 and start == "0" and end == length:
        return ":", check
    return f"{start}:{end}" + ("" if term.stride == 1 else f":{term.stride}"), check


def aligned_view(t: Translator, view: Sliced) -> str | None:
    """Return the view with its dimensions in the order of all axes, None where one is missing."""
    if len(view.axes) != t.rank:
        return None
    return view.code + _transposition(view.axes)


def broadcast_view(t: Translator, view: Sliced) -> str:
    """Return the view in the order of the axes, with dimensions of length 1 for missing ones."""
    code = view.code + _transposition(view.axes)
    if len(view.axes) == t.rank:
        return code
    parts = [":" if position in view.axes else "None" for position in range(t.rank)]
    return f"{code}[{', '.join(parts)}]"


def _transposition(axes: tuple[int, ...]) -> str:
    order = sorted(range(len(axes)), key=lambda at: axes[at])
    if order == list(range(len(axes))):
        return ""
    return ".T" if order == [1, 0] else f".transpose({', '.join(map(str, order))})"


def index_codes(t: Translator, place: Place, indices: Any) -> str:
    """Return the tuple of index arrays of an access."""
    leading = [t.axis_index(t.axes.index(axis)).code for axis in place.leading]
    codes = leading + [t.expression(index).code for index in indices]
    return "(" + "".join(f"{code}, " for code in codes) + ")"


def is_distinct(t: Translator, view: Sliced | None) -> bool:
    """Whether every iteration or lane certainly has an element of its own."""
    return view is not None and len(view.axes) == t.rank
