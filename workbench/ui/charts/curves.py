"""Curves whose pens have their px on every screen, and very many lines, kept as a picture."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import pyqtgraph as pg
from PySide6.QtCore import Qt, QTimer
from PySide6.QtGui import QColor, QPainter, QPen, QPixmap, QTransform
from PySide6.QtWidgets import QWidget

_REST_MS = 150
_REST = 3  # times as long as they took to draw, until very many lines are drawn anew


def pen_of(colour: QColor, width: float, dash: Sequence[float] = ()) -> QPen:
    """A pen of so many px whatever the zoom."""
    pen = QPen(colour, width)
    pen.setCosmetic(True)
    pen.setCapStyle(Qt.PenCapStyle.FlatCap)
    if dash:
        pen.setDashPattern([length / width for length in dash])
    return pen


def ratio_of(painter: QPainter) -> float:
    """The pixels of a px of what is painted on, by which Qt does not widen a cosmetic pen."""
    world = painter.worldTransform().m11()
    return abs(painter.deviceTransform().m11() / world) if world else 1.0


def widened(pen: QPen, ratio: float) -> QPen:
    """A pen for so many pixels a px; a dash goes with the width."""
    wide = QPen(pen)
    wide.setWidthF(pen.widthF() * ratio)
    return wide


class SharpCurve(pg.PlotCurveItem):  # type: ignore[misc]  # no types are shipped
    """A curve as wide on every screen."""

    def paint(self, p: QPainter, opt: Any, widget: QWidget | None) -> None:
        pen = self.opts["pen"]
        self.opts["pen"] = widened(pen, ratio_of(p))
        super().paint(p, opt, widget)
        self.opts["pen"] = pen


class SharpErrorBars(pg.ErrorBarItem):  # type: ignore[misc]  # no types are shipped
    """Error bars as wide on every screen."""

    def paint(self, p: QPainter, *args: Any) -> None:
        pen = self.opts["pen"]
        if pen is None:
            return
        self.opts["pen"] = widened(pen, ratio_of(p))
        super().paint(p, *args)
        self.opts["pen"] = pen


class PicturedLines(SharpCurve):
    """A curve of thousands of pieces, which take longer to draw than a frame may.

    They are kept as a picture, which zooming stretches, and drawn anew at rest.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        #: Whether it is kept as a picture of the screen's pixels; a file has more of them.
        self.is_kept = True
        self._picture: QPixmap | None = None
        self._transform = QTransform()
        self._rest = QTimer(self)
        self._rest.setSingleShot(True)
        self._rest.setInterval(_REST_MS)
        self._rest.timeout.connect(self._on_rest_timeout)

    def paint(self, p: QPainter, opt: Any, widget: QWidget | None) -> None:
        if widget is None or not self.is_kept:
            super().paint(p, opt, widget)
            return
        now = p.worldTransform()
        if not self._fits(widget):
            self._draw(now, opt, widget)
        elif now != self._transform:
            self._rest.start()
        assert self._picture is not None
        p.save()
        p.setWorldTransform(self._transform.inverted()[0] * now)
        p.drawPixmap(0, 0, self._picture)
        p.restore()

    def _fits(self, widget: QWidget) -> bool:
        """Whether there is a picture of the widget's size and pixels."""
        if self._picture is None:
            return False
        size = self._picture.deviceIndependentSize().toSize()
        ratio = self._picture.devicePixelRatio()
        return size == widget.size() and ratio == widget.devicePixelRatioF()

    def _draw(self, transform: QTransform, opt: Any, widget: QWidget) -> None:
        ratio = widget.devicePixelRatioF()
        self._picture = QPixmap(widget.size() * ratio)
        self._picture.setDevicePixelRatio(ratio)
        self._picture.fill("transparent")
        self._transform = QTransform(transform)
        began = time.monotonic()
        painter = QPainter(self._picture)
        painter.setWorldTransform(transform)
        super().paint(painter, opt, widget)
        painter.end()
        took_ms = (time.monotonic() - began) * 1e3
        self._rest.setInterval(max(_REST_MS, round(_REST * took_ms)))

    def _on_rest_timeout(self) -> None:
        self._picture = None
        self.update()
