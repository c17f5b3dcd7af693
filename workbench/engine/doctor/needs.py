"""What a kernel was lowered to, in the words of its tiles, and the form of what is said of it."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, replace

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.targets.model import Target
from workbench.engine.analysis.instructions import DeviceCode
from workbench.engine.doctor.tiles import Tile, TileProgram

REGISTER_BYTES = 4
_STAGE = "resources"


@dataclass(frozen=True)
class Needs:
    """What one device function was lowered to: `shared_bytes` are a block's, None where unknown.

    `source` is what was generated of it, `compiler_options` what nvcc gets with it, `is_compiled`
    says that nvcc took it.
    """

    program: TileProgram
    code: DeviceCode
    threads: int | None
    shared_bytes: int | None
    target: Target
    source: str = ""
    compiler_options: tuple[str, ...] = ()
    is_compiled: bool = False


def registers_of(needs: Needs) -> dict[str, int]:
    """Registers of a thread by the name of the tile that they hold."""
    taken: dict[str, int] = {}
    for buffer in needs.code.buffers:
        tile = needs.program.tiles.get(buffer.name)
        if tile is not None and "fragment" in tile.scope and buffer.size_bytes:
            taken[buffer.name] = -(-buffer.size_bytes // REGISTER_BYTES)
    return taken


def stages_of(program: TileProgram) -> dict[str, int]:
    """The copies that pipelining makes of a tile, by its name."""
    copies: dict[str, int] = {}
    for op in program.of_kind("copy"):
        if op.stages is not None and op.tiles:
            name = op.tiles[-1]
            copies[name] = max(copies.get(name, 1), op.stages)
    return copies


def bytes_of(tile: Tile) -> int:
    """The bytes of a tile, of symbolic extents as one element."""
    bits = re.search(r"\d+", tile.dtype)
    elements = math.prod(extent or 1 for extent in tile.shape)
    return elements * int(bits[0]) // 8 if bits is not None else elements


def at_line(diagnostic: Diagnostic, line: int | None) -> Diagnostic:
    """A finding at a line, where that is known."""
    return diagnostic if line is None else replace(diagnostic, range=TextRange(line))


def finding_of(
    code: str, message: str, line: int | None, needs: Needs, help_text: str
) -> Diagnostic:
    """An error of the target that the kernel was lowered for, with what would help."""
    where = TextRange(line) if line is not None else None
    targets = (needs.target.name,)
    return Diagnostic(
        code, Severity.ERROR, message, where, targets=targets, stage=_STAGE, help=help_text
    )
