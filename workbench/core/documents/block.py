"""Finds the `# /// workbench` comment block in the lines of a file, in the form of PEP 723."""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from dataclasses import dataclass

BLOCK_TYPE = "workbench"
OPENING = f"# /// {BLOCK_TYPE}"
CLOSING = "# ///"
_OPENING = re.compile(r"# /// ([a-zA-Z0-9-]+)[ \t]*[\r\n]*")
_CLOSING = re.compile(r"# ///[ \t]*[\r\n]*")


@dataclass(frozen=True)
class Block:
    """A block by the indices, from 0, of its opening line and its closing line."""

    opening: int
    closing: int


@dataclass(frozen=True)
class BlockScan:
    """The first block of a file, and the opening lines of those that are wrong."""

    block: Block | None
    unclosed: tuple[int, ...] = ()
    repeated: tuple[int, ...] = ()


def find_block(lines: Sequence[str], in_string: Container[int] = frozenset()) -> BlockScan:
    """Find the block; `in_string` are the line numbers, from 1, that lie in a string literal."""
    unclosed: list[int] = []
    blocks: list[Block] = []
    start = 0
    while start < len(lines):
        if start + 1 in in_string or not (opened := _OPENING.fullmatch(lines[start])):
            start += 1
            continue
        closing = _closing_line(lines, start)
        if opened[1] == BLOCK_TYPE:
            if closing is None:
                unclosed.append(start)
            else:
                blocks.append(Block(start, closing))
        start = (closing or start) + 1
    repeated = tuple(block.opening for block in blocks[1:])
    return BlockScan(blocks[0] if blocks else None, tuple(unclosed), repeated)


def _closing_line(lines: Sequence[str], opening: int) -> int | None:
    """The last `# ///` of the comment that the opening line begins, as PEP 723 has it.

    A further opening line right below a `# ///` ends the search: it is another block.
    """
    closing: int | None = None
    for index in range(opening + 1, len(lines)):
        line = lines[index]
        if not line.startswith("#") or (closing == index - 1 and _OPENING.fullmatch(line)):
            break
        if _CLOSING.fullmatch(line):
            closing = index
    return closing


def uncomment(line: str) -> str:
    """The TOML of a comment line: without its line end, its `#` and one space after that."""
    return line.rstrip("\r\n").removeprefix("#").removeprefix(" ")


def comment(line: str) -> str:
    """A line of TOML as a comment line."""
    return f"# {line}" if line else "#"
