"""Writes a scene as SVG text: no font, no script and no link to anything outside."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from xml.sax.saxutils import escape, quoteattr

from workbench.session.charts.scene import Box, Mark, Rect, Scene, Shape, Stroke, Text

_FONT = "Inter, system-ui, 'Segoe UI', 'Helvetica Neue', Arial, sans-serif"
_HATCH = 5.0
_ANCHORS = {"start": "start", "middle": "middle", "end": "end"}
Colour = Callable[[str], str]


def to_svg(scene: Scene, colour: Colour, prefix: str = "c", ground: str | None = "bg1") -> str:
    """The scene as one `<svg>` element.

    `colour` gives a CSS colour for a token of the theme, such as "#14181D" or "var(--bg1)".
    `prefix` begins the ids in it, which must differ among pictures of one page. `ground` is the
    token of what lies behind, None for nothing.
    """
    parts = [*_head(scene, colour, prefix, ground)]
    for shape in scene.shapes:
        markup = _shape(shape, colour, prefix)
        clipped = getattr(shape, "is_clipped", False)
        parts.append(f'<g clip-path="url(#{prefix}-plot)">{markup}</g>' if clipped else markup)
    parts += [_spot_title(spot.area, spot.tip) for spot in scene.spots if spot.tip]
    return "\n".join((*parts, "</svg>"))


def _head(scene: Scene, colour: Colour, prefix: str, ground: str | None) -> Iterator[str]:
    size = f'width="{_n(scene.width)}" height="{_n(scene.height)}"'
    box = f'viewBox="0 0 {_n(scene.width)} {_n(scene.height)}"'
    yield (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} {box} role="img" '
        f"aria-label={quoteattr(scene.title)} font-family={quoteattr(_FONT)} "
        'style="font-variant-numeric: tabular-nums">'
    )
    yield f"<title>{escape(scene.title)}</title><desc>{escape(scene.description)}</desc>"
    yield f'<defs><clipPath id="{prefix}-plot">{_rect(_clip(scene.plot))}</clipPath>'
    for tone in sorted(_hatched(scene)):
        yield _pattern(tone, colour(tone), prefix)
    yield "</defs>"
    if ground is not None:
        yield _rect(Rect(0, 0, scene.width, scene.height), f'fill="{colour(ground)}"')


def _clip(plot: Rect) -> Rect:
    """The plot with room for whiskers and marks at its edges."""
    return Rect(plot.x - 6, plot.y - 16, plot.width + 12, plot.height + 17)


def _hatched(scene: Scene) -> set[str]:
    return {shape.tone for shape in scene.shapes if isinstance(shape, Box) and shape.is_hatched}


def _pattern(tone: str, hue: str, prefix: str) -> str:
    step = _n(_HATCH / math.sqrt(2))
    return (
        f'<pattern id="{prefix}-{tone}" width="{step}" height="{step}" '
        f'patternUnits="userSpaceOnUse" patternTransform="rotate(45)">'
        f'<rect width="{step}" height="{step}" fill="{hue}" fill-opacity="0.2"/>'
        f'<line x1="0" y1="0" x2="0" y2="{step}" stroke="{hue}" stroke-width="1.6"/></pattern>'
    )


def _shape(shape: Shape, colour: Colour, prefix: str) -> str:
    if isinstance(shape, Box):
        return _box(shape, colour, prefix)
    if isinstance(shape, Stroke):
        return _stroke(shape, colour)
    return _text(shape, colour) if isinstance(shape, Text) else _mark(shape, colour)


def _box(box: Box, colour: Colour, prefix: str) -> str:
    hue = colour(box.tone)
    round_ = f'rx="{_n(box.radius)}"'
    opacity = f' opacity="{_n(box.alpha)}"' if box.alpha < 1 else ""
    if not box.is_hatched:
        return _rect(box.area, f'fill="{hue}" {round_}{opacity}')
    edge = f'stroke="{hue}" stroke-opacity="0.9"'
    area = Rect(
        box.area.x + 0.5,
        box.area.y + 0.5,
        max(0.0, box.area.width - 1),
        max(0.0, box.area.height - 1),
    )
    return _rect(area, f'fill="url(#{prefix}-{box.tone})" {edge} {round_}{opacity}')


def _stroke(stroke: Stroke, colour: Colour) -> str:
    points = " ".join(f"{_n(x)},{_n(y)}" for x, y in stroke.points)
    hue, alpha = colour(stroke.tone), _n(stroke.alpha)
    if stroke.fill:
        return f'<polygon points="{points}" fill="{hue}" fill-opacity="{alpha}"/>'
    dash = f' stroke-dasharray="{" ".join(_n(d) for d in stroke.dash)}"' if stroke.dash else ""
    return (
        f'<polyline points="{points}" fill="none" stroke="{hue}" '
        f'stroke-width="{_n(stroke.width)}" stroke-opacity="{alpha}"{dash}/>'
    )


def _text(text: Text, colour: Colour) -> str:
    turn = f' transform="rotate({_n(text.angle)} {_n(text.x)} {_n(text.y)})"' if text.angle else ""
    halo = ""
    if text.is_clear:
        halo = f' stroke="{colour("bg1")}" stroke-width="3" paint-order="stroke"'
    return (
        f'<text x="{_n(text.x)}" y="{_n(text.y)}" dominant-baseline="central" '
        f'text-anchor="{_ANCHORS[text.anchor]}" font-size="{text.size}" '
        f'font-weight="{text.weight}" fill="{colour(text.tone)}"{halo}{turn}>'
        f"{escape(text.text)}</text>"
    )


def _mark(mark: Mark, colour: Colour) -> str:
    hue, half = colour(mark.tone), mark.size / 2
    shape = mark.mark % 5
    hollow = mark.is_hollow or shape == 4
    inset = 0.8 if hollow else 0.0
    look = f'fill="{colour("bg1")}" stroke="{hue}" stroke-width="1.6"'
    if not hollow:
        look = f'fill="{hue}"'
    if shape in (0, 4):
        return f'<circle cx="{_n(mark.x)}" cy="{_n(mark.y)}" r="{_n(half - inset)}" {look}/>'
    points = mark_points(mark.mark, mark.x, mark.y, mark.size - 2 * inset)
    places = " ".join(f"{_n(x)},{_n(y)}" for x, y in points)
    return f'<polygon points="{places}" {look}/>'


def mark_points(mark: int, x: float, y: float, size: float) -> tuple[tuple[float, float], ...]:
    """The corners of a square, triangle or diamond; a circle has none."""
    half = size / 2
    if mark % 5 == 1:
        side = half * 0.88
        return (
            (x - side, y - side),
            (x + side, y - side),
            (x + side, y + side),
            (x - side, y + side),
        )
    if mark % 5 == 2:
        return ((x, y - half), (x + half, y + half * 0.88), (x - half, y + half * 0.88))
    if mark % 5 == 3:
        return ((x, y - half), (x + half, y), (x, y + half), (x - half, y))
    return ()


def _spot_title(area: Rect, tip: str) -> str:
    place = _rect(area, 'fill-opacity="0"').removesuffix("/>")
    return f"{place}><title>{escape(tip)}</title></rect>"


def _rect(area: Rect, look: str = "") -> str:
    place = f'x="{_n(area.x)}" y="{_n(area.y)}"'
    size = f'width="{_n(max(0.0, area.width))}" height="{_n(max(0.0, area.height))}"'
    return f"<rect {place} {size} {look}/>"


def _n(value: float) -> str:
    """A number with two digits behind the point, none where it is whole."""
    return f"{value:.2f}".rstrip("0").rstrip(".")
