"""The tile map lens: the grid in waves, a block's tiles step by step, and the numbers of both."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.core.analysis.tile_regions import BLOCK_NAMES
from workbench.core.analysis.tile_steps import Block
from workbench.core.diagnostics import Fix
from workbench.session.lenses.ghosts import tiles_ghost
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.session.lenses.tiles.figures import tile_figures
from workbench.session.lenses.tiles.launch_text import swizzle_fix
from workbench.session.lenses.tiles.picture import (
    BlockWalk,
    TileMap,
    TilesAt,
    block_walk,
    tile_map,
    tiles_at,
)
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.tiles.controls import OfferRow, SliceRow
from workbench.ui.lenses.tiles.map_picture import MapPicture
from workbench.ui.lenses.tiles.player import Player
from workbench.ui.lenses.tiles.raster import wave_image
from workbench.ui.lenses.tiles.slot_strip import SlotStrip
from workbench.ui.lenses.tiles.tile_view import TileView
from workbench.ui.widgets.metric_strip import MetricStrip, MetricView

_INSET = 16
_FIRST_STEP = 0.36  # of a block's steps: some tiles were read before, some will be


class TilesLens(Lens):
    """Where blocks run and what they read. Arrow keys move the block, Space plays."""

    key = "tiles"
    title = "Tiles"
    icon = "grid"
    follows = "tiles"

    def build(self) -> QWidget:
        """The map, and below it the player, shared memory and the numbers."""
        self._map: TileMap | None = None
        self._was: TileMap | None = None
        self._source: object = None
        self._walk: BlockWalk | None = None
        self._at: TilesAt | None = None
        self._block: Block | None = None
        self._step: int | None = None
        self._preview = False
        self._numbers: dict[tuple[int, bool], npt.NDArray[np.int64]] = {}
        self._image: tuple[object, QImage] | None = None
        self._slices, self._offer = SliceRow(self.icons), OfferRow(self.icons)
        self._view = TileView(self.theme)
        self._player, self._strip = Player(self.icons), SlotStrip(self.theme)
        self._figures = MetricStrip(self.theme)
        self._connect_parts()
        return self._laid_out()

    def _connect_parts(self) -> None:
        self._view.selected.connect(self.selected)
        self._view.key_clicked.connect(self._on_view_key_clicked)
        self._view.moved.connect(self._on_view_moved)
        self._view.view_changed.connect(self.view_changed)
        self._view.play_requested.connect(self._player.toggle)
        self._player.step_changed.connect(self._on_player_step_changed)
        self._slices.changed.connect(self._on_slices_changed)
        self._offer.preview_toggled.connect(self._on_offer_preview_toggled)
        self._offer.apply_requested.connect(self._on_offer_apply_requested)
        self.theme.changed.connect(self._on_theme_changed)

    def _laid_out(self) -> QWidget:
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.setSpacing(8)
        layout.addWidget(self._view, 1)
        below = QVBoxLayout()
        below.setContentsMargins(_INSET, 0, _INSET, 0)
        below.setSpacing(8)
        for each in (self._slices, self._player, self._strip, self._figures, self._offer):
            below.addWidget(each)
        layout.addLayout(below)
        return body

    @property
    def map(self) -> TileMap | None:
        """What is shown."""
        return self._map

    @property
    def at(self) -> TilesAt | None:
        """The block and the step that are shown."""
        return self._at

    @property
    def player(self) -> Player:
        """What goes through the steps."""
        return self._player

    @property
    def view(self) -> TileView:
        """The picture."""
        return self._view

    @property
    def offer(self) -> OfferRow:
        """The row of the other order."""
        return self._offer

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the map of a target; the block and the step stay where they were."""
        if self._source is not target.analysis or self._map is None:
            found = tile_map(target, subject.text)
            if found is None:
                self._map = None
                raise NoPicture(
                    f"Which tiles a block touches is unknown: {target.why_missing('tiles')}."
                )
            self._map, self._source = found, target.analysis
            self._numbers.clear()
            self._image = self._walk = None
        was = subject.earlier(target)
        self._was = tile_map(was, subject.text) if was is not None else None
        self._offer.set_offer(self._map.offer, self._fix() is not None)
        self.set_block(self._block or _middle(self._map), self._step)
        return self._map.conclusion

    def ghost(self, subject: LensSubject, target: LensTarget, was: LensTarget) -> str:
        """Grid, tile and waves before."""
        assert self._map is not None
        return tiles_ghost(self._was, self._map) if self._was is not None else ""

    def show_selection(self, selection: Selection | None) -> None:
        """Light up the tensors of a line, and go to a block that was selected elsewhere."""
        self._view.set_lit(selection)
        if selection is not None and selection.block is not None and self._map is not None:
            self.set_block(selection.block, self._step)

    def set_block(self, block: Block, step: int | None) -> None:
        """Show a block at a step, as near as the grid has them; None: somewhere in the middle."""
        if self._map is None:
            return
        grid = self._map.regions.grid
        near = [min(max(0, value), size - 1) for value, size in zip(block, grid, strict=True)]
        self._block = (near[0], near[1], near[2])
        self._walk = block_walk(self._map, self._block)
        count = len(self._walk.steps)
        self._step = int(count * _FIRST_STEP) if step is None else min(step, max(0, count - 1))
        self._show_step()

    def document_state(self) -> dict[str, Any]:
        """The block, the step and the zoom."""
        return {"block": self._block, "step": self._step, "view": self._view.view}

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """Take block, step and zoom; what is no such thing is left out."""
        block, step = state.get("block"), state.get("step")
        is_block = isinstance(block, (list, tuple)) and len(block) == 3
        whole = is_block and all(type(value) is int for value in block or ())
        self._block = (block[0], block[1], block[2]) if whole and block else None
        self._step = step if type(step) is int and step >= 0 else None
        self._walk = self._at = None
        view = state.get("view")
        if isinstance(view, (list, tuple)) and len(view) == 3:
            self._view.set_view((float(view[0]), float(view[1]), float(view[2])))
        else:
            self._view.reset_view()

    def take_view(self, view: tuple[float, float, float]) -> None:
        """Zoom as a twin does."""
        self._view.set_view(view)

    def _show_step(self) -> None:
        found, walk = self._map, self._walk
        assert found is not None
        assert walk is not None
        which = walk.block[found.panel.slice_axis] if found.panel.slice_axis >= 0 else 0
        numbers = self._numbers_of(which)
        number = int(numbers[found.panel.cell_of(walk.block)])
        at = self._at = tiles_at(found, walk, self._step or 0, number, self._preview)
        was = self._was.panel if self._was is not None else None
        picture = MapPicture(found, at, self._image_of(which), numbers, which, self._preview, was)
        self._view.set_picture(picture, f"Tile map: {found.conclusion}")
        self._player.set_steps(at.count, at.step, at.step_text)
        self._strip.set_slots(at.slots)
        self._strip.setVisible(any(loop.stages > 0 for loop in found.regions.loops))
        place = max(0, found.panel.slice_axis)
        names = found.names if len(found.names) > place else BLOCK_NAMES
        self._slices.set_slices(names[place], which, found.panel.slices)
        self._figures.set_metrics(
            [MetricView(f.label, f.value, f.rest, tip=f.tip) for f in tile_figures(found, at)]
        )

    def _numbers_of(self, which: int) -> npt.NDArray[np.int64]:
        assert self._map is not None
        key = (which, self._preview)
        if key not in self._numbers:
            if len(self._numbers) > 8:
                self._numbers.clear()
            self._numbers[key] = self._map.numbers(which, self._preview)
        return self._numbers[key]

    def _image_of(self, which: int) -> QImage:
        assert self._map is not None
        key = (which, self._preview, self.theme.palette)
        if self._image is None or self._image[0] != key:
            waves = self._map.waves
            capacity = waves.capacity if waves is not None else None
            colours = (self.theme.colour("bg1"), self.theme.colour("accent"))
            self._image = (key, wave_image(self._numbers_of(which), capacity, *colours))
        return self._image[1]

    def _fix(self) -> Fix | None:
        if self._map is None or self._map.offer is None or self.subject is None or self.is_alone:
            return None
        offered = self._map.offer.swizzle
        return swizzle_fix(self.subject.text, self._map.regions.line, offered)

    def _on_view_key_clicked(self, key: object) -> None:
        if isinstance(key, tuple):
            self.set_block(key, self._step)

    def _on_view_moved(self, rows: int, columns: int) -> None:
        if self._map is None or self._walk is None:
            return
        panel, grid = self._map.panel, self._map.regions.grid
        row, column = panel.cell_of(self._walk.block)
        which = self._walk.block[panel.slice_axis] if panel.slice_axis >= 0 else 0
        block = panel.block_of(row + rows, column + columns, which, math.prod(grid))
        if block is not None:
            self.set_block(block, self._step)
            self.selected.emit(Selection(line=self._map.regions.line, block=block))

    def _on_player_step_changed(self, step: int) -> None:
        self._step = step
        self._show_step()

    def _on_slices_changed(self, which: int) -> None:
        if self._map is not None and self._walk is not None:
            block = list(self._walk.block)
            block[self._map.panel.slice_axis] = which
            self.set_block((block[0], block[1], block[2]), self._step)

    def _on_offer_preview_toggled(self, on: bool) -> None:
        self._preview = on
        if self._map is not None and self._walk is not None:
            self._show_step()

    def _on_offer_apply_requested(self) -> None:
        fix = self._fix()
        if fix is not None and self.subject is not None:
            self.fix_requested.emit(fix, self.subject.revision)

    def _on_theme_changed(self) -> None:
        if self._map is not None and self._walk is not None:
            self._show_step()


def _middle(found: TileMap) -> Block:
    """A block that is neither at an edge nor the first of a row."""
    x, y, z = (size * 9 // 16 for size in found.regions.grid)
    return x, y, z
