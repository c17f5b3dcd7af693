from __future__ import annotations

import pytest
from PySide6.QtGui import QFont, QFontInfo, QFontMetrics
from PySide6.QtWidgets import QApplication

from workbench.ui.theme.fonts import (
    MONOSPACE_FAMILIES,
    Fonts,
    TextRole,
    interface_font,
    monospace_font,
    with_tabular_figures,
)


@pytest.fixture
def fonts(qapp: QApplication) -> Fonts:
    return Fonts(interface_font())


def test_every_digit_has_one_width(fonts: Fonts) -> None:
    metrics = QFontMetrics(fonts.base)
    assert metrics.horizontalAdvance("1" * 20) == metrics.horizontalAdvance("8" * 20)


def test_tabular_figures_are_asked_for(fonts: Fonts) -> None:
    assert fonts.base.featureValue(QFont.Tag("tnum")) == 1


def test_tabular_figures_leave_the_given_font_alone(qapp: QApplication) -> None:
    font = interface_font()
    with_tabular_figures(font)
    assert not font.featureTags()


def test_code_has_characters_of_one_width_and_no_ligatures(fonts: Fonts) -> None:
    metrics = QFontMetrics(fonts.monospace())
    assert metrics.horizontalAdvance("!=" * 8) == metrics.horizontalAdvance("ii" * 8)
    assert fonts.monospace().featureValue(QFont.Tag("calt")) == 0


def test_the_first_installed_family_is_used_for_code(qapp: QApplication) -> None:
    font = monospace_font()
    assert tuple(font.families()[: len(MONOSPACE_FAMILIES)]) == MONOSPACE_FAMILIES
    assert QFontInfo(font).fixedPitch()


@pytest.mark.parametrize("role", TextRole)
def test_roles_have_their_sizes_at_the_usual_interface_font(fonts: Fonts, role: TextRole) -> None:
    font = fonts.role(role)
    assert (font.pixelSize(), font.weight()) == (role.pixels, role.weight)


def test_sizes_follow_a_larger_interface_font(qapp: QApplication) -> None:
    base = interface_font()
    base.setPixelSize(26)
    assert Fonts(base).role(TextRole.LABEL).pixelSize() == 24
