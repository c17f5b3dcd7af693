"""The shared memory that a block needs at least, told by the source alone.

What one operation uses lies in memory at the same time; so does, all through a loop, what is
filled before it and read in it, and each stage of what a pipelined loop copies into (TileLang
makes `num_stages` copies of it). Buffers that may lie in each other's place are not added: what is
told here is never more than what is allocated.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind, Operation, reads, writes
from workbench.core.doctor.values import Buffer, Scope, buffer_of, size_bytes
from workbench.core.figures import size
from workbench.core.targets.model import Target, Vendor

CODE = "shared-memory-over-limit"
# Loops whose turns follow each other: what they read has to stay until the last.
_IN_TIME = frozenset({LoopKind.SERIAL, LoopKind.UNROLLED, LoopKind.PIPELINED, LoopKind.PERSISTENT})


@dataclass(frozen=True)
class Footprint:
    """Shared buffers that are there at the same time, and how many copies there are of each."""

    copies: tuple[tuple[Buffer, int], ...] = ()

    @property
    def size_bytes(self) -> int:
        """The bytes of all of them; a buffer whose size is not told counts as none."""
        return sum(count * (size_bytes(buffer) or 0) for buffer, count in self.copies)

    def __str__(self) -> str:
        known = ((b.name, n, size_bytes(b)) for b, n in self.copies)
        return ", ".join(
            f"{name} {f'{count} × ' if count > 1 else ''}{size(one)}"
            for name, count, one in known
            if one
        )


def over_shared(facts: Iterable[KernelFacts], target: Target) -> Diagnostic | None:
    """That a block certainly takes more shared memory than the target's can have."""
    limit = target.arch.limits.most_shared_bytes
    if limit is None:
        return None
    for each in facts:
        needed = footprint(each, target)
        if needed.size_bytes > limit:
            message = (
                f"{size(needed.size_bytes)} of shared memory a block at least ({needed}); on "
                f"{target.arch.name} it can have {size(limit)}: smaller tiles or fewer stages fit"
            )
            line = getattr(needed.copies[0][0].node, "lineno", None)
            where = TextRange(line) if line is not None else None
            return Diagnostic(CODE, Severity.ERROR, message, where, targets=(target.name,))
    return None


def footprint(facts: KernelFacts, target: Target) -> Footprint:
    """The most that is certainly allocated at one time on a target, the largest first."""
    places = [_at_once(facts.operations)]
    places += [_in_loop(facts, loop, target) for loop in facts.loops if loop.kind in _IN_TIME]
    most = max(places, key=lambda each: each.size_bytes)
    ordered = sorted(most.copies, key=lambda e: (-e[1] * (size_bytes(e[0]) or 0), e[0].name))
    return Footprint(tuple(ordered))


def _at_once(operations: Iterable[Operation]) -> Footprint:
    """The operation that uses most."""
    single = (Footprint(tuple((b, 1) for b in dict.fromkeys(_shared(o)))) for o in operations)
    return max(single, key=lambda each: each.size_bytes, default=Footprint())


def _in_loop(facts: KernelFacts, loop: Loop, target: Target) -> Footprint:
    """What stays through a loop, and what the operation in it that uses most adds to that."""
    inside = [operation for operation in facts.operations if loop in operation.loops]
    used = dict.fromkeys(b for o in inside for b in _shared(o) if b not in facts.escaped)
    written = {b for b in used if any(writes(o, b) for o in inside) or _is_stored(facts, loop, b)}
    kept = {b: 1 for b in used if b not in written and any(reads(o, b) for o in inside)}
    kept.update(_staged(facts, loop, inside, target))
    rest = [
        Footprint(tuple((b, 1) for b in dict.fromkeys(_shared(o)) if b not in kept)) for o in inside
    ]
    most = max(rest, key=lambda each: each.size_bytes, default=Footprint())
    return Footprint((*kept.items(), *most.copies))


def _staged(
    facts: KernelFacts, loop: Loop, inside: Iterable[Operation], target: Target
) -> dict[Buffer, int]:
    """What a pipelined loop copies into from global memory and reads, with its stages."""
    stages = loop.num_stages
    if loop.kind is not LoopKind.PIPELINED or type(stages) is not int or stages < 2:
        return {}
    if target.arch.vendor is not Vendor.NVIDIA:
        return {}
    own = [o for o in inside if o.loops and o.loops[-1] is loop and not o.conditional]
    filled = {b for o in own if o.name == "copy" for b in _filled(o)} - facts.escaped
    return {b: stages for b in filled if any(reads(o, b) for o in own)}


def _filled(copy: Operation) -> Iterator[Buffer]:
    source, target = buffer_of(copy.operand(0, "src")), buffer_of(copy.operand(1, "dst"))
    if source is None or target is None:
        return
    if source.scope is Scope.GLOBAL and target.scope is Scope.SHARED:
        yield target


def _is_stored(facts: KernelFacts, loop: Loop, buffer: Buffer) -> bool:
    """Whether a statement of a loop writes elements of a buffer."""
    return any(a.is_write and a.region.buffer is buffer and loop in a.loops for a in facts.accesses)


def _shared(operation: Operation) -> Iterator[Buffer]:
    for value in (*operation.arguments, *operation.keywords.values()):
        buffer = buffer_of(value)
        if buffer is not None and buffer.scope is Scope.SHARED:
            yield buffer
