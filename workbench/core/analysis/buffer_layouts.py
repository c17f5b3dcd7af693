"""Where the elements of a kernel's buffers lie after lowering, in words and as a map."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.analysis.layout_maps import LayoutMap


@dataclass(frozen=True)
class BufferLayout:
    """The layout of one buffer of the document, in a line; `scope` is TVM's name of its memory.

    `registers` is what it takes of each thread, in registers of 32 bits, None for shared memory.
    `bits` are those of an element. `map` says where each element lies, None where the layout is
    no map that we can evaluate.
    """

    name: str
    scope: str
    text: str
    registers: int | None = None
    dtype: str = ""
    bits: int = 0
    map: LayoutMap | None = None
