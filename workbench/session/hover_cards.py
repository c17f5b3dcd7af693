"""What is told of the place under the pointer: its problems, and the buffer that is named there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from workbench.core.analysis.lifetimes import Lifetime
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.values import Buffer, Scope, size_bytes
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.explaining import Explanation, explanation
from workbench.session.fixes import OfferedFix, fixes_at
from workbench.session.inlay_hints import fresh_analysis, lowered_size_text, shared_buffers
from workbench.session.kernel_reading import buffers_of, facts_in, shape_text
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

_PLACES = {
    Scope.GLOBAL: "global memory",
    Scope.SHARED: "shared memory",
    Scope.FRAGMENT: "registers, spread over the threads of a block",
    Scope.LOCAL: "registers of each thread",
    Scope.TENSOR: "tensor memory",
    Scope.BARRIER: "shared memory, a barrier",
    Scope.L1: "the L1 buffer of a cube core",
    Scope.L0A: "the L0A buffer of a cube core",
    Scope.L0B: "the L0B buffer of a cube core",
    Scope.L0C: "the L0C buffer of a cube core",
}
_SHARES = {
    Scope.SHARED: " a block",
    Scope.FRAGMENT: " a block",
    Scope.LOCAL: " a thread",
    Scope.TENSOR: " a block",
}
_NOT_LOWERED = "unknown until this text is lowered"


@dataclass(frozen=True)
class ProblemCard:
    """A problem, why it is one, whom it concerns (empty: all alike), and its first fix."""

    problem: Problem
    told: Explanation
    targets: tuple[str, ...]
    fix: OfferedFix | None


@dataclass(frozen=True)
class BufferCard:
    """A buffer: its name, what it is in a line, and rows of a label and what is known."""

    name: str
    summary: str
    rows: tuple[tuple[str, str], ...]


def problem_card(problem: Problem, targets: Mapping[str, Target]) -> ProblemCard:
    """The card of a problem; `targets` are those chosen, by name."""
    line = problem.line
    offered = fixes_at([problem], line) if line is not None else ()
    labels = tuple(
        short_label(targets[name]) if name in targets else name for name in problem.targets
    )
    first = offered[0] if offered else None
    return ProblemCard(problem, explanation(problem.diagnostic), labels, first)


def buffer_card(document: OpenDocument, target: Target, name: str, line: int) -> BufferCard | None:
    """The card of the buffer that a name means in a line, from 1; None where it means none."""
    found = buffer_named(facts_in(document) or (), name, line)
    if found is None:
        return None
    summary = f"{shape_text(found)} {found.dtype or 'of unknown dtype'}"
    return BufferCard(name, summary, tuple(_rows(document, target, found)))


def buffer_named(facts: Sequence[KernelFacts], name: str, line: int) -> Buffer | None:
    """The buffer of a name that is allocated last before a line, in the function around it."""
    around = [f for f in facts if f.function.lineno <= line <= (f.function.end_lineno or line)]
    named = [b for f in around or facts for b in buffers_of(f) if b.name == name]
    before = [b for b in named if getattr(b.node, "lineno", 0) <= line]
    return before[-1] if before else next(iter(named), None)


def _rows(document: OpenDocument, target: Target, buffer: Buffer) -> Iterable[tuple[str, str]]:
    known = shared_buffers(document, target.name).get(buffer.name)
    yield "Lies in", _PLACES[buffer.scope]
    size = lowered_size_text(size_bytes(buffer), known if buffer.scope is Scope.SHARED else None)
    is_known = size_bytes(buffer) is not None
    yield "Size", f"{size}{_SHARES.get(buffer.scope, '')}" if is_known else "unknown"
    if buffer.scope in {Scope.SHARED, Scope.FRAGMENT}:
        yield f"Layout, {short_label(target)}", layout_text(document, target, buffer.name)
    if known is not None and buffer.scope is Scope.SHARED:
        yield "Used", _use_text(known)


def layout_text(document: OpenDocument, target: Target, name: str) -> str:
    """The layout that lowering gave a buffer, in a line; or that it is not known, and why."""
    kernel = fresh_analysis(document, target.name)
    if kernel is None:
        return _NOT_LOWERED
    if kernel.layouts is None:
        missing = document.analyses.good[target.name].result.missing
        return f"unknown: {missing.get('layouts', 'lowering did not tell it')}"
    texts = dict.fromkeys(each.text for each in kernel.layouts if each.name == name)
    return " or ".join(texts) or "row-major, as it is allocated"


def _use_text(known: Lifetime) -> str:
    if not known.used:
        return "nowhere: lowering removed it"
    first, last = known.first_line, known.last_line
    if first is None or last is None:
        return "unknown lines"
    return f"in line {first}" if first == last else f"in lines {first} to {last}"
