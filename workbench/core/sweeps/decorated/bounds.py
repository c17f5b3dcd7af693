"""What the reading of a decorator may take, and how it gives up."""

from __future__ import annotations

from typing import Any

MOST_STEPS = 400_000
MOST_ITEMS = 100_000
_MOST_CHARACTERS = 1_000
DEEPEST_CALL = 20
_LARGEST = 1 << 64
_LARGEST_EXPONENT = 64
_EMPTY: dict[str, Any] = {}
#: What has items: nothing of a document's own, whose iteration would be its code, and nothing lazy,
#: of which nobody could say how many there are.
_SIZED: tuple[type, ...] = (
    list, tuple, dict, set, frozenset, str, range,
    type(_EMPTY.keys()), type(_EMPTY.values()), type(_EMPTY.items()),
)  # fmt: skip


class UnreadError(Exception):
    """The source alone does not tell; the message says what of it, `line` where."""

    def __init__(self, reason: str, line: int | None = None) -> None:
        super().__init__(reason)
        self.line = line


def items_of(value: Any) -> list[Any]:
    """The items of something that has some; raises UnreadError where there are too many."""
    if not isinstance(value, _SIZED):
        raise UnreadError(f"a {type(value).__name__} has no items")
    return list(require_moderate(value))


def size_of(value: Any) -> int:
    """How many items a value holds, and so what it costs to look at or to copy; else 0."""
    is_sized = isinstance(value, _SIZED)
    return len(value) if is_sized else 0


def require_moderate(value: Any) -> Any:
    """The value itself; raises UnreadError where it is too large to go on with."""
    if size_of(value) > (_MOST_CHARACTERS if isinstance(value, str) else MOST_ITEMS):
        raise UnreadError(f"there are more than {MOST_ITEMS:,} items, or a text is too long")
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
