"""The name under a cursor, as F1 asks for it."""

from __future__ import annotations

import re
from collections.abc import Iterator

_NAME = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*")


def name_at(line: str, column: int) -> str:
    """The dotted name around a column (from 0) of a line, up to the part the cursor is on.

    At the `copy` of `T.copy` it is `T.copy`, at the `T` it is `T`; empty between names.
    """
    for found in _NAME.finditer(line):
        if found.start() <= column <= found.end():
            end = found.end()
            dot = line.find(".", column, end)
            return line[found.start() : dot if dot >= 0 else end]
    return ""


def candidates(name: str) -> Iterator[str]:
    """What a name may be called in the reference, the most exact first.

    Kernels import the language as `T` by custom alone, so the last parts count without the first;
    `T.GemmWarpPolicy.FullRow` is told on the page of `GemmWarpPolicy`.
    """
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        for start in range(end):
            yield ".".join(parts[start:end])
