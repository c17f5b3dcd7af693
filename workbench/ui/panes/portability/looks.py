"""How the state of a cell looks: a shape, a hue and a word each, never a hue alone."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.portability.model import CellState


@dataclass(frozen=True)
class CellLook:
    """`icon` is the shape, `tone` the hue, `ground` the token behind it, `word` for who hears."""

    icon: str
    tone: str
    ground: str | None
    text_tone: str
    word: str


LOOKS = {
    CellState.GOOD: CellLook("check", "good", None, "fg2", "good"),
    CellState.CAUTION: CellLook("warning", "warn", "warn_bg", "fg", "caution"),
    CellState.BAD: CellLook("error", "error", "error_bg", "fg", "obstacle"),
    CellState.UNKNOWN: CellLook("help", "fg4", None, "fg3", "not known"),
    CellState.NONE: CellLook("minus", "fg4", None, "fg3", "does not apply"),
}
WAITING = CellLook("clock", "fg4", None, "fg3", "not looked at yet")
