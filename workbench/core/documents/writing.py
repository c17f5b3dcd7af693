"""Writes the `workbench` block of a document and leaves every other byte as it was."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Sequence

from workbench.core.documents.block import CLOSING, OPENING, Block, comment, find_block, uncomment
from workbench.core.documents.encoding import byte_lines, decode, encode_toml, preamble_length
from workbench.core.documents.metadata import read_metadata
from workbench.core.documents.model import DocumentError, Metadata
from workbench.core.documents.syntax import parse, string_lines
from workbench.core.documents.toml_text import same, updated_toml

_LINE_END = re.compile(rb"\r\n|\r|\n")


def write_metadata(source: bytes, metadata: Metadata) -> bytes:
    """The source with its block saying `metadata`; without a block one is inserted at the top.

    Within the block, lines that need no change keep their bytes, and so comments with them.
    Raises DocumentError where the source cannot be decoded, or TOML cannot hold a value (None).
    """
    decoded = decode(source)
    in_string = _string_lines(decoded.text)
    old = read_metadata(decoded.text, in_string).metadata
    if same(old or Metadata(), metadata):
        return source
    lines = byte_lines(source[len(decoded.mark) :])
    block = find_block([line.decode("latin-1") for line in lines], in_string).block
    if block is None:
        result = _inserted(lines, metadata, decoded.encoding)
    else:
        result = _replaced(lines, block, metadata, decoded.encoding)
    written = decoded.mark + b"".join(result)
    _require_written(written, metadata)
    return written


def _string_lines(text: str) -> frozenset[int]:
    try:
        return string_lines(parse(text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        # As when reading: in a source that cannot be parsed no line is known to be in a string.
        return frozenset()


def _require_written(source: bytes, metadata: Metadata) -> None:
    text = decode(source).text
    if not same(read_metadata(text, _string_lines(text)).metadata, metadata):
        raise DocumentError("has a block that would not read back as it is to be written.")


def _inserted(lines: list[bytes], metadata: Metadata, encoding: str) -> list[bytes]:
    """Insert a block below what must stay first."""
    at = preamble_length(lines)
    head, tail = lines[:at], lines[at:]
    end = _line_end(lines)
    toml = _toml_lines("", metadata)
    block = [encode_toml(line, encoding) for line in (OPENING, *map(comment, toml), CLOSING)]
    if tail and tail[0].startswith(b"#"):
        block.append(b"")  # readers of PEP 723 would take the comment below for more of the block
    rows = [line + end for line in block]
    if head and not _LINE_END.search(head[-1]):
        head[-1] += end
        rows[-1] = rows[-1].removesuffix(end)
    return [*head, *rows, *tail]


def _replaced(lines: list[bytes], block: Block, metadata: Metadata, encoding: str) -> list[bytes]:
    rows = lines[block.opening + 1 : block.closing]
    old = [uncomment(row.decode(encoding)) for row in rows]
    new = _toml_lines("\n".join([*old, ""]), metadata)
    end = _line_end(lines[block.opening :])
    changed = list(_changed_rows(rows, old, new, end, encoding))
    return [*lines[: block.opening + 1], *changed, *lines[block.closing :]]


def _toml_lines(old: str, metadata: Metadata) -> list[str]:
    # Not `splitlines`, which also divides at characters that TOML allows in a string.
    text = updated_toml(old, metadata).removesuffix("\n")
    return text.split("\n") if text else []


def _changed_rows(
    rows: Sequence[bytes], old: Sequence[str], new: Sequence[str], end: bytes, encoding: str
) -> Iterable[bytes]:
    """The rows of the new text; a line that is in the old one keeps its bytes."""
    matcher = difflib.SequenceMatcher(None, old, new, autojunk=False)
    for tag, first, last, new_first, new_last in matcher.get_opcodes():
        if tag == "equal":
            yield from rows[first:last]
        else:
            yield from (encode_toml(comment(t), encoding) + end for t in new[new_first:new_last])


def _line_end(lines: Iterable[bytes]) -> bytes:
    """The first line end of the file, or a newline where it has none."""
    found = next((match for line in lines if (match := _LINE_END.search(line))), None)
    return found[0] if found else b"\n"
