from __future__ import annotations

import xml.etree.ElementTree as ElementTree

import pytest
from PySide6.QtCore import QSize
from PySide6.QtGui import QAction, QColor, QIcon, QImage

from workbench.ui.theme.icons import Icons
from workbench.ui.theme.svg import icon_folder, icon_names, icon_svg
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK, LIGHT

WANTED = {
    "file",
    "folder",
    "open",
    "save",
    "cube",
    "layers",
    "history",
    "server",
    "settings",
    "play",
    "check",
    "clock",
    "compare",
    "bars",
    "search",
    "chevron-down",
    "chevron-up",
    "chevron-left",
    "chevron-right",
    "close",
    "pencil",
    "plus",
    "minus",
    "copy",
    "filter",
    "error",
    "warning",
    "info",
    "good",
    "bulb",
    "star",
    "pin",
    "lock",
    "terminal",
    "gpu",
    "bug",
    "upload",
    "download",
    "trash",
    "undo",
    "redo",
    "dot",
    "stop",
    "refresh",
    "link",
    "external",
    "more",
    "book",
    "help",
    "palette",
    "columns",
    "memory",
    "grid",
    "table",
    "split",
    "arrow-up",
    "arrow-down",
    "zoom-in",
    "zoom-out",
    "shield",
    "fold",
    "unfold",
    "flag",
    "tag",
}


def ink(image: QImage) -> list[QColor]:
    """The colours of the pixels that are wholly covered."""
    places = [(x, y) for x in range(image.width()) for y in range(image.height())]
    colours = [image.pixelColor(x, y) for x, y in places]
    return [colour for colour in colours if colour.alpha() == 255]


def main_colour(icon: QIcon, mode: QIcon.Mode = QIcon.Mode.Normal) -> str:
    image = icon.pixmap(QSize(64, 64), 1.0, mode).toImage()
    return ink(image)[0].name().upper()


def test_the_set_has_what_the_window_needs() -> None:
    assert not WANTED - set(icon_names())


@pytest.mark.parametrize("name", icon_names())
def test_an_icon_keeps_the_rules_of_the_set(name: str) -> None:
    root = ElementTree.parse(icon_folder() / f"{name}.svg").getroot()
    rules = {
        "viewBox": "0 0 24 24",
        "stroke": "currentColor",
        "stroke-width": "1.75",
        "stroke-linecap": "round",
        "stroke-linejoin": "round",
        "fill": "none",
    }
    assert {key: root.get(key) for key in rules} == rules


@pytest.mark.parametrize("name", icon_names())
def test_an_icon_is_drawn_in_its_colour_and_within_its_square(icons: Icons, name: str) -> None:
    image = icons.pixmap(name, "accent", 24, 4.0).toImage()
    assert image.width() == 96
    assert {colour.name().upper() for colour in ink(image)} == {DARK.accent}
    edge = [image.pixelColor(at, side).alpha() for at in range(96) for side in (0, 95)]
    assert not any(edge)


def test_the_stroke_is_thinner_in_large_icons_and_thicker_in_small_ones() -> None:
    widths = {size: icon_svg("play", "#000000", size) for size in (12, 16, 20)}
    assert b'stroke-width="2.2"' in widths[12]
    assert b'stroke-width="1.75"' in widths[16]
    assert b'stroke-width="1.6"' in widths[20]


def test_an_unknown_icon_is_named(icons: Icons) -> None:
    with pytest.raises(KeyError, match="no icon 'spoon'"):
        icons.icon("spoon")


def test_a_disabled_icon_is_pale(icons: Icons) -> None:
    assert main_colour(icons.icon("stop", "fg", 64), QIcon.Mode.Disabled) == DARK.fg4


def test_an_icon_is_sharp_at_a_ratio_of_two(icons: Icons) -> None:
    pixmap = icons.icon("play").pixmap(QSize(16, 16), 2.0)
    assert pixmap.width() == 32


def test_an_icon_is_drawn_once(icons: Icons) -> None:
    assert icons.pixmap("play") is icons.pixmap("play")


def test_an_assigned_icon_follows_the_theme(icons: Icons, theme: Theme) -> None:
    action = QAction()
    icons.assign(action, "stop", "accent", 64)
    theme.set_choice("light")
    assert main_colour(action.icon()) == LIGHT.accent


def test_an_assigned_icon_can_be_exchanged(icons: Icons, theme: Theme) -> None:
    action = QAction()
    icons.assign(action, "stop", "accent", 64).set_icon("stop", "error", 64)
    theme.set_choice("light")
    assert main_colour(action.icon()) == LIGHT.error


def test_the_logo_has_the_hues_of_the_memory_levels(icons: Icons) -> None:
    colours = {colour.name().upper() for colour in ink(icons.logo(48).toImage())}
    assert {DARK.hbm, DARK.shared, DARK.registers} <= colours
