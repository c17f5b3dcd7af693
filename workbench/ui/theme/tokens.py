"""The design tokens: every colour by name in both themes, the sizes, and the targets' marks."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Palette:
    """The colours of one theme as `#RRGGBB`.

    `bg0` frames the window, `bg1` holds content, `bg2` fields and cards, `bg3` selected rows and
    tracks, `bg4` badges. `fg` to `fg3` are text, of falling weight; `fg4` is for disabled icons
    and guide lines, never for text. Each memory level has one hue in every view, and so has each
    of the five target series.
    """

    bg0: str
    bg1: str
    bg2: str
    bg3: str
    bg4: str
    fg: str
    fg2: str
    fg3: str
    fg4: str
    line: str
    line2: str
    accent: str
    accentbg: str
    onaccent: str
    error: str
    error_bg: str
    warn: str
    warn_bg: str
    info: str
    info_bg: str
    good: str
    good_bg: str
    hbm: str
    l2: str
    shared: str
    registers: str
    target1: str
    target2: str
    target3: str
    target4: str
    target5: str
    syntax_keyword: str
    syntax_function: str
    syntax_string: str
    syntax_number: str
    syntax_builtin: str
    syntax_comment: str
    syntax_operator: str
    syntax_name: str

    @property
    def targets(self) -> tuple[str, str, str, str, str]:
        """The hues of the target series in their order."""
        return (self.target1, self.target2, self.target3, self.target4, self.target5)

    def colour(self, token: str) -> str:
        """The colour of that name; KeyError naming the token where there is none."""
        values: dict[str, Any] = vars(self)
        if token not in values:
            raise KeyError(f"no colour token {token!r}")
        return str(values[token])


DARK = Palette(
    bg0="#0F1216",
    bg1="#14181D",
    bg2="#1A1F26",
    bg3="#222831",
    bg4="#2C343F",
    fg="#E7EAEE",
    fg2="#AEB6C0",
    fg3="#88929E",
    fg4="#59636F",
    line="#262C34",
    line2="#353D48",
    accent="#5B9DFF",
    accentbg="#1B2B45",
    onaccent="#0B1220",
    error="#FF7B72",
    error_bg="#351F22",
    warn="#F0C23C",
    warn_bg="#302A17",
    info="#6CB2F5",
    info_bg="#18293A",
    good="#58C98B",
    good_bg="#162E24",
    hbm="#8F98FF",
    l2="#C792F5",
    shared="#3FC9B5",
    registers="#F48FB1",
    target1="#E69F00",
    target2="#56B4E9",
    target3="#22B584",
    target4="#D98BB8",
    target5="#E8743B",
    syntax_keyword="#C6A0F6",
    syntax_function="#7DB7FF",
    syntax_string="#A5D6A0",
    syntax_number="#F2B27A",
    syntax_builtin="#7FD4D0",
    syntax_comment="#8893A0",
    syntax_operator="#AEB6C0",
    syntax_name="#E7EAEE",
)

LIGHT = Palette(
    bg0="#EEF0F3",
    bg1="#FFFFFF",
    bg2="#F6F7F9",
    bg3="#ECEFF3",
    bg4="#DDE2E9",
    fg="#171B21",
    fg2="#454E59",
    fg3="#626C78",
    fg4="#98A1AC",
    line="#E2E6EB",
    line2="#CBD2DA",
    accent="#1C64D9",
    accentbg="#E6EFFD",
    onaccent="#FFFFFF",
    error="#C62F2F",
    error_bg="#FCEBEA",
    warn="#8F6400",
    warn_bg="#FBF3DC",
    info="#1668B8",
    info_bg="#E6F1FB",
    good="#1A7A46",
    good_bg="#E5F4EB",
    hbm="#525AD0",
    l2="#9046C4",
    shared="#08776A",
    registers="#B93465",
    target1="#B97800",
    target2="#1F84BF",
    target3="#00805C",
    target4="#B0518A",
    target5="#C2500A",
    syntax_keyword="#7A3EB8",
    syntax_function="#1C5FBF",
    syntax_string="#2C7A34",
    syntax_number="#A85410",
    syntax_builtin="#0A7674",
    syntax_comment="#626C78",
    syntax_operator="#454E59",
    syntax_name="#171B21",
)


@dataclass(frozen=True)
class Metrics:
    """Sizes in device-independent pixels; everything lies on a grid of 4."""

    menu_height: int = 32
    toolbar_height: int = 44
    tab_height: int = 32
    status_height: int = 28
    rail_width: int = 44
    navigator_width: int = 204
    row_height: int = 28
    compact_row_height: int = 22
    control_height: int = 28
    inset: int = 16
    wide_inset: int = 20
    wizard_inset: int = 24
    gap: int = 8
    icon: int = 16
    rail_icon: int = 20
    radius_control: int = 6
    radius_chip: int = 4
    radius_block: int = 3
    radius_bar: int = 2
    radius_card: int = 8


METRICS = Metrics()


class MarkShape(enum.Enum):
    """The outline of a target's mark; a ring is a hollow circle."""

    CIRCLE = "circle"
    SQUARE = "square"
    TRIANGLE = "triangle"
    DIAMOND = "diamond"
    RING = "ring"


@dataclass(frozen=True)
class TargetMark:
    """How a target is told from others without colour; `dash` is in line widths, () is solid."""

    shape: MarkShape
    dash: tuple[float, ...]


TARGET_MARKS = (
    TargetMark(MarkShape.CIRCLE, ()),
    TargetMark(MarkShape.SQUARE, (5, 2)),
    TargetMark(MarkShape.TRIANGLE, (2, 2)),
    TargetMark(MarkShape.DIAMOND, (5, 2, 1, 2)),
    TargetMark(MarkShape.RING, (8, 2)),
)
