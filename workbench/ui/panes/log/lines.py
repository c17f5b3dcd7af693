"""The lines of the log: printed text made readable, each line with its time, lane and kind."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

LogKind = Literal["output", "note", "warning", "error"]
KINDS: tuple[LogKind, ...] = ("output", "note", "warning", "error")

# Colours and cursor movements for terminals (ECMA-48: CSI, then OSC with its end), and backspaces.
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-_]|\x08")
# Who printed a line: jobs that begin while somebody types, those that were asked for, a problem.
LANE_WORDS = {"live": "typing", "work": "job", "problem": "problem"}
_LANE_WIDTH = 8


@dataclass(frozen=True)
class LogLine:
    """One line; `is_first` is False for the later lines of one text, which show no time."""

    time: str
    lane: str
    text: str
    kind: LogKind
    is_first: bool = True

    @property
    def prefix(self) -> str:
        """Time and lane, or as many spaces."""
        word = LANE_WORDS.get(self.lane, self.lane)[:_LANE_WIDTH]
        prefix = f"{self.time}  {word:<{_LANE_WIDTH}}  "
        return prefix if self.is_first else " " * len(prefix)

    @property
    def plain(self) -> str:
        """The line as it is copied."""
        return f"{self.prefix}{self.text}".rstrip()


def lines_of(lane: str, text: str, kind: LogKind, time: datetime) -> tuple[LogLine, ...]:
    """The lines of a printed text: without control codes, and of what a carriage return wrote
    over only the last."""
    shown = f"{time:%H:%M:%S}"
    clean = _CONTROL.sub("", text).rstrip("\r\n")
    parts = [part.rstrip("\r").rpartition("\r")[2] for part in clean.split("\n")]
    return tuple(
        LogLine(shown, lane, part.expandtabs(8), kind, at == 0) for at, part in enumerate(parts)
    )
