"""Where the elements of a kernel's buffers lie after lowering, in words."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class BufferLayout:
    """The layout of one buffer of the document, in a line; `scope` is TVM's name of its memory.

    `registers` is what it takes of each thread, in registers of 32 bits, None for shared memory.
    """

    name: str
    scope: str
    text: str
    registers: int | None = None
