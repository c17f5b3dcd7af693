"""The right side of the wizard: what the choices cost, what is wrong, and what stands beside."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QScrollArea, QSizePolicy, QVBoxLayout, QWidget

from workbench.session.patterns.wizard_view import WizardView
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.labels import text_label
from workbench.ui.wizard.beside import CODE, Beside
from workbench.ui.wizard.cards import Cards
from workbench.ui.wizard.compact_meters import CompactMeters
from workbench.ui.wizard.meter_table import MeterTable

_LEAST, _LEAST_METERS = 360, 120
_HEADS, _LEAST_CODE = 110, 90  # px of the headings and margins, and of the code at least


class CostsPanel(QWidget):
    """Meters have a column a target, as long as there is room, and a line a target else."""

    def __init__(self, icons: Icons, lexer: LineLexer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, theme = icons, icons.theme
        self.meters, self.compact = MeterTable(icons), CompactMeters(icons)
        self.cards = Cards(icons)
        self.beside = Beside(icons, lexer)
        self._updated = text_label(theme, "", TextRole.LABEL, "fg3")
        self._area = _MetersArea(self.meters, self.compact)
        grounded(self, "bg1")
        head = QHBoxLayout()
        head.addWidget(text_label(theme, "What these choices cost", TextRole.HEADING, "fg"))
        head.addStretch(1)
        head.addWidget(self._updated)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(METRICS.wizard_inset, 20, METRICS.wizard_inset, 16)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self._area)
        layout.addWidget(self.cards)
        layout.addSpacing(4)
        layout.addWidget(self.beside, 1)
        self.beside.changed.connect(self._choose_meters)

    def set_view(self, view: WizardView) -> None:
        """Show another draft."""
        self.meters.set_meters(view.meters)
        self.compact.set_meters(view.meters)
        self.cards.set_cards(view.cards)
        self._choose_meters()
        self.beside.set_code(view.code)
        self._area.setVisible(bool(view.meters.rows))
        self._updated.setText(view.updated if view.meters.rows else "")

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_LEAST, 200)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        self._choose_meters()

    def _choose_meters(self) -> None:
        compact = self.beside.key != CODE or not self._has_room()
        self.meters.setVisible(not compact)
        self.compact.setVisible(compact)
        shown = self.compact if compact else self.meters
        most = self.height() // 2 if compact else self.height()
        least = min(shown.sizeHint().height(), most) if self.meters.meters.rows else 0
        self._area.set_least(least)
        beside = max(self._pixels(_LEAST_CODE), self.beside.minimumSizeHint().height())
        rest = self.height() - self._pixels(_HEADS) - beside - least
        self.cards.fit(self.width() - 2 * METRICS.wizard_inset, rest)

    def _has_room(self) -> bool:
        """Whether a column a target fits, with the cards and some code below."""
        width = self.width() - 2 * METRICS.wizard_inset
        wide, cards = width >= self.meters.needs_width(), sum(self.cards.heights(width))
        rest = self.height() - self._pixels(_HEADS) - cards - self._pixels(_LEAST_CODE)
        return wide and self.meters.sizeHint().height() <= rest

    def _pixels(self, pixels: int) -> int:
        return self._icons.theme.fonts.pixels(pixels)


class _MetersArea(QScrollArea):
    """As high as the meters, and less where there is no room: then they scroll."""

    def __init__(self, *meters: QWidget) -> None:
        super().__init__()
        self._inside = inside = grounded(QWidget(), "bg1")
        layout = QVBoxLayout(inside)
        layout.setContentsMargins(0, 0, 0, 0)
        for each in meters:
            layout.addWidget(each)
        layout.addStretch(1)
        self.setWidget(inside)
        self.setWidgetResizable(True)
        self.setFrameShape(QFrame.Shape.NoFrame)
        self.setProperty("ground", "bg1")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setSizePolicy(QSizePolicy.Policy.Preferred, QSizePolicy.Policy.Maximum)

    def set_least(self, height: int) -> None:
        """Take no less height than that."""
        self.setMinimumHeight(max(_LEAST_METERS, height))
        self.updateGeometry()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return self._inside.sizeHint()

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(_LEAST - 2 * METRICS.wizard_inset, _LEAST_METERS)


def grounded(widget: QWidget, token: str) -> QWidget:
    """The widget, with a ground of a token's colour."""
    widget.setProperty("ground", token)
    widget.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
    return widget
