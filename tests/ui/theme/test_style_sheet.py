from __future__ import annotations

import re
from dataclasses import fields

import pytest
from PySide6.QtCore import QFile
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from workbench.ui.theme.fonts import Fonts, interface_font
from workbench.ui.theme.style_sheet import is_dark, qt_palette, style_sheet
from workbench.ui.theme.tokens import DARK, LIGHT, Palette

both = pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])


@pytest.fixture
def fonts(qapp: QApplication) -> Fonts:
    return Fonts(interface_font())


@both
def test_every_image_of_the_style_sheet_exists(palette: Palette, fonts: Fonts) -> None:
    images = re.findall(r"url\((.*?)\)", style_sheet(palette, fonts))
    assert len(images) > 20
    assert not [image for image in images if not QFile.exists(image)]


@both
def test_no_name_is_left_in_the_style_sheet(palette: Palette, fonts: Fonts) -> None:
    assert "$" not in style_sheet(palette, fonts)


def test_the_schemes_share_no_image(fonts: Fonts) -> None:
    dark, light = (set(re.findall(r"url\((.*?)\)", style_sheet(p, fonts))) for p in (DARK, LIGHT))
    assert not dark & light


def test_sizes_of_text_follow_the_interface_font(qapp: QApplication) -> None:
    base = interface_font()
    base.setPixelSize(26)
    assert "font-size: 24px" in style_sheet(DARK, Fonts(base))


@both
def test_the_palette_has_the_tokens(palette: Palette) -> None:
    result = qt_palette(palette)
    assert result.color(QPalette.ColorRole.Base).name().upper() == palette.bg1
    assert result.color(QPalette.ColorRole.Highlight).name().upper() == palette.accent


@both
def test_what_is_disabled_is_pale(palette: Palette) -> None:
    colour = qt_palette(palette).color(QPalette.ColorGroup.Disabled, QPalette.ColorRole.Text)
    assert colour.name().upper() == palette.fg4


def test_darkness_is_told_from_the_ground() -> None:
    assert is_dark(DARK)
    assert not is_dark(LIGHT)


def test_colours_stand_in_the_tokens_alone(fonts: Fonts) -> None:
    known = {DARK.colour(field.name) for field in fields(Palette)}
    used = set(re.findall(r"#[0-9A-F]{6}", style_sheet(DARK, fonts)))
    # The two shades of a pressed and a hovered primary button are mixed from tokens.
    assert len(used - known) == 2
