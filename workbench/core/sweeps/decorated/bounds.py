"""What the reading of a decorator may take, and how it gives up."""

from __future__ import annotations

import itertools
from typing import Any

MOST_STEPS = 400_000
MOST_ITEMS = 100_000
DEEPEST_CALL = 20
_LARGEST = 1 << 64
_LARGEST_EXPONENT = 64
#: Of what items can be taken: nothing of a document's own, whose iteration would be its code.
_ITERABLE: tuple[type, ...] = (
    list, tuple, dict, set, frozenset, str, range, zip, enumerate, reversed, map,
    type({}.keys()), type({}.values()), type({}.items()),
    itertools.product, itertools.chain, itertools.combinations, itertools.permutations,
)  # fmt: skip


class UnreadError(Exception):
    """The source alone does not tell; the message says what of it, `line` where."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def items_of(value: Any) -> list[Any]:
    """The items of something iterable; raises UnreadError where there are too many."""
    if not isinstance(value, _ITERABLE):
        raise UnreadError(f"a {type(value).__name__} has no items")
    found = list(itertools.islice(iter(value), MOST_ITEMS + 1))  # type: ignore[call-overload]
    if len(found) > MOST_ITEMS:
        raise UnreadError(f"there are more than {MOST_ITEMS:,} items")
    return found


def require_moderate(value: Any) -> Any:
    """The value itself; raises UnreadError where it is too large to go on with."""
    if isinstance(value, (list, tuple, dict, set, frozenset, str)) and len(value) > MOST_ITEMS:
        raise UnreadError(f"there are more than {MOST_ITEMS:,} items")
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if is_number and value == value and abs(value) > _LARGEST and value not in _INFINITE:
        raise UnreadError("a number is too large")
    if isinstance(value, complex):
        raise UnreadError("a number is complex")
    return value


_INFINITE = (float("inf"), float("-inf"))


def require_small_operands(left: Any, right: Any, is_power: bool) -> None:
    """See that an operation on two operands takes no time or memory; raises UnreadError."""
    for value in (left, right):
        require_moderate(value)
    if is_power and isinstance(right, (int, float)) and abs(right) > _LARGEST_EXPONENT:
        raise UnreadError("an exponent is too large")
    for one, other in ((left, right), (right, left)):
        is_repeated = isinstance(one, (list, tuple, str)) and isinstance(other, int)
        if is_repeated and not is_power and len(one) * other > MOST_ITEMS:
            raise UnreadError(f"there are more than {MOST_ITEMS:,} items")
