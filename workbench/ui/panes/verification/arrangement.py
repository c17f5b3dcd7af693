"""How the parts of the pane stand at a given size."""

from __future__ import annotations

import enum

_LOW = 330
_NARROW = 660
_WIDE = 1240
_WIDE_AND_LOW = 860


class Arrangement(enum.Enum):
    """Where map, facts and element stand."""

    WIDE = "map, facts and element side by side"
    MEDIUM = "map, and a column of facts and element"
    NARROW = "one below the other"
    LOW = "the map as high as there is room, all else beside it"
    LOW_NARROW = "as LOW, with one column beside the map"

    @property
    def is_low(self) -> bool:
        """Whether the head stands beside the map."""
        return self in (Arrangement.LOW, Arrangement.LOW_NARROW)


def arrangement(width: int, height: int) -> Arrangement:
    """The arrangement for a pane of that size in px."""
    if height < _LOW and width > height * 1.6:
        return Arrangement.LOW if width >= _WIDE_AND_LOW else Arrangement.LOW_NARROW
    if width < _NARROW:
        return Arrangement.NARROW
    return Arrangement.WIDE if width >= _WIDE else Arrangement.MEDIUM
