"""The page of a comparison: head, map, facts and element, arranged by the room there is."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QPointF, QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QBoxLayout,
    QFrame,
    QGridLayout,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.session.verification_output import Element
from workbench.session.verification_view import VerificationView
from workbench.ui.panes.verification.arrangement import Arrangement, arrangement
from workbench.ui.panes.verification.card_layer import CardLayer
from workbench.ui.panes.verification.element_panel import ElementPanel
from workbench.ui.panes.verification.facts import Facts
from workbench.ui.panes.verification.header import Header
from workbench.ui.panes.verification.map_view import MapView
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.labels import hairline
from workbench.ui.widgets.veil import Veil

_FACTS = 236
_ELEMENT = 392
_UNLIMITED = 16777215  # Qt's QWIDGETSIZE_MAX
_MOST_OF_HEIGHT = 0.7
_GAP = 24
_MARGINS = 20  # above and below the parts
_SCROLL_BAR = 12


class Body(QWidget):
    """Arranges the parts, and lets map and element follow each other."""

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        theme = icons.theme
        self.header = Header(icons)
        self.map = MapView(theme)
        self.facts = Facts(theme)
        self.element = ElementPanel(icons)
        self.card = CardLayer(theme, self)
        self._default: Element | None = None  # what the panel shows while nothing is chosen
        self._line = hairline()
        self._veils = [Veil(theme, part) for part in (self.map, self.facts, self.element)]
        self._scroll = QScrollArea()
        self._beside = QBoxLayout(QBoxLayout.Direction.LeftToRight)
        self._side = QVBoxLayout()
        self._grid = QGridLayout(self)
        self._arrangement: Arrangement | None = None
        self._set_up()
        self._arrange(Arrangement.WIDE)
        self._connect()

    @property
    def arrangement(self) -> Arrangement:
        """How the parts stand now."""
        return self._arrangement or Arrangement.WIDE

    def show_view(self, view: VerificationView) -> None:
        """Show another comparison."""
        self.header.show_view(view)
        self.facts.show_view(view)
        self.element.show_view(view)
        self.map.show_output(view.output)
        chosen = self.map.chosen
        if chosen is None and view.output is not None and view.output.worst:
            chosen = view.output.worst[0]
        self._default = chosen
        self.element.show_element(chosen)
        self.card.clear()
        self.set_stale(view.stale)
        self._arrange(arrangement(self.width(), self.height()))

    def set_stale(self, stale: bool) -> None:
        """Pale what is of an earlier text, and say so."""
        self.header.set_stale(stale)
        self.element.table.set_stale(stale)
        for veil in self._veils:
            veil.setVisible(stale)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        # The parts find places at any size; their sum in the present ones is no minimum.
        return QSize(280, 120)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._arrange(arrangement(self.width(), self.height()))

    def _set_up(self) -> None:
        inset = METRICS.wide_inset
        self._grid.setContentsMargins(inset, 12, 8, _MARGINS - 12)
        self._grid.setHorizontalSpacing(_GAP)
        self._grid.setVerticalSpacing(12)
        content = QWidget()
        content.setLayout(self._side)
        self._side.setContentsMargins(0, 0, _SCROLL_BAR, 4)
        self._side.setSpacing(12)
        self._side.addLayout(self._beside)
        self._side.addStretch(1)
        self._beside.setSpacing(_GAP)
        self._beside.addWidget(self.facts, 0, Qt.AlignmentFlag.AlignTop)
        self._beside.addWidget(self.element, 1000, Qt.AlignmentFlag.AlignTop)
        self._beside.addStretch(1)
        self._scroll.setWidget(content)
        self._scroll.setWidgetResizable(True)
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)

    def _connect(self) -> None:
        self.map.element_chosen.connect(self.element.show_element)
        self.map.element_hovered.connect(self._on_map_element_hovered)
        self.map.whole_changed.connect(self.header.set_whole)
        self.element.element_chosen.connect(self._on_element_chosen)
        self.header.whole_requested.connect(self.map.show_whole)

    def _on_map_element_hovered(self, element: Element | None) -> None:
        """A card tells of the element; where its values stand already, the panel does."""
        scene, frame = self.map.scene, self.map.frame
        if element is None or scene is None or frame is None or not self._needs_card:
            self.card.clear()
            told = False
        else:
            corner = QPointF(self.map.mapTo(self, QPoint(0, 0)))
            block = scene.block_rect(frame, element).translated(corner)
            told = self.card.show_card(element, block, scene.point(frame, element) + corner)
        if not told:
            self.element.show_element(element or self.map.chosen or self._default)

    @property
    def _needs_card(self) -> bool:
        """Whether the panel is no place to look at: in a low page it stands beside the map."""
        return not self.map.is_near and not self.arrangement.is_low

    def _on_element_chosen(self, element: Element) -> None:
        self.map.choose(element.index, near=not self.map.view.is_whole)

    def _arrange(self, wanted: Arrangement) -> None:
        if wanted is self._arrangement:
            self._fit()
            return
        self._arrangement = wanted
        for part in (self.header, self._line, self.map, self._scroll):
            self._grid.removeWidget(part)
            self._side.removeWidget(part)
        _PLACERS[wanted](self)
        self._line.setVisible(not wanted.is_low)
        across = wanted in (Arrangement.WIDE, Arrangement.LOW)
        direction = QBoxLayout.Direction
        self._beside.setDirection(direction.LeftToRight if across else direction.TopToBottom)
        self.facts.setMaximumWidth(_FACTS if across else _UNLIMITED)
        self.element.setMaximumWidth(_ELEMENT if wanted is Arrangement.LOW else _UNLIMITED)
        self.header.set_compact(wanted.is_low)
        self._fit()

    def _fit(self) -> None:
        """Give the parts their sizes."""
        room, wanted = self.width(), self.arrangement
        widths = {
            Arrangement.WIDE: min(_FACTS + _GAP + _ELEMENT + _SCROLL_BAR, int(room * 0.56)),
            Arrangement.MEDIUM: min(_ELEMENT, max(_FACTS + 40, int(room * 0.38))),
        }
        _limit_width(self._scroll, widths.get(wanted))
        self.facts.setMinimumWidth(_FACTS if wanted is Arrangement.WIDE else 150)
        low = self.map.width_at(self.height() - _MARGINS) if wanted.is_low else None
        _limit_width(self.map, None if low is None else min(low, int(room * 0.45)))
        self._fit_map_height()

    def _fit_map_height(self) -> None:
        """In a page that scrolls, the map is as high as its width asks for."""
        if self.arrangement is not Arrangement.NARROW:
            self.map.setMinimumHeight(0)
            self.map.setMaximumHeight(_UNLIMITED)
            return
        wanted = self.map.height_at(self.width() - METRICS.wide_inset - _SCROLL_BAR - 8)
        self.map.setFixedHeight(min(wanted, max(200, int(self.height() * _MOST_OF_HEIGHT))))

    def _place_beside(self) -> None:
        """The head over everything, the column of facts right of the map."""
        self._grid.addWidget(self.header, 0, 0, 1, 2)
        self._grid.addWidget(self._line, 1, 0, 1, 2)
        self._grid.addWidget(self.map, 2, 0)
        self._grid.addWidget(self._scroll, 2, 1)
        self._stretch((0, 0, 1), (1, 0))

    def _place_below(self) -> None:
        """Everything in one column that scrolls."""
        for at, part in enumerate((self.header, self._line, self.map)):
            self._side.insertWidget(at, part)
        self._grid.addWidget(self._scroll, 0, 0, 1, 2)
        self._stretch((1, 0, 0), (1, 0))

    def _place_low(self) -> None:
        """The map left, everything else right of it."""
        self._side.insertWidget(0, self.header)
        self._grid.addWidget(self.map, 0, 0)
        self._grid.addWidget(self._scroll, 0, 1)
        self._stretch((1, 0, 0), (0, 1))

    def _stretch(self, rows: tuple[int, ...], columns: tuple[int, ...]) -> None:
        for at, stretch in enumerate(rows):
            self._grid.setRowStretch(at, stretch)
        for at, stretch in enumerate(columns):
            self._grid.setColumnStretch(at, stretch)


def _limit_width(widget: QWidget, width: int | None) -> None:
    """Fix a width, or leave it to the layout."""
    if width is not None:
        widget.setFixedWidth(width)
        return
    widget.setMinimumWidth(0)
    widget.setMaximumWidth(_UNLIMITED)


_PLACERS = {
    Arrangement.WIDE: Body._place_beside,
    Arrangement.MEDIUM: Body._place_beside,
    Arrangement.NARROW: Body._place_below,
    Arrangement.LOW: Body._place_low,
    Arrangement.LOW_NARROW: Body._place_low,
}
