"""Decodes Python source as Python does: byte order mark, coding line, else UTF-8."""

from __future__ import annotations

import codecs
import re
import tokenize
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.documents.model import DocumentError

_BYTE_LINE = re.compile(rb"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
# PEP 263: the coding is declared in a comment of its own on line 1 or 2.
_CODING = re.compile(rb"[ \t\f]*#.*?coding[:=][ \t]*[-\w.]+")
_WIDE_MARKS = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE, codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE)


@dataclass(frozen=True)
class Decoded:
    """Source text without its byte order mark, and the codec that encodes a part of it again."""

    text: str
    encoding: str
    mark: bytes


def decode(source: bytes) -> Decoded:
    """Decode Python source; raises DocumentError, whose message goes on from the file's name."""
    if source.startswith(_WIDE_MARKS):
        raise DocumentError("is UTF-16 or UTF-32, which Python does not read. Save it as UTF-8.")
    if b"\0" in source:
        raise DocumentError("is a binary file. Give a Python source file.")
    mark = codecs.BOM_UTF8 if source.startswith(codecs.BOM_UTF8) else b""
    encoding = _declared_encoding(source)
    try:
        return Decoded(source[len(mark) :].decode(encoding), encoding, mark)
    except UnicodeDecodeError as error:
        line = source.count(b"\n", 0, error.start + len(mark)) + 1
        raise DocumentError(
            f"is not {encoding} at line {line} (byte 0x{error.object[error.start]:02x}). "
            "Save it as UTF-8, or declare its encoding in the first line: # -*- coding: ... -*-"
        ) from error
    except UnicodeError as error:
        raise DocumentError(f"is not {encoding}: {error}. Save it as UTF-8.") from error


def _declared_encoding(source: bytes) -> str:
    lines: Iterator[bytes] = (match[0] for match in _BYTE_LINE.finditer(source))
    try:
        encoding, _ = tokenize.detect_encoding(lambda: next(lines))
        encoding = "utf-8" if encoding == "utf-8-sig" else encoding
        "".encode(encoding)  # a codec such as hex is no text encoding
    except (SyntaxError, LookupError) as error:
        # Bytes that are not UTF-8 in the first two lines come here too; `decode` says where.
        if "invalid or missing encoding declaration" in str(error):
            return "utf-8"
        reason = error.msg if isinstance(error, SyntaxError) else str(error)
        raise DocumentError(
            f"declares an encoding that Python does not read: {reason}. Save it as UTF-8."
        ) from error
    return encoding


def byte_lines(source: bytes) -> list[bytes]:
    """The lines of a file, each with its own line end."""
    return _BYTE_LINE.findall(source)


def preamble_length(lines: list[bytes]) -> int:
    """How many lines must stay first: a `#!` line and a coding line."""
    length = 1 if lines and lines[0].startswith(b"#!") else 0
    for index, line in enumerate(lines[:2]):
        if not line.lstrip(b" \t\f").startswith(b"#") and line.strip():
            break
        if _CODING.match(line):
            length = index + 1
    return length


def encode_toml(text: str, encoding: str) -> bytes:
    """Encode TOML; what the encoding has no code for is written as TOML's `\\\\u` escape."""
    try:
        return text.encode(encoding)
    except UnicodeEncodeError:
        return "".join(_escaped(character, encoding) for character in text).encode(encoding)


def _escaped(character: str, encoding: str) -> str:
    try:
        character.encode(encoding)
    except UnicodeEncodeError:
        code = ord(character)
        return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
    return character
