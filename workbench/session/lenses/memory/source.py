"""What the source says of a kernel's buffers, its loops, and which line moves what to what."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from math import prod

from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind, Operation, reads, writes
from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.values import Buffer, Region, Scope, bits_of, buffer_of, size_bytes
from workbench.session.kernel_reading import buffers_of, shape_text
from workbench.session.lenses.quick.source import kernels_of
from workbench.session.lenses.subject import LensSubject

Lines = tuple[int, int]
# Loops whose turns come one after the other: what one turn leaves may be read by the next.
_IN_TIME = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED, LoopKind.PERSISTENT})


@dataclass(frozen=True)
class SourceBuffer:
    """A buffer as the source declares it; `size_bytes` is of its elements once."""

    name: str
    scope: Scope
    shape: str
    dtype: str | None
    size_bytes: int | None
    line: int


@dataclass(frozen=True)
class SourceMove:
    """An operation of a line: what it reads, what it writes, and how often a block does it."""

    line: int
    name: str
    reads: tuple[str, ...]
    writes: tuple[str, ...]
    turns: int | None
    moved: Mapping[str, int | None] = field(default_factory=dict)


@dataclass(frozen=True)
class SourceFacts:
    """Empty where the text cannot be read."""

    buffers: Mapping[str, SourceBuffer] = field(default_factory=dict)
    moves: tuple[SourceMove, ...] = ()
    loops: tuple[Lines, ...] = ()
    stages: int | None = None

    def scope(self, name: str) -> Scope | None:
        """Where a buffer lies, None for one that the source does not name."""
        found = self.buffers.get(name)
        return found.scope if found is not None else None

    def read_at(self, line: int | None) -> tuple[str, ...]:
        """What the operations of a line read."""
        return tuple(dict.fromkeys(n for m in self._at(line) for n in m.reads))

    def written_at(self, line: int | None) -> tuple[str, ...]:
        """What the operations of a line write."""
        return tuple(dict.fromkeys(n for m in self._at(line) for n in m.writes))

    def _at(self, line: int | None) -> Iterator[SourceMove]:
        return (move for move in self.moves if move.line == line)


def source_facts(subject: LensSubject) -> SourceFacts:
    """What the text of a subject says with its arguments."""
    module = read_module(subject.text)
    kernels = kernels_of(subject.text) if module is not None else ()
    kernel = next((each for each in kernels if each.name == subject.kernel), None)
    if module is None or kernel is None:
        return SourceFacts()
    found = facts_of(module, kernel, subject.arguments, ())
    buffers = {b.name: _buffer(b) for facts in found for b in buffers_of(facts)}
    moves = [m for facts in found for m in (*_operations(facts), *_elements(facts))]
    loops = [_body(each) for f in found for each in f.loops if each.kind in _IN_TIME]
    stages = [each.num_stages for f in found for each in f.loops if type(each.num_stages) is int]
    return SourceFacts(buffers, tuple(moves), tuple(loops), max(stages, default=None))


def _buffer(buffer: Buffer) -> SourceBuffer:
    line = getattr(buffer.node, "lineno", 1)
    return SourceBuffer(
        buffer.name, buffer.scope, shape_text(buffer), buffer.dtype, size_bytes(buffer), line
    )


def _operations(facts: KernelFacts) -> Iterator[SourceMove]:
    for operation in facts.operations:
        values = (*operation.arguments, *operation.keywords.values())
        used = [value for value in values if buffer_of(value) is not None]
        written = [value for value in used if _is_written(operation, value, used)]
        read = [value for value in used if value not in written and _is_read(operation, value)]
        moved = {_name(value): _bytes(value) for value in used}
        yield SourceMove(
            operation.node.lineno,
            operation.name,
            _names(read),
            _names(written),
            _turns(operation.loops),
            moved,
        )


def _is_written(operation: Operation, value: object, used: list[object]) -> bool:
    """Whatever is called a copy writes its second operand, also in dialects of a target."""
    if operation.name.endswith("copy") and len(used) == 2:
        return value is used[1]
    buffer = buffer_of(value)
    return buffer is not None and writes(operation, buffer)


def _is_read(operation: Operation, value: object) -> bool:
    buffer = buffer_of(value)
    return buffer is not None and reads(operation, buffer)


def _elements(facts: KernelFacts) -> Iterator[SourceMove]:
    """What statements read and write, at their own line and at that of their parallel loop."""
    groups: dict[int, tuple[dict[str, None], dict[str, None], int | None]] = {}
    for access in facts.accesses:
        parallel = [loop for loop in access.loops if loop.kind is LoopKind.PARALLEL]
        for line in {access.node.lineno, *(loop.node.lineno for loop in parallel)}:
            read, written, _ = groups.setdefault(line, ({}, {}, _turns(access.loops)))
            (written if access.is_write else read)[access.region.buffer.name] = None
    for line, (read, written, turns) in groups.items():
        yield SourceMove(line, "", tuple(n for n in read if n not in written), (*written,), turns)


def _name(value: object) -> str:
    buffer = buffer_of(value)
    assert buffer is not None
    return buffer.name


def _names(values: Iterable[object]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_name(value) for value in values))


def _bytes(value: object) -> int | None:
    """The bytes of a whole buffer; those of a region where its extents are told."""
    if isinstance(value, Buffer):
        return size_bytes(value)
    bits = bits_of(value.buffer.dtype) if isinstance(value, Region) else None
    if not isinstance(value, Region) or bits is None or None not in value.indices:
        return None  # `A[i, j]` stands for a tile whose extents the other operand has
    return prod(value.extents) * bits // 8 if all(type(n) is int for n in value.extents) else None


def _turns(loops: Iterable[Loop]) -> int | None:
    extents = [n for loop in loops if loop.kind in _IN_TIME for n in loop.extents]
    return prod(extents) if all(type(n) is int for n in extents) else None


def _body(loop: Loop) -> Lines:
    """The lines of what is repeated."""
    body: list[ast.stmt] = loop.node.body
    return body[0].lineno, loop.node.end_lineno or body[-1].lineno
