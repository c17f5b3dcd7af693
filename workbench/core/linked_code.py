"""A kernel's texts from the tile-level IR to SASS, each row with the document's line behind it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure

NO_LINE = 0
UNKNOWN_LIVE = -1
STAGES = ("tir", "lowered", "source", "ptx", "sass")


@dataclass(frozen=True)
class LinkedText:
    """A text of one stage. `lines` has the document's line, from 1, of each row; `NO_LINE`: none.

    `live` has the general registers that are live at each row, `UNKNOWN_LIVE` where the row is no
    instruction; it is empty for stages of which nothing tells them.
    """

    stage: str
    text: str
    lines: tuple[int, ...]
    live: tuple[int, ...] = ()


@dataclass(frozen=True)
class LinkedResult:
    """The outcome of a LinkedRequest, in the order of the stages; `missing` says why one lacks."""

    failure: Failure | None
    texts: tuple[LinkedText, ...] = ()
    missing: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)

    def text(self, stage: str) -> LinkedText | None:
        """The text of a stage; None where it lacks."""
        return next((each for each in self.texts if each.stage == stage), None)
