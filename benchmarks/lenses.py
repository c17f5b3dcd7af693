"""Prints how long lenses take to show and to paint their largest pictures.

Each figure is the median of several: `python benchmarks/lenses.py [NAME ...]` on an idle machine.
A figure is a function of `FIGURES` that makes what is timed; the goal is a frame of 60 a second.
"""

from __future__ import annotations

import os
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from workbench.ui.lenses.tiles.lens import TilesLens
    from workbench.ui.theme.icons import Icons
    from workbench.ui.theme.theme import Theme

ROOT = Path(__file__).resolve().parent.parent
FRAME_MS = 1000 / 60
RUNS = 15

Call = Callable[[], object]
#: What is timed, in words, what is done, and whether it has to fit a frame.
Figure = tuple[str, Call, bool]


def tiles() -> Iterator[Figure]:
    """The tile map of a grid of 1000 x 1000 blocks."""
    from PySide6.QtCore import QPointF

    from tests.support.lens_subjects import lens_subject, lens_target
    from tests.support.tile_regions import ALONE, gemm_regions
    from workbench.session.lenses.tiles.picture import tile_map
    from workbench.ui.lenses.tiles.lens import TilesLens

    size = 128_000
    regions = gemm_regions(size, size, 4096, (128, 128, 64))
    target = lens_target("h100", tiles=regions, block_resources=ALONE)
    theme, icons = looks()
    lens = TilesLens(theme, icons)
    lens.resize(520, 640)
    lens.show()
    lens.set_subject(lens_subject(target))
    yield "tiles: facts of 1,000,000 blocks", lambda: tile_map(target), False
    yield "tiles: paint 1,000,000 blocks", lens.view.grab, True
    blocks = iter(range(1, 1_000_000))
    yield "tiles: go to the next block and paint", lambda: _next_block(lens, next(blocks)), True
    lens.view.zoom_at(QPointF(300, 200), 32.0)
    yield "tiles: paint zoomed in 32 times", lens.view.grab, True


def linked() -> Iterator[Figure]:
    """Three columns with 5,000 rows of SASS and as many of PTX, from 40 lines."""
    from PySide6.QtWidgets import QApplication

    from tests.support.lens_subjects import lens_subject
    from tests.support.linked_code import long_target
    from workbench.session.lenses.linked import linked_picture
    from workbench.session.lenses.links import Selection
    from workbench.ui.lenses.linked.lens import LinkedLens

    target = long_target(5000)
    subject = lens_subject(target)
    theme, icons = looks()
    lens = LinkedLens(theme, icons)
    lens.resize(1200, 900)
    lens.show()
    lens.set_subject(subject)
    lens.show_columns("python", "ptx", "sass")
    rows = lens.panels[2].rows
    places = iter(range(1, 1_000_000))

    def scroll() -> None:
        rows.verticalScrollBar().setValue(next(places) * 37 % 4900)
        rows.grab()

    def select() -> None:
        lens.set_selection(Selection(line=next(places) % 40 + 1))
        QApplication.processEvents()

    yield "linked: facts of 5,000 rows of SASS", lambda: linked_picture(subject, target), False
    yield "linked: show 5,000 rows of SASS", lambda: lens.set_subject(subject), False
    yield "linked: scroll 5,000 rows of SASS", scroll, True
    yield "linked: light up a line in three texts", select, True


def layouts() -> Iterator[Figure]:
    """A fragment of 256 x 256 cells: its corner, the whole of it, and zoomed into."""
    from PySide6.QtCore import QPointF

    from tests.support.layout_buffers import large_accumulator
    from tests.support.lens_subjects import lens_subject, lens_target
    from workbench.session.lenses.layouts.picture import layouts_picture
    from workbench.ui.lenses.layouts.lens import LayoutsLens

    target = lens_target("h100", layouts=(large_accumulator(),))
    subject = lens_subject(target)
    theme, icons = looks()
    lens = LayoutsLens(theme, icons)
    lens.resize(520, 700)
    lens.show()
    lens.set_subject(subject)
    yield "layouts: facts of 65,536 cells", lambda: layouts_picture(subject, target), False
    yield "layouts: paint a corner", lens.cells.grab, True
    lens.restore_document({"whole": True})
    lens.set_subject(subject)
    yield "layouts: paint 65,536 cells", lens.cells.grab, True
    lens.cells.zoom_at(QPointF(200, 200), 16.0)
    yield "layouts: paint zoomed in 16 times", lens.cells.grab, True


FIGURES: dict[str, Callable[[], Iterator[Figure]]] = {
    "tiles": tiles,
    "linked": linked,
    "layouts": layouts,
}


def looks() -> tuple[Theme, Icons]:
    """The dark theme and its icons."""
    from workbench.ui.theme.icons import Icons
    from workbench.ui.theme.theme import Theme

    theme = Theme("dark")
    return theme, Icons(theme)


def main(names: list[str]) -> None:
    """Print the figures of these names, or all."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(ROOT))
    from PySide6.QtWidgets import QApplication

    app = QApplication([])
    for name in names or FIGURES:
        for title, call, is_frame in FIGURES[name]():
            milliseconds = timed(call)
            middle = statistics.median(milliseconds)
            goal = f" (goal {FRAME_MS:.0f})" if is_frame else ""
            print(f"{title:44} {middle:8.1f} ms{goal}, {min(milliseconds):.1f} at best", flush=True)
    app.closeAllWindows()


def timed(call: Call) -> list[float]:
    """Milliseconds of each of several calls, after one that fills caches."""
    call()
    found = []
    for _ in range(RUNS):
        begun = time.perf_counter()
        call()
        found.append((time.perf_counter() - begun) * 1000)
    return found


def _next_block(lens: TilesLens, number: int) -> None:
    lens.set_block((number % 1000, number * 7 % 1000, 0), 3)
    lens.view.grab()


if __name__ == "__main__":
    main(sys.argv[1:])
