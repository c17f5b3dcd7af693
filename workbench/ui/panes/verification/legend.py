"""What the colours of the map mean."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QLinearGradient, QPainter, QPainterPath, QPaintEvent, QPen
from PySide6.QtWidgets import QSizePolicy, QWidget

from workbench.session.verification_output import OutputView
from workbench.ui.panes.verification.colours import ErrorColours, nice_top
from workbench.ui.panes.verification.wording import value_text
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_hatch

_HEAD = 26
_SCALE = 112
_ROW = 20
_BAR_WIDTH = 16
_SWATCH = 14
_GAP = 9
_STOPS = 24
_TICKS = (1.0, 0.5, 0.25)


class ErrorLegend(QWidget):
    """The scale of errors, and the swatches of what is not on it."""

    def __init__(self, theme: Theme, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._output: OutputView | None = None
        self._title = theme.fonts.role(TextRole.LABEL)
        self._title.setWeight(QFont.Weight.DemiBold)
        self._label = theme.fonts.role(TextRole.LABEL)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        theme.changed.connect(self.update)

    def show_output(self, output: OutputView) -> None:
        """Explain the map of another output."""
        self._output = output
        names = [name for name, _ in self._swatches(output)]
        self.setAccessibleName(f"Colours: {self._heading(output)}, {', '.join(names)}")
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        if self._output is None:
            return QSize(160, 0)
        scale = _SCALE + 8 if self._output.errors.largest > 0 else 0
        return QSize(160, _HEAD + scale + _ROW * len(self._swatches(self._output)))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: N802 - Qt's name
        if self._output is None:
            return
        errors = self._output.errors
        colours = ErrorColours(self._theme.palette, nice_top(errors.largest))
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setFont(self._title)
            painter.setPen(self._theme.colour("fg2"))
            top = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignTop
            painter.drawText(QRectF(0, 0, self.width(), _HEAD), top, self._heading(self._output))
            painter.setFont(self._label)
            y = float(_HEAD)
            if errors.largest > 0:
                self._paint_scale(painter, QRectF(0.5, y, _BAR_WIDTH, _SCALE), colours)
                y += _SCALE + 8
            for name, token in self._swatches(self._output):
                self._paint_swatch(painter, y, name, token, colours)
                y += _ROW

    def _paint_scale(self, painter: QPainter, bar: QRectF, colours: ErrorColours) -> None:
        gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
        for step in range(_STOPS + 1):
            gradient.setColorAt(step / _STOPS, QColor(colours.at(step / _STOPS)))
        path = QPainterPath()
        path.addRoundedRect(bar, 2, 2)
        painter.fillPath(path, gradient)
        for share in _TICKS:
            y = bar.bottom() - share * bar.height()
            painter.setPen(QPen(self._theme.colour("fg3"), 1))
            painter.drawLine(QPointF(bar.right(), y + 0.5), QPointF(bar.right() + 5, y + 0.5))
            place = QRectF(bar.right() + _GAP, max(0.0, y - 8), 120, 16)
            text = _tick_text(colours.top * share)
            beyond = self._output is not None and self._output.errors.largest > colours.top * 1.001
            if share == 1.0 and beyond:
                text += " and more"
            painter.setPen(self._theme.colour("fg2"))
            painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, text)

    def _paint_swatch(
        self, painter: QPainter, y: float, name: str, token: str, colours: ErrorColours
    ) -> None:
        box = QRectF(0.5, y + (_ROW - _SWATCH) / 2 + 0.5, _BAR_WIDTH, _SWATCH - 1)
        path = QPainterPath()
        path.addRoundedRect(box, 2, 2)
        if token == "hatch":
            painter.fillPath(path, self._theme.colour("bg2"))
            paint_hatch(painter, path, self._theme.colour("line2"))
        else:
            painter.fillPath(path, QColor(getattr(colours, token)))
        painter.setPen(QPen(self._theme.colour("line2"), 1))
        painter.drawPath(path)
        painter.setPen(self._theme.colour("fg2"))
        place = QRectF(_BAR_WIDTH + _GAP, y, self.width() - _BAR_WIDTH - _GAP, _ROW)
        painter.drawText(place, Qt.AlignmentFlag.AlignVCenter, name)

    def _heading(self, output: OutputView) -> str:
        if output.errors.largest == 0:
            return "Colours"
        return "Error ÷ tolerance" if output.errors.in_tolerances else "Absolute error"

    def _swatches(self, output: OutputView) -> list[tuple[str, str]]:
        """Name and kind of each swatch that the map needs."""
        found = [("within tolerance", "within")]
        if output.errors.has_nonfinite:
            found.append(("NaN or infinite", "no_number"))
        rows, columns = output.layout.extent
        if output.ran is not None:
            found.append(("not run, or outside the output", "hatch"))
        elif rows * columns > output.comparison.total:
            found.append(("outside the output", "hatch"))
        return found


def _tick_text(value: float) -> str:
    """Ticks are halves of round numbers, so no digit is cut off."""
    return f"{value:g}" if 1e-3 <= value < 1e5 else value_text(value)
