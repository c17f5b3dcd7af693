"""The memory lens shows its picture, answers clicks, lights up what is selected, and fits."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QRectF, Qt

from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.tile_regions import gemm_regions
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.session.lenses.links import Selection
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.memory.model import Level, MemoryPicture
from workbench.session.lenses.subject import LensSubject
from workbench.ui.lenses.memory import MemoryLens
from workbench.ui.lenses.memory.layout import layout_of
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.theme.icons import Icons

KIB = 1024


def lifetime(name: str, offset: int, size: int, first: int, last: int, *merged: str) -> Lifetime:
    return Lifetime(name, "float16", offset, size, first, last, merged)


def subject(**changes: Any) -> LensSubject:
    """Two operands in three stages, an output at the bytes of the first, a tiny vector."""
    buffers = (
        lifetime("A_shared", 0, 24 * KIB, 6, 8, "C_shared"),
        lifetime("C_shared", 0, 16 * KIB, 10, 11, "A_shared"),
        lifetime("B_shared", 24 * KIB, 24 * KIB, 7, 8),
        lifetime("scale", 48 * KIB, 128, 4, 8),
    )
    lived = Lifetimes(buffers, 48 * KIB + 128, 48 * KIB + 128, 6, ("A_shared", "B_shared", "scale"))
    names = ("acc", "m1", "m2", "m3")
    layouts = tuple(BufferLayout(n, "local.fragment", "", 96 if n == "acc" else 2) for n in names)
    parts = {
        "lifetimes": lived,
        "layouts": layouts,
        "tiles": gemm_regions(),
        "block_resources": BlockResources(128, 168, 0, 48 * KIB + 128),
        "occupancy": None,
        **changes,
    }
    return lens_subject(*(lens_target(n, m, **parts) for m, n in enumerate(("h100", "a100"))))


@pytest.fixture
def lens(qtbot: Any, icons: Icons) -> MemoryLens:
    made = MemoryLens(icons.theme, icons)
    qtbot.addWidget(made)
    made.resize(520, 640)
    made.show()
    made.set_subject(subject())
    made.grab()
    return made


def view(lens: MemoryLens) -> PictureView:
    return lens.findChildren(PictureView)[0]


def areas(lens: MemoryLens, buffer: str) -> list[QRectF]:
    return [
        h.area for h in view(lens).hits if h.selection is not None and h.selection.buffer == buffer
    ]


def pixels(lens: MemoryLens) -> bytes:
    return bytes(view(lens).grab().toImage().constBits())


def test_it_opens_on_what_limits_the_kernel(lens: MemoryLens) -> None:
    assert lens.conclusion.startswith("Registers, not shared memory, limit this kernel: 168 a")


def test_a_click_on_a_block_selects_its_buffer(lens: MemoryLens, qtbot: Any) -> None:
    middle = areas(lens, "B_shared")[0].center()
    place = QPoint(round(middle.x()), round(middle.y()))
    with qtbot.waitSignal(lens.selected) as selected:
        qtbot.mouseClick(view(lens), Qt.MouseButton.LeftButton, pos=place)
    assert selected.args[0].buffer == "B_shared"


def test_small_blocks_are_named_and_each_answers(lens: MemoryLens) -> None:
    tips = [hit.tip for hit in view(lens).hits]
    for name in ("m1", "m2", "m3"):
        assert any(tip.startswith(f"{name}: 2 registers a thread") for tip in tips)
    assert any(all(f"{name}: 2" in tip for name in ("m1", "m2", "m3")) for tip in tips)


def test_a_selection_lights_up_its_buffer(lens: MemoryLens) -> None:
    before = pixels(lens)
    lens.set_selection(Selection(buffer="B_shared"))
    assert pixels(lens) != before
    lens.set_selection(None)
    assert pixels(lens) == before


def test_the_cursor_stands_in_the_strip(lens: MemoryLens) -> None:
    before = pixels(lens)
    lens.set_selection(Selection(line=9))
    assert pixels(lens) != before


def test_bars_say_how_full_every_target_is(lens: MemoryLens) -> None:
    tips = [hit.tip for hit in view(lens).hits]
    assert any(tip.startswith("A100: 3 × 49.1 KiB of 164 KiB") for tip in tips)
    assert any(tip.startswith("H100: ") for tip in tips)


def test_what_does_not_fit_is_said_and_drawn(lens: MemoryLens) -> None:
    lens.set_subject(subject(block_resources=BlockResources(128, 64, 0, 300 * KIB)))
    lens.grab()
    assert lens.conclusion.startswith("No block fits on H100")
    assert any("300 KiB of 227 KiB" in hit.tip for hit in view(lens).hits)


@pytest.mark.parametrize("width", [380.0, 520.0, 1200.0])
def test_nothing_of_a_lane_lies_outside_or_on_another_block(width: float) -> None:
    found = picture()
    layout = layout_of(found, width)
    for placed in layout.lanes:
        ordered = sorted(placed.blocks, key=lambda each: each.area.left())
        for one, other in itertools.pairwise(ordered):
            assert one.area.right() <= other.area.left()
        assert all(each.area.right() <= layout.bars for each in placed.blocks)
    tops = [placed.area.top() for placed in layout.lanes]
    assert tops == sorted(tops)
    assert layout.strip > layout.lanes[-1].bottom


def test_areas_are_bytes() -> None:
    shared = layout_of(picture(), 520.0).lane(Level.SHARED)
    widths = {each.block.name: each.area.width() for each in shared.blocks}
    assert widths["A_shared C_shared"] == pytest.approx(widths["B_shared"], rel=0.03)


def picture() -> MemoryPicture:
    shown = subject()
    found = memory_picture(shown, shown.targets[0])
    assert found is not None
    return found


@pytest.mark.parametrize("suffix", ["svg", "png"])
def test_it_is_exported(lens: MemoryLens, tmp_path: Path, suffix: str) -> None:
    lens.export(tmp_path / f"memory.{suffix}")
    assert (tmp_path / f"memory.{suffix}").stat().st_size > 5_000
