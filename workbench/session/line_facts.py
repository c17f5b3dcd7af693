"""The figures of an analysis gathered by line: wavefronts, bytes, operations, what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from workbench.core import figures
from workbench.core.analysis.global_sites import GlobalKind, GlobalSite
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import Level, SharedKind, SharedSite
from workbench.core.analysis.traffic import SECTOR_BYTES
from workbench.core.analysis.work import WorkSite, WorkUnit, instructions_of
from workbench.session.analysis_signs import LEVELS

Count = int | float
_UNITS = {
    WorkUnit.FLOAT: "operations",
    WorkUnit.SPECIAL: "special functions",
    WorkUnit.CONVERSION: "conversions",
    WorkUnit.SHUFFLE: "shuffles",
}
_ELSEWHERE = (SharedKind.TENSOR, SharedKind.BULK_COPY)  # read by the tensor cores, by the TMA


@dataclass
class LineFacts:
    """Known figures of one line over the launch; `unknown` are the reasons for what is not in them.

    `wavefronts` and `conflicts` are of the threads' accesses to shared memory, `tensor_wavefronts`
    of operands that tensor cores read there. `issued` are the instructions of its operations.
    """

    wavefronts: Count = 0
    conflicts: Count = 0
    ways: int = 0
    tensor_wavefronts: Count = 0
    asked_bytes: Count = 0
    moved_bytes: Count = 0
    sectors: Count = 0
    flops: Count = 0
    issued: Count = 0
    operations: dict[WorkUnit, Count] = field(default_factory=dict)
    instructions: dict[str, None] = field(default_factory=dict)
    levels: set[Level] = field(default_factory=set)
    unknown: dict[str, None] = field(default_factory=dict)
    notes: dict[str, None] = field(default_factory=dict)

    def of(self, pipe: str) -> Count:
        """How much the line asks of a part of an SM, by the part's name in an estimate."""
        other = {
            "shared": self.wavefronts,
            "l2": self.moved_bytes,
            "tensor": self.flops,
            "issue": self.issued,
        }
        return other[pipe] if pipe in other else self.operations.get(WorkUnit(pipe), 0)

    @property
    def conflict_share(self) -> float:
        """The part of the wavefronts that are conflicts."""
        return self.conflicts / self.wavefronts if self.wavefronts else 0.0

    def wavefront_parts(self, conflicts: str) -> dict[str, float]:
        """All wavefronts by colour token, those that are conflicts apart."""
        rest = self.wavefronts - self.conflicts + self.tensor_wavefronts
        return {"shared": float(rest), conflicts: float(self.conflicts)}

    @property
    def level_text(self) -> str:
        """What the figures were computed from; operations are counted in the lowered IR always."""
        of_code = Level.CODE in self.levels
        counted = self.flops or self.operations
        rest = ", its operations from the lowered IR" if of_code and counted else ""
        return LEVELS[Level.CODE if of_code else Level.IR] + rest

    def sentences(self) -> Iterator[str]:
        """The figures in words, a line for each part of the hardware."""
        if self.wavefronts:
            ways = f" ({self.ways}-way)" if self.conflicts and self.ways else ""
            conflicts = f"{_count(self.conflicts)} of them conflicts{ways}"
            yield f"Shared memory: {_count(self.wavefronts)} wavefronts, {conflicts}"
        if self.asked_bytes:
            sectors = f", {_count(self.sectors)} sectors of 32 B" if self.sectors else ""
            yield f"Global memory: {figures.size(self.asked_bytes)} asked for{sectors}"
        if self.flops:
            operands = f", {_count(self.tensor_wavefronts)} wavefronts of operands"
            operands = operands if self.tensor_wavefronts else ""
            with_what = ", ".join(self.instructions)
            yield f"Tensor cores: {_work(self.flops)} ({with_what}){operands}"
        counts = [f"{_count(n)} {_UNITS[unit]}" for unit, n in self.operations.items() if n]
        if counts:
            yield f"Threads: {', '.join(counts)}"
        yield from self.notes
        if self.unknown:
            yield f"Unknown, and not in it: {'; '.join(self.unknown)}"


def facts_by_line(kernels: Iterable[KernelAnalysis]) -> dict[int | None, LineFacts]:
    """The figures of all kernels by the document's line; None for code that came from no line."""
    facts: dict[int | None, LineFacts] = {}
    for kernel in kernels:
        for shared in kernel.shared.sites if kernel.shared is not None else ():
            _take_shared(facts.setdefault(shared.line, LineFacts()), shared)
        for line in kernel.shared.lines if kernel.shared is not None else ():
            if line.note is not None:
                facts.setdefault(line.line, LineFacts()).notes[line.note] = None
        for outside in kernel.global_memory.sites if kernel.global_memory is not None else ():
            _take_global(facts.setdefault(outside.line, LineFacts()), outside)
        for work in kernel.work.sites if kernel.work is not None else ():
            if work.unit is not WorkUnit.WAIT:
                _take_work(facts.setdefault(work.line, LineFacts()), work)
    return facts


def _take_shared(facts: LineFacts, site: SharedSite) -> None:
    facts.levels.add(site.level)
    _note_unknown(facts, site.unknown)
    if site.kind is SharedKind.TENSOR:
        facts.tensor_wavefronts += site.wavefronts or 0
    if site.kind not in _ELSEWHERE:
        facts.wavefronts += site.wavefronts or 0
        facts.conflicts += site.conflicts or 0
        facts.ways = max(facts.ways, site.ways or 0)


def _take_global(facts: LineFacts, site: GlobalSite) -> None:
    facts.levels.add(site.level)
    _note_unknown(facts, site.unknown)
    facts.asked_bytes += site.requested_bytes or 0
    facts.sectors += site.sectors or 0
    by_box = site.kind is GlobalKind.BULK_COPY
    facts.moved_bytes += (
        site.requested_bytes if by_box else (site.sectors or 0) * SECTOR_BYTES
    ) or 0


def _take_work(facts: LineFacts, site: WorkSite) -> None:
    _note_unknown(facts, site.unknown)
    if site.unit is WorkUnit.TENSOR:
        facts.flops += site.flops or 0
        facts.instructions[site.operation] = None
        return
    facts.issued += instructions_of(site) or 0
    facts.operations[site.unit] = facts.operations.get(site.unit, 0) + (site.operations or 0)


def _note_unknown(facts: LineFacts, reason: str | None) -> None:
    if reason is not None:
        facts.unknown[reason] = None


def _count(value: Count) -> str:
    return figures.number(int(value) if value == int(value) else value)


def _work(flops: Count) -> str:
    for unit, size in (("TFLOP", 1e12), ("GFLOP", 1e9), ("MFLOP", 1e6)):
        if flops >= size:
            return f"{figures.number(float(flops) / size)} {unit}"
    return f"{_count(flops)} FLOP"
