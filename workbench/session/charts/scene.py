"""A chart as it lies in a rectangle: boxes, lines, texts and marks in px, in the theme's tokens.

What paints it, on a screen or as SVG, needs to know nothing of charts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Anchor = Literal["start", "middle", "end"]
XY = tuple[float, float]


@dataclass(frozen=True)
class Rect:
    """A rectangle in px."""

    x: float
    y: float
    width: float
    height: float

    @property
    def right(self) -> float:
        """Its right side."""
        return self.x + self.width

    @property
    def bottom(self) -> float:
        """Its lower side."""
        return self.y + self.height

    def holds(self, x: float, y: float) -> bool:
        """Whether a point lies in it."""
        return self.x <= x <= self.right and self.y <= y <= self.bottom


@dataclass(frozen=True)
class Box:
    """A filled rectangle: solid, or hatched at 45 degrees with an edge where `is_hatched`."""

    area: Rect
    tone: str
    is_hatched: bool = False
    alpha: float = 1.0
    radius: float = 2.0
    is_clipped: bool = True


@dataclass(frozen=True)
class Stroke:
    """A line through points, or with `fill` the area within them."""

    points: tuple[XY, ...]
    tone: str
    width: float = 1.0
    dash: tuple[float, ...] = ()
    alpha: float = 1.0
    fill: bool = False
    is_clipped: bool = True


@dataclass(frozen=True)
class Text:
    """A text whose baseline's middle is at `y`; `size` in px, `weight` 400, 500 or 600.

    `angle` turns it around its place, in degrees. With `is_clear` the ground is cleared below it.
    """

    x: float
    y: float
    text: str
    tone: str = "fg3"
    size: int = 11
    weight: int = 400
    anchor: Anchor = "start"
    angle: float = 0.0
    is_clear: bool = False


@dataclass(frozen=True)
class Mark:
    """The mark of a target, by its number, with its middle at a place; hollow if predicted."""

    x: float
    y: float
    mark: int
    tone: str
    size: float = 9.0
    is_hollow: bool = False
    is_clipped: bool = True


Shape = Box | Stroke | Text | Mark


@dataclass(frozen=True)
class Spot:
    """A place that answers: what hovering says, and the key of the run or series behind it."""

    area: Rect
    tip: str
    key: str = ""
    series: str = ""


@dataclass(frozen=True)
class Scene:
    """The shapes from back to front; those that are clipped are cut to `plot`.

    `spots` are the marks in reading order.
    """

    width: float
    height: float
    plot: Rect
    shapes: tuple[Shape, ...]
    spots: tuple[Spot, ...] = ()
    title: str = ""
    description: str = ""
