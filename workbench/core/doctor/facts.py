"""What the source of a kernel says: its buffers, launch, loops, operations and accesses."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from workbench.core.doctor.values import Buffer, Layout, Region, Scope, buffer_of
from workbench.core.documents.model import Kernel
from workbench.core.documents.names import Names
from workbench.core.targets.model import Target


class LoopKind(enum.Enum):
    """How a loop is spread over the threads and over time."""

    SERIAL = "serial"
    UNROLLED = "unroll"
    VECTORIZED = "vectorized"
    PARALLEL = "Parallel"
    PIPELINED = "Pipelined"
    PERSISTENT = "Persistent"


@dataclass(frozen=True, eq=False)
class Loop:
    """One loop of a kernel; `variables` name its loop variables as forms do."""

    kind: LoopKind
    node: ast.For | ast.While
    variables: tuple[str, ...]
    extents: tuple[Any, ...]
    num_stages: Any = None
    conditional: bool = False
    """Whether it is under a condition that the kernel looks at when it runs."""


@dataclass(frozen=True, eq=False)
class Operation:
    """One tile operation in the order of the source, with its evaluated arguments."""

    name: str
    node: ast.Call
    arguments: tuple[Any, ...]
    keywords: dict[str, Any]
    loops: tuple[Loop, ...]
    order: int
    conditional: bool

    def operand(self, index: int, name: str) -> Any:
        """An argument by place or keyword, None where it is not given."""
        if index < len(self.arguments):
            return self.arguments[index]
        return self.keywords.get(name)

    def flag(self, name: str, index: int) -> Any:
        """A keyword that is false where it is not given."""
        value = self.operand(index, name)
        return False if value is None else value


@dataclass(frozen=True, eq=False)
class Access:
    """One element read or written, as in `C[i, j] = A[i, j]`, with the loops around it."""

    region: Region
    node: ast.Subscript
    loops: tuple[Loop, ...]
    order: int
    is_write: bool
    accumulates: bool = False
    """Whether what is written is made of what was there."""
    adds: bool = False
    """Whether it is what was there with another term added."""
    statement: int = 0
    """A number that the accesses of one statement share."""


@dataclass(frozen=True, eq=False)
class Launch:
    """`T.Kernel(grid, threads=...)`; `threads` is 128 where none are given."""

    node: ast.Call
    grid: tuple[Any, ...]
    threads: Any
    threads_node: ast.expr | None


@dataclass(frozen=True)
class Build:
    """How `tilelang.jit` or `compile` builds it: `out_idx` is None where none is given."""

    node: ast.expr
    out_idx_node: ast.expr | None = None
    out_idx: Any = None


@dataclass(eq=False)
class KernelFacts:
    """One kernel as one case builds it."""

    kernel: Kernel
    function: ast.FunctionDef
    names: Names
    targets: tuple[Target, ...] = ()
    build: Build | None = None
    parameters: list[Buffer | str] = field(default_factory=list)
    """Tensors as buffers, scalars by name."""
    results: list[Buffer] = field(default_factory=list)
    """What an eager kernel makes with `T.empty`."""
    buffers: list[Buffer] = field(default_factory=list)
    launches: list[Launch] = field(default_factory=list)
    loops: list[Loop] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    accesses: list[Access] = field(default_factory=list)
    layouts: list[Layout] = field(default_factory=list)
    complete: bool = True
    """False where something is written that the source does not tell."""
    escaped: set[Buffer] = field(default_factory=set)
    """Buffers that have another name too, or a pointer: what is done by it is not seen."""
    _touching: dict[Buffer, list[Operation]] | None = None
    used_names: frozenset[str] = frozenset()
    """Every name that the function reads."""

    @property
    def tensors(self) -> list[Buffer]:
        """The tensors among the parameters."""
        return [p for p in self.parameters if isinstance(p, Buffer)]

    def named(self, *names: str) -> Iterator[Operation]:
        """The operations of these names, in order."""
        return (operation for operation in self.operations if operation.name in names)

    def products(self) -> Iterator[Operation]:
        """The matrix products."""
        return self.named("gemm", "wgmma_gemm", "tcgen05_gemm")

    def operations_on(self, buffer: Buffer) -> Iterator[Operation]:
        """The operations that have a buffer, or a part of it, as an argument."""
        if self._touching is None:
            self._touching = _by_buffer(self.operations)
        return iter(self._touching.get(buffer, ()))

    def is_written(self, buffer: Buffer) -> bool:
        """Whether anything may write a buffer."""
        if buffer in self.escaped:
            return True
        if any(a.is_write and a.region.buffer is buffer for a in self.accesses):
            return True
        return any(writes(operation, buffer) for operation in self.operations_on(buffer))

    def is_read(self, buffer: Buffer) -> bool:
        """Whether anything may read a buffer."""
        if buffer in self.escaped:
            return True
        if any(not a.is_write and a.region.buffer is buffer for a in self.accesses):
            return True
        return any(reads(operation, buffer) for operation in self.operations_on(buffer))

    def on_gpu(self) -> tuple[Target, ...]:
        """The targets with blocks of threads."""
        return tuple(t for t in self.targets if t.arch.limits.warp_size is not None)


def _by_buffer(operations: list[Operation]) -> dict[Buffer, list[Operation]]:
    found: dict[Buffer, list[Operation]] = {}
    for operation in operations:
        values = (*operation.arguments, *operation.keywords.values())
        for buffer in {b for value in values if (b := buffer_of(value)) is not None}:
            found.setdefault(buffer, []).append(operation)
    return found


REDUCTIONS = frozenset(
    f"reduce_{name}" for name in ("sum", "max", "min", "abssum", "absmax", "bitand", "any", "all")
)
# Operations of which it is known which arguments they read alone, and which they write alone.
_READ = {
    **dict.fromkeys(("copy", "async_copy", "tma_copy", "im2col", "c2d_im2col"), (0,)),
    **dict.fromkeys(("gemm", "wgmma_gemm", "tcgen05_gemm", "gemm_sp"), (0, 1)),
    **dict.fromkeys(REDUCTIONS, (0,)),
}
_WRITTEN = {
    **dict.fromkeys(("copy", "async_copy", "tma_copy", "im2col", "c2d_im2col"), (1,)),
    **dict.fromkeys(("clear", "fill"), (0,)),
    **dict.fromkeys(REDUCTIONS, (1,)),
}
_KEYWORDS = {"src": 0, "dst": 1, "buffer": 0, "out": 1, "A": 0, "B": 1, "C": 2}
_NEITHER = frozenset(
    {"annotate_layout", "annotate_safe_value", "annotate_padding", "annotate_l2_hit_ratio",
     "annotate_restrict_buffers", "device_assert", "print", "assume", "use_swizzle", "prefetch"}
)  # fmt: skip


def _places(operation: Operation, buffer: Buffer) -> Iterator[int]:
    for index, value in enumerate(operation.arguments):
        if buffer_of(value) is buffer:
            yield index
    for name, value in operation.keywords.items():
        if buffer_of(value) is buffer:
            yield _KEYWORDS.get(name, -1)


def writes(operation: Operation, buffer: Buffer) -> bool:
    """Whether an operation may write a buffer that it has as an argument."""
    if operation.name in _NEITHER:
        return False
    only_read = _READ.get(operation.name, ())
    return any(place not in only_read for place in _places(operation, buffer))


def reads(operation: Operation, buffer: Buffer) -> bool:
    """Whether an operation may read a buffer that it has as an argument."""
    if operation.name in _NEITHER:
        return False
    written = _WRITTEN.get(operation.name, ())
    return any(place not in written for place in _places(operation, buffer))


def is_fragment(value: object) -> bool:
    """Whether a value is a fragment or a part of one: spread over the threads' registers."""
    buffer = buffer_of(value)
    return buffer is not None and buffer.scope is Scope.FRAGMENT
