"""Reads our own texts: a head of `key: value` lines, then a small subset of Markdown.

Sections begin with `## `, points with `- `, code stands between lines of three backquotes (after
the first of which `wrong` or `right` may say what it is), table rows begin with `|`, and everything
else is a paragraph up to the next empty line.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from workbench.core.reference.model import (
    Block,
    Bullets,
    CodeBlock,
    Paragraph,
    Section,
    Table,
    Text,
    Tone,
)

_FENCE = "```"
_CAPTIONS = {Tone.PLAIN: "", Tone.WRONG: "Wrong", Tone.RIGHT: "Right"}


class TextError(ValueError):
    """A text of ours is not of the form that is read; the message names file and line."""


def read_texts(folder: Path) -> dict[str, Text]:
    """The texts of a folder by the stems of their files. Raises TextError."""
    return {path.stem: read_text(path) for path in sorted(folder.glob("*.md"))}


def read_text(path: Path) -> Text:
    """The text of a file. Raises TextError."""
    try:
        return parse_text(path.read_text(encoding="utf-8"))
    except TextError as error:
        raise TextError(f"{path}: {error}") from error


def parse_text(source: str) -> Text:
    """A text from its source. Raises TextError."""
    lines = source.splitlines()
    head: dict[str, str] = {}
    for at, line in enumerate(lines):
        if not line.strip():
            return Text(head, parse_sections(lines[at + 1 :]))
        key, colon, value = line.partition(": ")
        if not colon or not key.isidentifier():
            raise TextError(f"line {at + 1}: the head has `key: value`, then an empty line")
        head[key] = value.strip()
    return Text(head)


def parse_sections(lines: list[str]) -> tuple[Section, ...]:
    """The sections of a body; the first has no title where text comes before a heading."""
    sections: list[tuple[str, list[str]]] = [("", [])]
    fenced = False
    for line in lines:
        fenced ^= line.startswith(_FENCE)
        if line.startswith("## ") and not fenced:
            sections.append((line[3:].strip(), []))
        else:
            sections[-1][1].append(line)
    if fenced:
        raise TextError("a piece of code has no end")
    made = [Section(title, tuple(_blocks(body))) for title, body in sections]
    return tuple(section for section in made if section.title or section.blocks)


def _blocks(lines: list[str]) -> Iterator[Block]:
    at = 0
    while at < len(lines):
        line = lines[at]
        if not line.strip():
            at += 1
            continue
        end = _end_of(lines, at)
        yield _block(lines[at:end])
        at = end


def _end_of(lines: list[str], at: int) -> int:
    """The line after the block that begins at `at`."""
    if lines[at].startswith(_FENCE):
        return lines.index(_FENCE, at + 1) + 1
    is_table = lines[at].startswith("|")
    end = at
    while end < len(lines) and lines[end].strip() and not lines[end].startswith(_FENCE):
        if lines[end].startswith("|") is not is_table:
            break
        end += 1
    return end


def _block(lines: list[str]) -> Block:
    if lines[0].startswith(_FENCE):
        return _code(lines)
    if lines[0].startswith("|"):
        return _table(lines)
    if lines[0].startswith("- "):
        return Bullets(tuple(_items(lines)))
    return Paragraph(" ".join(line.strip() for line in lines))


def _code(lines: list[str]) -> CodeBlock:
    words = lines[0][len(_FENCE) :].strip()
    tone = Tone(words) if words else Tone.PLAIN
    return CodeBlock("\n".join(lines[1:-1]), tone, _CAPTIONS[tone])


def _items(lines: list[str]) -> Iterator[str]:
    item = ""
    for line in lines:
        if line.startswith("- ") and item:
            yield item
            item = ""
        item = f"{item} {line.removeprefix('- ').strip()}".strip()
    yield item


def _table(lines: list[str]) -> Table:
    rows = [tuple(cell.strip() for cell in line.strip().strip("|").split("|")) for line in lines]
    is_rule = len(rows) > 1 and all(set(cell) <= set("-:") for cell in rows[1])
    return Table(rows[0], tuple(rows[2:])) if is_rule else Table((), tuple(rows))
