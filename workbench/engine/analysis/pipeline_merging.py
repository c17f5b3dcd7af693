"""Joins statements of one line to steps, and finds the warps that run the same code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.core.analysis.index_expressions import names
from workbench.core.analysis.pipeline import (
    COMPUTING,
    MEMORY,
    PipelineLoop,
    PipelineStep,
    StepKind,
)

_WORK = COMPUTING | MEMORY
# What a line is that does several things: the one that a person would name it by.
_RANKS = (
    StepKind.TENSOR,
    StepKind.STORE,
    StepKind.LOAD,
    StepKind.REDUCE,
    StepKind.VECTOR,
    StepKind.MOVE,
)


def needed(
    steps: Sequence[PipelineStep], loops: Sequence[PipelineLoop]
) -> tuple[PipelineStep, ...]:
    """The steps without the counters that no other step's order depends on."""
    used = {name for loop in loops for name in _names(loop.extent)}
    for step in steps:
        if step.kind is not StepKind.COUNT:
            texts = (*step.guards, step.value, step.slot.index if step.slot else None)
            used |= {name for text in texts for name in _names(text)}
    counts = [step for step in steps if step.kind is StepKind.COUNT]
    for _ in counts:  # as long a chain as counters may make
        used |= {
            n for c in counts if c.text in used for t in (c.value, *c.guards) for n in _names(t)
        }
    return tuple(s for s in steps if s.kind is not StepKind.COUNT or s.text in used)


def _names(text: str | None) -> frozenset[str]:
    return names(text) if text else frozenset()


def merged(steps: Sequence[PipelineStep]) -> tuple[PipelineStep, ...]:
    """The steps, those of one line and kind in a row as one."""
    found: list[PipelineStep] = []
    for step in steps:
        if found and _belong(found[-1], step):
            found[-1] = _joined(found[-1], step)
        else:
            found.append(step)
    return tuple(found)


def roles_of(steps: Sequence[PipelineStep], last: int) -> tuple[tuple[int, int], ...]:
    """The warps, first and last, that come to the same steps, in their order."""
    begins = {0, *(s.warps[0] for s in steps if s.threads > 1)}
    begins |= {step.warps[1] + 1 for step in steps if step.threads > 1}
    ordered = sorted(begin for begin in begins if begin <= last)
    pieces = list(zip(ordered, [*(begin - 1 for begin in ordered[1:]), last], strict=True))
    roles: list[tuple[int, int]] = []
    seen: list[frozenset[int]] = []
    for piece in pieces:
        own = frozenset(n for n, s in enumerate(steps) if _comes(s, piece))
        if seen and seen[-1] == own:
            roles[-1] = (roles[-1][0], piece[1])
        else:
            roles.append(piece)
            seen.append(own)
    return tuple(roles)


def _comes(step: PipelineStep, warps: tuple[int, int]) -> bool:
    """Whether warps come to a step; what one thread does for all belongs to all of its role."""
    return step.threads > 1 and step.warps[0] <= warps[0] and warps[1] <= step.warps[1]


def _belong(before: PipelineStep, step: PipelineStep) -> bool:
    same_place = before.loops == step.loops and before.guards == step.guards
    if before.line != step.line or not same_place or before.warps != step.warps:
        return False
    if before.kind in _WORK and step.kind in _WORK:
        return True
    return before.kind is step.kind is StepKind.COPY and before.slot == step.slot


def _joined(before: PipelineStep, step: PipelineStep) -> PipelineStep:
    named = min(before, step, key=lambda each: _rank(each.kind))
    buffers = tuple(dict.fromkeys((*before.buffers, *step.buffers)))
    return replace(
        named,
        buffers=buffers,
        threads=max(before.threads, step.threads),
        guarded=before.guarded or step.guarded,
        bytes=before.bytes + step.bytes,
        lines=before.lines + step.lines,
    )


def _rank(kind: StepKind) -> int:
    return _RANKS.index(kind) if kind in _RANKS else 0
