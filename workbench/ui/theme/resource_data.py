"""Puts files that exist in memory alone where Qt finds them: under `:/` paths."""

from __future__ import annotations

import struct
from collections.abc import Mapping

from PySide6.QtCore import qRegisterResourceData

# The binary form that Qt's resource compiler writes (rcc, format 1): a tree of nodes of 14 bytes,
# a table of names, and the contents. A folder's node names its children by their first index,
# and children stand in the order of their names' hashes, as the lookup is a binary search.
_VERSION = 1
_FOLDER = 0x02
_ANY_COUNTRY, _C_LANGUAGE = 0, 1


# Qt keeps pointers into what it was given, so that has to live as long as the process.
_kept: list[tuple[bytes, bytes, bytes]] = []


def register_files(folder: str, files: Mapping[str, bytes]) -> str:
    """Make the files readable below the returned path, `:/<folder>`, until the process ends."""
    parts = _encode(folder, files)
    if not qRegisterResourceData(_VERSION, *parts):
        raise RuntimeError(f"Qt did not take the resource folder :/{folder}")
    _kept.append(parts)
    return f":/{folder}"


def _encode(folder: str, files: Mapping[str, bytes]) -> tuple[bytes, bytes, bytes]:
    """Tree, names and contents of one folder of files."""
    ordered = sorted(files, key=_name_hash)
    names, name_offsets = _name_table([folder, *ordered])
    contents, data_offsets = _content_table([files[name] for name in ordered])
    tree = struct.pack(">IHII", 0, _FOLDER, 1, 1)
    tree += struct.pack(">IHII", name_offsets[0], _FOLDER, len(ordered), 2)
    for name, data in zip(name_offsets[1:], data_offsets, strict=True):
        tree += struct.pack(">IHHHI", name, 0, _ANY_COUNTRY, _C_LANGUAGE, data)
    return tree, names, contents


def _name_table(names: list[str]) -> tuple[bytes, list[int]]:
    """Each name as its length, its hash and its UTF-16; and where each begins."""
    table, offsets = b"", []
    for name in names:
        offsets.append(len(table))
        table += struct.pack(">HI", len(name), _name_hash(name)) + name.encode("utf-16-be")
    return table, offsets


def _content_table(contents: list[bytes]) -> tuple[bytes, list[int]]:
    """Each content after its length; and where each begins."""
    table, offsets = b"", []
    for content in contents:
        offsets.append(len(table))
        table += struct.pack(">I", len(content)) + content
    return table, offsets


def _name_hash(name: str) -> int:
    """The hash of PJW (Aho, Sethi, Ullman: Compilers, 7.6), which Qt's resource lookup uses."""
    value = 0
    for character in name:
        value = (value << 4) + ord(character)
        value ^= (value & 0xF0000000) >> 23
        value &= 0x0FFFFFFF
    return value
