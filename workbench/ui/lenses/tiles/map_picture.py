"""The picture of the tile map: the grid of blocks, the tensors beside it, and the legend."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from PySide6.QtCore import QPointF, QRectF, QSizeF
from PySide6.QtGui import QImage

from workbench.session.lenses.links import Selection
from workbench.session.lenses.tiles.panel import Panel
from workbench.session.lenses.tiles.picture import TileMap, TilesAt
from workbench.session.lenses.tiles.words import block_text
from workbench.ui.lenses.canvas import Canvas, Hit
from workbench.ui.lenses.tiles.grid_painting import (
    cell_area,
    cell_at,
    guide,
    paint_block,
    paint_ghost,
    paint_grid,
)
from workbench.ui.lenses.tiles.legend import paint_marks, paint_waves
from workbench.ui.lenses.tiles.places import Places, places_of, shown_views
from workbench.ui.lenses.tiles.tensor_painting import paint_tensor, paint_title


@dataclass(frozen=True)
class MapPicture:
    """What is painted; `image` and `numbers` are of the slice `which` in the order shown.

    `was` is the grid with the case's own arguments, while others are tried.
    """

    found: TileMap
    at: TilesAt
    image: QImage
    numbers: npt.NDArray[np.int64]
    which: int
    is_preview: bool
    was: Panel | None = None

    def height(self, width: float) -> float:
        """It takes what it gets."""
        return 0.0

    def paint(self, canvas: Canvas, size: QSizeF) -> None:
        """Grid, tensors, guides and legend."""
        places = places_of(self.found, size)
        self._guides(canvas, places)
        self._grid(canvas, places)
        inputs = {each.view.tensor.name: each for each in self.at.inputs}
        outputs = {each.view.tensor.name: each for each in self.at.outputs}
        for place, (view, is_input) in enumerate(shown_views(self.found)):
            at = (inputs if is_input else outputs)[view.tensor.name]
            paint_tensor(canvas, places.tensors[place], places.heads[place], at, is_input)
        end = paint_waves(canvas, places.waves, self.found, self.at)
        has_ghost = self.was is not None and self.was.tile_on(self.found.panel) is not None
        paint_marks(canvas, places.marks, self.found, end, has_ghost)

    def _grid(self, canvas: Canvas, places: Places) -> None:
        area, panel = places.grid, self.found.panel
        self._title(canvas, area)
        paint_grid(canvas, area, panel, self.image)
        if any(canvas.is_lit(Selection(line=line, buffer=panel.tensor)) for line in self._lines()):
            canvas.outline(area.adjusted(-2, -2, 2, 2))
        canvas.field(area, lambda point: self._block_at(area, point))
        if isinstance(canvas.hovered, tuple):
            paint_block(canvas, cell_area(area, panel, *panel.cell_of(canvas.hovered)), "fg3")
        cell = cell_area(area, panel, *panel.cell_of(self.at.block))
        paint_block(canvas, cell)
        ghost = self.was.tile_on(panel) if self.was is not None else None
        if ghost is not None:
            paint_ghost(canvas, area, cell, *ghost)

    def _lines(self) -> tuple[int, ...]:
        """The lines that write what the grid stands for."""
        panel = self.found.panel
        own = [view for view in self.found.outputs if view.tensor.name == panel.tensor]
        return own[0].lines if own and panel.tile is not None else ()

    def _title(self, canvas: Canvas, area: QRectF) -> None:
        panel = self.found.panel
        name = panel.tensor if panel.tile is not None and panel.tensor else "Blocks"
        paint_title(canvas, area, max(area.width(), 160.0), name, self._title_rest())

    def _title_rest(self) -> str:
        panel, regions = self.found.panel, self.found.regions
        order = " · preview" if self.is_preview else ""
        if panel.wrapped:
            count = math.prod(regions.grid)
            return f"{count:,} in rows of {panel.columns}{order}"
        if panel.tile is None or panel.tensor is None:
            return f"{panel.columns} × {panel.rows}{order}"
        shape = " × ".join("?" if n is None else f"{n}" for n in regions.tensor(panel.tensor).shape)
        return f"{shape} · block {panel.block}{order}"

    def _block_at(self, area: QRectF, point: QPointF) -> Hit | None:
        panel = self.found.panel
        row, column = cell_at(area, panel, point)
        block = panel.block_of(row, column, self.which, math.prod(self.found.regions.grid))
        if block is None:
            return None
        number = int(self.numbers[row, column])
        waves = self.found.waves
        wave = f" · wave {waves.wave_of(number) + 1:,}" if waves is not None and number >= 0 else ""
        tip = f"{block_text(self.found.regions, self.found.names, block)} · number {number:,}{wave}"
        selection = Selection(line=self.found.regions.line, block=block)
        return Hit(cell_area(area, panel, row, column), tip, selection, block)

    def _guides(self, canvas: Canvas, places: Places) -> None:
        """Dotted lines from the block to the tiles of the inputs that share its row or column."""
        panel = self.found.panel
        cell = cell_area(places.grid, panel, *panel.cell_of(self.at.block)).center()
        for place in places.left | places.top:
            area = places.tensors[place]
            if place in places.left:
                guide(
                    canvas,
                    QPointF(area.right() + 2, cell.y()),
                    QPointF(places.grid.left(), cell.y()),
                )
            else:
                guide(
                    canvas,
                    QPointF(cell.x(), area.bottom() + 2),
                    QPointF(cell.x(), places.grid.top()),
                )
