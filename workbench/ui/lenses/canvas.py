"""What a picture is painted with: the theme's colours and texts, and the places that answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from PySide6.QtCore import QPointF, QRectF, QSizeF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPainterPath, QPen

from workbench.session.lenses.links import Selection
from workbench.ui.editor.appearance import code_font
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.painting import paint_block, paint_hatch, paint_mark

_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


@dataclass(frozen=True)
class Hit:
    """A place of a picture: what a click on it selects, and what hovering it says.

    `key` is the lens's own name for what lies there, for clicks that select no line. `resolve`
    tells of a place of many small ones which lies at a point.
    """

    area: QRectF
    tip: str = ""
    selection: Selection | None = None
    key: object = None
    resolve: Callable[[QPointF], Hit | None] | None = None

    def at(self, point: QPointF) -> Hit | None:
        """What answers at a point of the picture; None where the point is not in it."""
        if not self.area.contains(point):
            return None
        return self.resolve(point) if self.resolve is not None else self


class Canvas:
    """A painter in the theme's colours. `visible` is the part in sight, in the picture's px.

    `lit` is what is selected, `hovered` the key of the place under the pointer.
    """

    def __init__(
        self,
        painter: QPainter,
        theme: Theme,
        visible: QRectF,
        lit: Selection | None = None,
        hovered: object = None,
        scale: float = 1.0,
    ) -> None:
        self.painter, self.theme, self.visible = painter, theme, visible
        self.lit, self.hovered, self.scale = lit, hovered, scale
        self.hits: list[Hit] = []
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)

    def colour(self, token: str, alpha: float = 1.0) -> QColor:
        """A colour of the theme by its token."""
        return self.theme.colour(token, alpha)

    def target_colour(self, mark: int) -> QColor:
        """The hue of the target with that mark."""
        return QColor(self.theme.palette.targets[mark % len(self.theme.palette.targets)])

    def is_lit(self, selection: Selection | None) -> bool:
        """Whether a mark that stands for `selection` is to light up."""
        return selection is not None and selection.meets(self.lit)

    def hit(
        self, area: QRectF, tip: str = "", selection: Selection | None = None, key: object = None
    ) -> None:
        """Let a place answer; one that is told later lies above the earlier ones."""
        self.hits.append(Hit(area, tip, selection, key))

    def field(self, area: QRectF, resolve: Callable[[QPointF], Hit | None]) -> None:
        """Let a place of too many parts to name answer: `resolve` finds the one at a point."""
        self.hits.append(Hit(area, resolve=resolve))

    def text(
        self,
        area: QRectF,
        text: str,
        role: TextRole = TextRole.LABEL,
        token: str = "fg2",
        align: Qt.AlignmentFlag = _LEFT,
        is_code: bool = False,
        elide: bool = True,
    ) -> None:
        """Write in an area, cut with an ellipsis where it is too long."""
        font = code_font(role.pixels) if is_code else self.theme.fonts.role(role)
        self.painter.setFont(font)
        self.painter.setPen(self.colour(token))
        if elide:
            metrics = QFontMetricsF(font)
            text = metrics.elidedText(text, Qt.TextElideMode.ElideRight, area.width())
        self.painter.drawText(area, int(align), text)

    def text_width(
        self, text: str, role: TextRole = TextRole.LABEL, is_code: bool = False
    ) -> float:
        """The width of a text in px."""
        font = code_font(role.pixels) if is_code else self.theme.fonts.role(role)
        return QFontMetricsF(font).horizontalAdvance(text)

    def block(self, area: QRectF, colour: QColor, predicted: bool = True) -> None:
        """A bar or block: solid where it was measured, hatched where it was predicted."""
        paint_block(self.painter, area, colour, predicted)

    def hatch(self, area: QRectF, colour: QColor) -> None:
        """Lines at 45 degrees."""
        path = QPainterPath()
        path.addRect(area)
        paint_hatch(self.painter, path, colour)

    def box(
        self, area: QRectF, fill: QColor | None, edge: QColor | None = None, radius: float = 3.0
    ) -> None:
        """A box with a thin edge."""
        path = QPainterPath()
        path.addRoundedRect(area.adjusted(0.5, 0.5, -0.5, -0.5), radius, radius)
        if fill is not None:
            self.painter.fillPath(path, fill)
        if edge is not None:
            self.painter.strokePath(path, QPen(edge, 1))

    def outline(self, area: QRectF, token: str = "accent", width: float = 2.0) -> None:
        """What tells the thing that is selected."""
        path = QPainterPath()
        half = width / 2
        path.addRoundedRect(area.adjusted(half, half, -half, -half), 3, 3)
        self.painter.strokePath(path, QPen(self.colour(token), width))

    def line(
        self,
        start: QPointF,
        end: QPointF,
        token: str = "line2",
        width: float = 1.0,
        style: Qt.PenStyle = Qt.PenStyle.SolidLine,
    ) -> None:
        """A straight line."""
        self.painter.setPen(QPen(self.colour(token), width, style))
        self.painter.drawLine(start, end)

    def mark(self, middle: QPointF, mark: int, size: float = 9.0) -> None:
        """The mark of a target: its shape in its hue."""
        half = size / 2
        corner = middle - QPointF(half, half)
        paint_mark(self.painter, QRectF(corner, QSizeF(size, size)), self.theme, mark)
