"""Which part of the picture is in sight: whole, zoomed, moved, or around one element."""

from __future__ import annotations

from dataclasses import dataclass

LEAST_ROWS = 4.0
_CELL_WIDTH, _CELL_HEIGHT = 84.0, 44.0


@dataclass(frozen=True)
class Viewport:
    """A rectangle of the picture in elements; `extent` are the picture's rows and columns."""

    extent: tuple[int, int]
    top: float
    left: float
    rows: float
    columns: float

    @property
    def is_whole(self) -> bool:
        """Whether all of the picture is in sight."""
        return self.rows >= self.extent[0] and self.columns >= self.extent[1]

    def zoomed(self, factor: float, row: float, column: float) -> Viewport:
        """`factor` times as large (below 1: nearer), that element staying where it is."""
        if 0 in self.extent:
            return self
        rows = min(max(self.rows * factor, min(LEAST_ROWS, self.extent[0])), self.extent[0])
        columns = min(max(self.columns * factor, min(LEAST_ROWS, self.extent[1])), self.extent[1])
        top = row - (row - self.top) * rows / self.rows
        left = column - (column - self.left) * columns / self.columns
        return Viewport(self.extent, top, left, rows, columns)._inside()

    def moved(self, rows: float, columns: float) -> Viewport:
        """Shifted by so many elements, as far as the picture goes."""
        top, left = self.top + rows, self.left + columns
        return Viewport(self.extent, top, left, self.rows, self.columns)._inside()

    def showing(self, row: int, column: int) -> Viewport:
        """Moved just so far that an element and its neighbours are in sight."""
        top = min(max(self.top, row + 2 - self.rows), max(row - 1.0, 0.0))
        left = min(max(self.left, column + 2 - self.columns), max(column - 1.0, 0.0))
        return Viewport(self.extent, top, left, self.rows, self.columns)._inside()

    def _inside(self) -> Viewport:
        top = min(max(self.top, 0.0), self.extent[0] - self.rows)
        left = min(max(self.left, 0.0), self.extent[1] - self.columns)
        return Viewport(self.extent, top, left, self.rows, self.columns)


def whole(extent: tuple[int, int]) -> Viewport:
    """All of a picture."""
    return Viewport(extent, 0.0, 0.0, float(extent[0]), float(extent[1]))


def neighbourhood(
    extent: tuple[int, int], row: int, column: int, width: float, height: float
) -> Viewport:
    """The elements around one, as many as can be read at that size in px."""
    rows = min(float(extent[0]), max(3.0, round(height / _CELL_HEIGHT)))
    columns = min(float(extent[1]), max(3.0, round(width / _CELL_WIDTH)))
    top = float(round(row + 0.5 - rows / 2))
    left = float(round(column + 0.5 - columns / 2))
    return Viewport(extent, top, left, rows, columns)._inside()
