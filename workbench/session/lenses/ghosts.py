"""How a kernel was with its case's own arguments, beside how it is with those that are tried."""

from __future__ import annotations

import math

from workbench.core import figures
from workbench.core.analysis.shared_sites import sum_or_none
from workbench.session.lenses.banks.sites import site_rows
from workbench.session.lenses.layouts.fragment import Fragment
from workbench.session.lenses.layouts.picture import LayoutsPicture
from workbench.session.lenses.layouts.shared import SharedTile
from workbench.session.lenses.pipeline.model import PipelinePicture
from workbench.session.lenses.pipeline.words import time
from workbench.session.lenses.subject import LensTarget
from workbench.session.lenses.tiles.picture import TileMap


def tiles_ghost(was: TileMap, now: TileMap) -> str:
    """The grid, the tile and the waves before."""
    return _told(_tiles(was), _tiles(now))


def banks_ghost(was: LensTarget, now: LensTarget) -> str:
    """The excess wavefronts before."""
    return _told(_excess(was), _excess(now))


def pipeline_ghost(was: PipelinePicture, now: PipelinePicture) -> str:
    """The time of a turn, or of a block without one, before."""
    if not (was.is_timed and now.is_timed) or (was.turn is None) is not (now.turn is None):
        return ""
    before, after = was.turn or was.end, now.turn or now.end
    if time(before) == time(after) or not before:
        return ""
    share = after / before - 1
    change = f"{abs(share) * 100:.0f} % {'more' if share > 0 else 'less'}"
    what = "a turn" if now.turn is not None else "a block"
    return f"{what} took {time(before)}; {time(after)} now, {change}"


def layouts_ghost(was: LayoutsPicture, now: LayoutsPicture) -> str:
    """The shape of the shown buffer and how it was spread before."""
    return _told(_layout(was), _layout(now)) if was.shown.name == now.shown.name else ""


def _told(was: str, now: str) -> str:
    return was if was and was != now else ""


def _tiles(found: TileMap) -> str:
    x, y, z = found.regions.grid
    grid = f"{x} × {y}" + (f" × {z}" if z > 1 else "")
    count = math.prod(found.regions.grid)
    parts = [f"{grid} blocks" if count != 1 else "1 block"]
    if found.panel.block:
        parts.append(f"of {found.panel.block}")
    if found.waves is not None:
        waves = found.waves.count
        parts.append(f"in {waves:,} wave{'s' * (waves != 1)}")
    return " ".join(parts)


def _excess(target: LensTarget) -> str:
    kernel = target.kernel
    if kernel is None or kernel.shared is None:
        return ""
    rows = site_rows(kernel)
    excess = sum_or_none([row.excess for row in rows])
    needed = sum_or_none([row.wavefronts for row in rows])
    if excess is None or needed is None:
        return ""
    ways = max((row.ways or 0 for row in rows if row.excess), default=0)
    worst = f", {ways}-way at worst" if ways else ""
    return f"{figures.number(excess)} of {figures.number(needed)} wavefronts in excess{worst}"


def _layout(found: LayoutsPicture) -> str:
    drawing = found.drawing
    if isinstance(drawing, Fragment):
        first, last = drawing.thread_range
        spread = f"over threads {first} to {last}"
        return f"{found.shown.summary} {spread}"
    return found.shown.summary if isinstance(drawing, SharedTile) else ""
