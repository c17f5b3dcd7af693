"""The table of the lenses: their docks' keys, titles, and where the class of each is found."""

from __future__ import annotations

import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.ui.theme.icons import Icons

if TYPE_CHECKING:
    from workbench.ui.lenses.lens import Lens


@dataclass(frozen=True)
class LensRecord:
    """A lens by the key of its dock; its module is loaded when it is first looked at."""

    key: str
    title: str
    module: str
    lens: str

    def build(self, icons: Icons) -> Lens:
        """A new one."""
        found: type[Lens] = getattr(importlib.import_module(self.module), self.lens)
        return found(icons.theme, icons)


_PACKAGE = "workbench.ui.lenses"
LENSES: tuple[LensRecord, ...] = (
    LensRecord("memory", "Memory", f"{_PACKAGE}.memory.lens", "MemoryLens"),
    LensRecord("tiles", "Tiles", f"{_PACKAGE}.tiles.lens", "TilesLens"),
    LensRecord("layouts", "Layouts", f"{_PACKAGE}.layouts.lens", "LayoutsLens"),
    LensRecord("banks", "Banks", f"{_PACKAGE}.banks.lens", "BanksLens"),
    LensRecord("occupancy", "Occupancy", f"{_PACKAGE}.occupancy.lens", "OccupancyLens"),
    LensRecord("pipeline", "Pipeline", f"{_PACKAGE}.pipeline.lens", "PipelineLens"),
    LensRecord("linked", "Linked code", f"{_PACKAGE}.linked.lens", "LinkedLens"),
    LensRecord("roofline", "Roofline", f"{_PACKAGE}.roofline.lens", "RooflineLens"),
    LensRecord("explain", "Explain", f"{_PACKAGE}.explain.lens", "ExplainLens"),
    LensRecord("operations", "Operations", f"{_PACKAGE}.operations", "OperationsLens"),
)
