"""The right side of the wizard: which meters there is room for, and the lenses beside them."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint
from PySide6.QtWidgets import QFrame

from workbench.session.patterns.cards_view import CardView
from workbench.session.patterns.cells import Cell
from workbench.session.patterns.meters import MeterRow, Meters
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.theme.icons import Icons
from workbench.ui.wizard.compact_meters import CompactMeters
from workbench.ui.wizard.costs import CostsPanel

NAMES = ("H200", "A100", "RTX 4090", "MI300X", "B200")


def meters(count: int) -> Meters:
    no_room = Cell("does not fit", note="45 KiB over", is_known=False, is_over=True)
    cells = [Cell("144", "KiB", "of 227", share=0.5, limit=0.8)] * (count - 1)
    titles = ("Shared memory", "Registers", "Occupancy", "Last wave", "Time")
    rows = tuple(MeterRow(title, "a block", (*cells, no_room)) for title in titles)
    return Meters(NAMES[:count], rows)


@pytest.fixture
def panel(qtbot: Any, icons: Icons) -> CostsPanel:
    made = CostsPanel(icons, LineLexer())
    qtbot.addWidget(made)
    made.resize(464, 700)
    made.show()
    return made


def show(panel: CostsPanel, count: int) -> None:
    panel.meters.set_meters(meters(count))
    panel.compact.set_meters(meters(count))
    panel._choose_meters()


@pytest.mark.parametrize(("count", "compact"), [(3, False), (5, True)])
def test_many_targets_take_a_line_each(panel: CostsPanel, count: int, compact: bool) -> None:
    show(panel, count)

    assert panel.compact.isVisible() is compact
    assert panel.meters.isVisible() is not compact


def test_a_wide_panel_has_a_column_for_each_of_five(panel: CostsPanel) -> None:
    show(panel, 5)
    panel.resize(900, 700)

    assert panel.meters.isVisible()


def test_a_lens_leaves_the_meters_less_room_but_all_of_them(panel: CostsPanel) -> None:
    show(panel, 3)
    panel.beside.switch.button("memory").click()

    assert panel.compact.isVisible()
    assert panel.beside.lens is not None
    assert panel.beside.lens.key == "memory"
    assert panel.beside.lens.is_alone
    panel.beside.switch.button("code").click()
    assert panel.meters.isVisible()


def test_cells_of_the_compact_meters_are_found_in_both_bands(qtbot: Any, icons: Icons) -> None:
    compact = CompactMeters(icons)
    qtbot.addWidget(compact)
    compact.set_meters(meters(5))
    compact.resize(compact.sizeHint())
    first, last = compact._box(0, 0).center(), compact._box(4, 4).center()

    assert compact.cell_at(first) == meters(5).rows[0].cells[0]
    assert compact.cell_at(last) == meters(5).rows[4].cells[4]
    assert compact.cell_at(QPoint(2, 2)) is None
    assert compact.rect().contains(last)
    assert "B200 does not fit 45 KiB over" in compact.accessibleDescription()
    assert not compact.grab().isNull()


def test_cards_show_their_text_whole_and_those_without_room_are_counted(
    panel: CostsPanel,
) -> None:
    text = "Each thread would keep 2048 values of its rows in registers, of the 255 that it has."
    cards = [CardView(f"GPU {n}: registers", text, (), True, f"gpu{n}") for n in range(4)]
    panel.cards.set_cards(cards)
    show(panel, 3)
    shown = [w for w in panel.cards.findChildren(QFrame) if w.property("kind") == "notice"]
    visible = [w for w in shown if w.isVisible()]

    assert 1 <= len(visible) < 4
    assert all(w.height() >= w.heightForWidth(w.width()) for w in visible)
    assert panel.cards._more.text().startswith(f"{4 - len(visible)} more")
    panel.resize(464, 1400)
    assert sum(w.isVisible() for w in shown) == 3
