"""What a decorator's source may call: Python's own functions, those of itertools, and methods."""

from __future__ import annotations

import copy
import itertools
import math
from collections.abc import Callable, Mapping
from typing import Any

from workbench.core.sweeps.decorated.bounds import MOST_ITEMS, UnreadError, items_of, size_of

_MOST_REPEATS = 16


def _dict(source: Any = (), **more: Any) -> dict[Any, Any]:
    pairs = source if isinstance(source, dict) else [tuple(items_of(p)) for p in items_of(source)]
    return dict(pairs, **more)


def _list(source: Any = ()) -> list[Any]:
    return items_of(source)


def _tuple(source: Any = ()) -> tuple[Any, ...]:
    return tuple(items_of(source))


def _set(source: Any = ()) -> set[Any]:
    return set(items_of(source))


def _sorted(source: Any, reverse: bool = False) -> list[Any]:
    return sorted(items_of(source), reverse=reverse)


def _product(*sources: Any, repeat: int = 1) -> Any:
    if not 0 <= repeat <= _MOST_REPEATS:
        raise UnreadError(f"the product is repeated {repeat} times")
    lists = [items_of(source) for source in sources]
    if math.prod(len(each) for each in lists) ** repeat > MOST_ITEMS:
        raise UnreadError(f"the product has more than {MOST_ITEMS:,} items")
    return list(itertools.product(*lists, repeat=repeat))


def _whole(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of items, of which there are not too many."""

    def call(*values: Any, **options: Any) -> Any:
        several = len(values) > 1 and function in (min, max)
        return function(*values, **options) if several else function(items_of(values[0]), **options)

    return call


def _over(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function of several iterables; what it gives is a list, of which the size is known."""

    def call(*values: Any, **options: Any) -> Any:
        return list(function(*(items_of(value) for value in values), **options))

    return call


def _counted(function: Callable[..., Any]) -> Callable[..., Any]:
    """combinations and permutations, whose number is looked at first."""

    def call(source: Any, length: int) -> Any:
        found = items_of(source)
        if len(found) ** min(length, _MOST_REPEATS) > MOST_ITEMS:
            raise UnreadError(f"there may be more than {MOST_ITEMS:,} items")
        return list(function(found, length))

    return call


def _isinstance(value: Any, kinds: Any) -> bool:
    wanted = kinds if isinstance(kinds, tuple) else (kinds,)
    types = [_TYPES[kind] for kind in wanted if kind in _TYPES]
    if len(types) < len(wanted):
        raise UnreadError("isinstance asks for a type that is not Python's own")
    return isinstance(value, tuple(types))


def _nothing(*values: Any, **options: Any) -> None:
    """What is printed says nothing of what is tried."""


def _ceildiv(left: int, right: int) -> int:
    return -(-left // right)


def _next_power_of_two(value: int) -> int:
    return 1 << (value - 1).bit_length() if 0 < value <= 1 << 62 else 1


def _copy(value: Any) -> Any:
    """A copy of what holds numbers and texts alone, which is a deep one too."""
    inside = value.values() if isinstance(value, dict) else items_of(value)
    if any(size_of(each) and not isinstance(each, str) for each in inside):
        raise UnreadError("a copy is made of what holds more than numbers and texts")
    return copy.copy(value)


#: Functions that do not look at all that they are given.
QUICK = (len, _isinstance, _nothing)

FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "dict": _dict,
    "list": _list,
    "tuple": _tuple,
    "set": _set,
    "sorted": _sorted,
    "bool": bool,
    "int": int,
    "float": float,
    "str": str,
    "abs": abs,
    "round": round,
    "divmod": divmod,
    "range": range,
    "len": len,
    "min": _whole(min),
    "max": _whole(max),
    "sum": _whole(sum),
    "any": _whole(any),
    "all": _whole(all),
    "zip": _over(zip),
    "enumerate": _over(enumerate),
    "reversed": _over(reversed),
    "isinstance": _isinstance,
    "print": _nothing,
    "itertools.product": _product,
    "itertools.chain": _over(itertools.chain),
    "itertools.chain.from_iterable": lambda value: _over(itertools.chain)(*items_of(value)),
    "itertools.combinations": _counted(itertools.combinations),
    "itertools.permutations": _counted(itertools.permutations),
    "math.ceil": math.ceil,
    "math.floor": math.floor,
    "math.sqrt": math.sqrt,
    "math.log2": math.log2,
    "math.gcd": math.gcd,
    "math.prod": _whole(math.prod),
    "copy.copy": _copy,
    "copy.deepcopy": _copy,
    "tilelang.cdiv": _ceildiv,
    "tilelang.next_power_of_2": _next_power_of_two,
    "tilelang.language.ceildiv": _ceildiv,
}
"""By the path that the document's imports give a name; Python's own by their names alone."""

_TYPES: dict[Any, type] = {
    FUNCTIONS[name]: kind
    for name, kind in {
        "dict": dict, "list": list, "tuple": tuple, "set": set,
        "bool": bool, "int": int, "float": float, "str": str,
    }.items()
}  # fmt: skip

_METHODS: Mapping[type, frozenset[str]] = {
    list: frozenset(
        ["append", "extend", "insert", "pop", "remove", "index", "count", "copy", "reverse"]
    ),
    dict: frozenset(["items", "keys", "values", "get", "update", "copy", "setdefault", "pop"]),
    set: frozenset(["add", "update", "discard", "union", "intersection", "difference", "copy"]),
    tuple: frozenset(("index", "count")),
    str: frozenset(["lower", "upper", "strip", "split", "startswith", "endswith"]),
}
#: What looks at all of its owner.
SLOW_METHODS = frozenset(
    [
        *("insert", "pop", "remove", "index", "count", "copy", "reverse"),
        *("union", "intersection", "difference"),
    ]
)
_TAKING_ITEMS = frozenset({"extend", "union", "intersection", "difference"})


def method(owner: Any, name: str) -> Callable[..., Any] | None:
    """A method of one of Python's own containers; None where it is none that is known."""
    if name not in _METHODS.get(type(owner), ()):
        return None
    bound: Callable[..., Any] = getattr(owner, name)
    if name in _TAKING_ITEMS:
        return lambda *values: bound(*(items_of(value) for value in values))
    if name == "update":
        return _update_of(owner)
    return bound


def _update_of(owner: Any) -> Callable[..., Any]:
    def update(*values: Any, **options: Any) -> None:
        for value in values:
            owner.update(_dict(value) if isinstance(owner, dict) else items_of(value))
        if options:
            owner.update(**options)

    return update
