"""The edits that make a change of a shared tile, as a lens computed it, in the document's text."""

from __future__ import annotations

from collections.abc import Callable

from workbench.core.analysis.bank_changes import Change, ChangeKind
from workbench.core.diagnostics import Edit, Fix
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.fixes.banks import (
    has_layout,
    is_paddable,
    layout_function,
    padding_edits,
)
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import language, lines_after
from workbench.core.doctor.values import Buffer

_SWIZZLES = {
    128: "make_full_bank_swizzled_layout",
    64: "make_half_bank_swizzled_layout",
    32: "make_quarter_bank_swizzled_layout",
}


class NoEditError(Exception):
    """The change has to be made by hand; the message says why."""


def change_fix(situation: Situation, change: Change) -> Fix:
    """The edit that makes a change. Raises NoEditError."""
    maker = _MAKERS.get(change.kind)
    if maker is None:
        raise NoEditError(_BY_HAND[change.kind])
    for facts in situation.facts:
        for buffer in facts.buffers:
            if buffer.name == change.buffer:
                return maker(situation, facts, buffer, change)
    raise NoEditError(f"{change.buffer} is not found in the text")


def _padded(situation: Situation, facts: KernelFacts, buffer: Buffer, change: Change) -> Fix:
    if has_layout(facts, buffer):
        raise NoEditError(f"{buffer.name} has a layout of its own")
    if not is_paddable(facts, buffer):
        raise NoEditError(f"{buffer.name} is an operand whose layout TileLang chooses")
    edits = padding_edits(situation, facts, buffer, change.amount)
    if not edits:
        raise NoEditError(f"the shape of {buffer.name} is not written where it is allocated")
    return Fix(f"Pad {buffer.name} by {change.amount}", tuple(edits), True)


def _swizzled(situation: Situation, facts: KernelFacts, buffer: Buffer, change: Change) -> Fix:
    name, imports = layout_function(situation, _SWIZZLES[change.amount])
    title = f"Swizzle {buffer.name} by {change.amount} bytes"
    return _annotated(situation, facts, buffer, title, f"{name}({buffer.name})", imports)


def _exchanged(situation: Situation, facts: KernelFacts, buffer: Buffer, change: Change) -> Fix:
    sizes = buffer.sizes
    if sizes is None or len(sizes) != 2:
        raise NoEditError(f"{buffer.name} has no two dimensions of known extents")
    runs = sizes[1] // change.amount
    column = f"j ^ i % {runs}"
    if change.amount > 1:
        column = f"(j // {change.amount} ^ i % {runs}) * {change.amount} + j % {change.amount}"
    layout = f"{{T}}.Layout({buffer.name}.shape, lambda i, j: (i, {column}))"
    return _annotated(situation, facts, buffer, f"XOR the columns of {buffer.name}", layout, [])


def _annotated(
    situation: Situation,
    facts: KernelFacts,
    buffer: Buffer,
    title: str,
    layout: str,
    imports: list[Edit | None],
) -> Fix:
    """`layout` names the language `{T}`."""
    allocation = situation.allocation(buffer)
    if has_layout(facts, buffer):
        raise NoEditError(f"{buffer.name} has a layout of its own")
    if len(buffer.sizes or ()) != 2 or allocation is None:
        raise NoEditError(f"{buffer.name} is not allocated as a tile of rows and columns")
    prefix = language(situation.module, allocation)
    text = f"{prefix}.annotate_layout({{{buffer.name}: {layout.replace('{T}', prefix)}}})"
    edits = [lines_after(situation.module, allocation, [text]), *imports]
    known = tuple(edit for edit in edits if edit is not None)
    if len(known) < len(edits):
        raise NoEditError(f"there is no place after the line that allocates {buffer.name}")
    return Fix(title, known, True)


_Maker = Callable[[Situation, KernelFacts, Buffer, Change], Fix]
_MAKERS: dict[ChangeKind, _Maker] = {
    ChangeKind.PAD: _padded,
    ChangeKind.SWIZZLE: _swizzled,
    ChangeKind.XOR: _exchanged,
}
_BY_HAND = {
    ChangeKind.WIDTH: "the loop decides how wide accesses are",
    ChangeKind.TRANSPOSE: "every index of the tile has to be exchanged",
}
