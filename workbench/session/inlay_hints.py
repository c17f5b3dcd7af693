"""What is written behind lines of a kernel: shape, scope and bytes of buffers, turns of loops."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import prod

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetime
from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind
from workbench.core.doctor.values import Buffer, Scope, size_bytes
from workbench.session.kernel_reading import (
    SCOPE_WORDS,
    buffers_of,
    facts_in,
    shape_text,
    size_text,
)
from workbench.session.open_document import OpenDocument

_COUNTED = frozenset({LoopKind.PIPELINED, LoopKind.SERIAL, LoopKind.PERSISTENT})


@dataclass(frozen=True)
class _Lowered:
    """What lowering has made of buffers, by name; empty where this text was not lowered."""

    shared: Mapping[str, Lifetime]
    registers: Mapping[str, int]


Note = tuple[int, str, str]
"""A line from 1, the name that is spoken of, and what is said of it."""


def inlay_hints(document: OpenDocument, target: str) -> Mapping[int, str] | None:
    """The hints by line from 1; None where the text cannot be read just now.

    Shapes come from the source with the arguments in force. What lies at the same bytes of shared
    memory, and what a thread holds of a fragment, is known once this text was analyzed for the
    target.
    """
    found = facts_in(document)
    if found is None:
        return None
    known = _Lowered(shared_buffers(document, target), thread_registers(document, target))
    notes = [note for facts in found for note in _notes(facts, known)]
    return {line: _joined(said) for line, said in _by_line(notes).items()}


def shared_buffers(document: OpenDocument, target: str) -> Mapping[str, Lifetime]:
    """The shared buffers of the lowered code by name, none where the text was not analyzed."""
    kernel = fresh_analysis(document, target)
    lifetimes = kernel.lifetimes if kernel is not None else None
    return {each.name: each for each in lifetimes.buffers} if lifetimes is not None else {}


def thread_registers(document: OpenDocument, target: str) -> Mapping[str, int]:
    """The registers of 32 bits that each fragment takes of a thread, by name, as it was lowered."""
    kernel = fresh_analysis(document, target)
    layouts = kernel.layouts if kernel is not None else None
    return {each.name: each.registers for each in layouts or () if each.registers is not None}


def fresh_analysis(document: OpenDocument, target: str) -> KernelAnalysis | None:
    """The analysis of the present text for a target, None as long as there is none."""
    analyzed = document.analyses.good.get(target)
    if analyzed is None or document.is_stale(analyzed.revision):
        return None
    return analyzed.kernel


def _notes(facts: KernelFacts, known: _Lowered) -> Iterator[Note]:
    for buffer in buffers_of(facts):
        if buffer.scope is not Scope.BARRIER:
            yield _last_line(buffer.node), buffer.name, _buffer_note(buffer, known)
    for loop in facts.loops:
        turns = _turns(loop)
        if turns is not None:
            yield _last_line(loop.node.iter), "", turns  # type: ignore[union-attr]


def _buffer_note(buffer: Buffer, known: _Lowered) -> str:
    lifetime = known.shared.get(buffer.name) if buffer.scope is Scope.SHARED else None
    size = lowered_size_text(size_bytes(buffer), lifetime)
    registers = known.registers.get(buffer.name)
    if buffer.scope is Scope.FRAGMENT and registers is not None:
        size = f"{registers:,} a thread"
    return " · ".join((shape_text(buffer), SCOPE_WORDS[buffer.scope], size))


def lowered_size_text(size: int | None, known: Lifetime | None) -> str:
    """The bytes of a buffer, and what lowering has made of them: copies, shared bytes, padding."""
    text = size_text(size)
    if known is None or not known.used:
        return text
    if size and known.size_bytes > size:
        copies, rest = divmod(known.size_bytes, size)
        lowered = size_text(known.size_bytes)
        text = f"{copies} × {text}" if rest == 0 else f"{text}, {lowered} when lowered"
    if known.shares_with:
        text += f", at the bytes of {', '.join(known.shares_with)}"
    return text


def _turns(loop: Loop) -> str | None:
    """How often a loop turns, where that is known and is not what the source says anyway."""
    if not isinstance(loop.node, ast.For) or loop.kind not in _COUNTED:
        return None
    call = loop.node.iter
    is_plain = isinstance(call, ast.Call) and all(isinstance(a, ast.Constant) for a in call.args)
    if is_plain or not loop.extents or not all(type(n) is int for n in loop.extents):
        return None
    count = prod(loop.extents)
    return f"{count:,} iteration{'' if count == 1 else 's'}"


def _by_line(notes: Iterable[Note]) -> dict[int, dict[str, list[str]]]:
    """What is said by line and name, each thing once: a macro's lines are walked at each call."""
    lines: dict[int, dict[str, list[str]]] = {}
    for line, name, text in notes:
        said = lines.setdefault(line, {}).setdefault(name, [])
        if text not in said:
            said.append(text)
    return lines


def _joined(said: Mapping[str, list[str]]) -> str:
    """The text of a line; with several buffers in it they are named, those alike together."""
    if len(said) == 1:
        return " or ".join(next(iter(said.values())))
    names: dict[str, list[str]] = {}
    for name, texts in said.items():
        names.setdefault(" or ".join(texts), []).append(name)
    return "   ".join(f"{', '.join(each)} {text}".strip() for text, each in names.items())


def _last_line(node: ast.AST) -> int:
    last: int | None = getattr(node, "end_lineno", None)
    return last or 1
