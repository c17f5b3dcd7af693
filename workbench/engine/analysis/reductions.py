"""The shared workspace of tl::AllReduce: what its butterfly stores and loads at each step."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.analysis.shared_sites import SharedKind
from workbench.engine.analysis.expressions import Node, apply, const

_NAME = re.compile(r"tl::AllReduce<[\w:]+, (\d+), (\d+), (\d+)(?:, (tl::\w+(?:<\d+>)?))?(.*)>::run")


@dataclass(frozen=True)
class Workspace:
    """The template's arguments: threads of a group, the stride between its members, the first
    thread, values at once and the elements between their parts of the workspace."""

    threads: int
    scale: int
    offset: int
    batch: int
    stride: int


def workspace(function: str) -> Workspace | None:
    """The reduction that a called function is; None for another one."""
    match = _NAME.match(function)
    if match is None:
        return None
    batch, stride = 1, 0
    rest = re.findall(r"\d+", match[5] or "")
    if len(rest) >= 2:
        batch, stride = int(rest[0]), int(rest[1])
    return Workspace(int(match[1]), int(match[2]), int(match[3]), batch, stride)


def accesses(reduction: Workspace, thread: Node, warp: int) -> Iterator[tuple[SharedKind, Node]]:
    """Kind and element index of each access to the workspace, in their order.

    Source: TileLang 0.1.15, tl_templates/cuda/reduce.h, AllReduce: a step whose partner is in
    another warp goes through shared memory, others through shuffles.
    """
    own = apply("sub", thread, const(reduction.offset))
    threads = reduction.threads
    while threads > reduction.scale:
        step = threads // 2
        if step >= warp:
            partner = apply("bitxor", own, const(step))
            for kind, index in ((SharedKind.STORE, own), (SharedKind.LOAD, partner)):
                for value in range(reduction.batch):
                    yield kind, apply("add", index, const(value * reduction.stride))
        threads = step
