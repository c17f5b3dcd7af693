from __future__ import annotations

import re
from dataclasses import fields

import pytest

from workbench.ui.theme.colours import contrast
from workbench.ui.theme.tokens import DARK, LIGHT, TARGET_MARKS, Palette

GROUNDS = ("bg0", "bg1", "bg2", "bg3")
SEVERITIES = ("error", "warn", "info", "good")
LEVELS = ("hbm", "l2", "shared", "registers")
TARGETS = ("target1", "target2", "target3", "target4", "target5")
SYNTAX = tuple(f.name for f in fields(Palette) if f.name.startswith("syntax_"))
TEXT = ("fg", "fg2", "fg3", "accent", *SEVERITIES, *LEVELS, *SYNTAX)
TEXT_RATIO, MARK_RATIO = 4.5, 3.0

both = pytest.mark.parametrize("palette", [DARK, LIGHT], ids=["dark", "light"])


def weak(palette: Palette, pairs: list[tuple[str, str]], least: float) -> list[str]:
    ratios = {f"{a} on {b}": contrast(palette.colour(a), palette.colour(b)) for a, b in pairs}
    return [f"{pair}: {ratio:.2f}" for pair, ratio in ratios.items() if ratio < least]


@both
def test_text_can_be_read_on_every_ground(palette: Palette) -> None:
    assert not weak(palette, [(text, bg) for text in TEXT for bg in GROUNDS], TEXT_RATIO)


@both
def test_targets_can_be_told_from_every_ground(palette: Palette) -> None:
    assert not weak(palette, [(mark, bg) for mark in TARGETS for bg in GROUNDS], MARK_RATIO)


@both
def test_severities_can_be_read_on_their_own_grounds(palette: Palette) -> None:
    pairs = [(text, f"{name}_bg") for name in SEVERITIES for text in (name, "fg", "fg2")]
    assert not weak(palette, pairs, TEXT_RATIO)


@both
def test_code_can_be_read_on_the_line_of_the_cursor(palette: Palette) -> None:
    assert not weak(palette, [(text, "accentbg") for text in (*SYNTAX, "fg3")], TEXT_RATIO)


@both
def test_text_can_be_read_on_the_accent(palette: Palette) -> None:
    assert not weak(palette, [("onaccent", "accent"), ("accent", "accentbg")], TEXT_RATIO)


@both
def test_text_of_badges_can_be_read(palette: Palette) -> None:
    assert not weak(palette, [("fg2", "bg4"), ("fg", "bg4")], TEXT_RATIO)


@both
def test_every_token_is_a_colour(palette: Palette) -> None:
    assert all(re.fullmatch("#[0-9A-F]{6}", palette.colour(f.name)) for f in fields(Palette))


def test_an_unknown_token_is_named() -> None:
    with pytest.raises(KeyError, match="bg9"):
        DARK.colour("bg9")


def test_targets_differ_in_shape_and_dash() -> None:
    assert len({mark.shape for mark in TARGET_MARKS}) == len(DARK.targets)
    assert len({mark.dash for mark in TARGET_MARKS}) == len(DARK.targets)
