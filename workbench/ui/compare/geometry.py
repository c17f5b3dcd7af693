"""Where the parts of a comparison's table lie, in px of its whole content."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.session.comparison_view.code import MOST_LINES
from workbench.session.comparison_view.model import ComparisonView, RowView

HEAD, ROW, CODE_LINE = 46.0, 22.0, 17.5
_CODE_PAD, _GROUP_PAD = 6.0, 4.0
_LEFT, _NARROW_LEFT = 268.0, 214.0
_LEAST_COLUMN = 188.0
_WIDE = 1180.0


@dataclass(frozen=True)
class RowPlace:
    """A row with its upper edge; the first of a group bears the group's title."""

    row: RowView
    top: float
    group: str = ""


@dataclass(frozen=True)
class Geometry:
    """The sizes of a table for a view and a width."""

    view: ComparisonView
    left: float
    column: float
    code_top: float
    code_height: float
    rows: tuple[RowPlace, ...]
    lines: tuple[float, ...]
    height: float

    @property
    def width(self) -> float:
        """The width of all of it."""
        return self.left + self.column * len(self.view.heads)

    def column_left(self, at: int) -> float:
        """The left side of a column."""
        return self.left + at * self.column

    def column_at(self, x: float) -> int | None:
        """The column at a place across; None left of all, and right of them."""
        at = int((x - self.left) // self.column) if x >= self.left else -1
        return at if 0 <= at < len(self.view.heads) else None

    def row_at(self, y: float) -> int | None:
        """The number of the row at a place down."""
        found = (n for n, place in enumerate(self.rows) if place.top <= y < place.top + ROW)
        return next(found, None)


def geometry(view: ComparisonView, width: float) -> Geometry:
    """The geometry at the width of a viewport; columns are never narrower than can be read."""
    left = _LEFT if width >= _WIDE else _NARROW_LEFT
    count = max(1, len(view.heads))
    column = max(_LEAST_COLUMN, (width - left) / count)
    most = max((len(lines) for lines in view.code.columns), default=0)
    told = len(view.code.sentences) + 1
    height = max(min(most, MOST_LINES) * CODE_LINE, told * 18.0) + 2 * _CODE_PAD
    rows, lines, end = _rows(view, HEAD + height)
    return Geometry(view, left, column, HEAD, height, rows, lines, end)


def _rows(
    view: ComparisonView, top: float
) -> tuple[tuple[RowPlace, ...], tuple[float, ...], float]:
    """The places of the rows, the lines between groups, and where they end."""
    rows: list[RowPlace] = []
    lines: list[float] = [top]
    for group in view.groups:
        top += _GROUP_PAD
        for title, row in _titled(group.title, group.rows):
            rows.append(RowPlace(row, top, title))
            top += ROW
        top += _GROUP_PAD
        lines.append(top)
    return tuple(rows), tuple(lines), top + 2


def _titled(title: str, rows: tuple[RowView, ...]) -> Iterator[tuple[str, RowView]]:
    for at, row in enumerate(rows):
        yield (title if at == 0 else ""), row
