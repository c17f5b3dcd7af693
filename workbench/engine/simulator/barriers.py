"""Operations at which threads wait for each other, or let others go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.roles import is_named_barrier
from workbench.engine.simulator.tir import call_name, tirx
from workbench.engine.simulator.translator import Site, Translator

BARRIER_SCOPES = ("shared.barrier", "shared.cluster_barrier")
_ARRIVALS = (
    "tirx.ptx_arrive_barrier",
    "tirx.ptx_arrive_barrier_expect_tx",
    "tirx.ptx_cp_async_barrier",
    "tl.ptx_cp_async_barrier_noinc",
)


def allocate_barriers(t: Translator, buffer: Any) -> None:
    """Emit the barriers of one allocation; where nobody waits they are left out."""
    if t.roles is None:
        return
    counts = t.emitter.constant(t.barrier_counts[buffer.data])
    name = t.emitter.fresh(buffer.name)
    rest = f"{next(t.slots)}, {buffer.name!r}, {counts}"
    t.emitter.line(f"{name} = role.team.barriers({rest})")
    t.barriers[buffer.data] = name


def _barrier(t: Translator, node: Any) -> str:
    if isinstance(node, tirx.BufferLoad) and node.buffer.data in t.barriers:
        return f"barrier_at({t.barriers[node.buffer.data]}, {t.expression(node.indices[0]).code})"
    raise t.unsupported(f"a barrier given as {node}")


def _site(t: Translator, node: Any) -> int:
    label = str(node.buffer.name) if isinstance(node, tirx.BufferLoad) else ""
    return t.numbered(Site(t.line, label, False))


def _threads_here(t: Translator) -> str:
    """Return how many threads reach this statement."""
    if t.lanes is None:
        return str(int(np.prod(t.threads)))
    mask = t.mask_code()
    return "len(role.lanes)" if mask is None else f"int(np.count_nonzero({mask}))"


@operation("tl.mbarrier_wait_parity")
def _wait(t: Translator, node: Any) -> None:
    """The arguments are the barrier and the parity."""
    barrier, parity = node.args
    code = f"{_barrier(t, barrier)}, {t.expression(parity).code}, {_site(t, barrier)}"
    t.emitter.line(f"yield from role.wait({code})")


@operation(*_ARRIVALS)
def _arrive(t: Translator, node: Any) -> None:
    if t.roles is not None:
        t.emitter.line(f"{_barrier(t, node.args[0])}.arrive({_threads_here(t)})")


@operation("tl.tcgen05_mma_arrive")
def _arrive_when_multiplied(t: Translator, node: Any) -> None:
    arrive_once(t, node.args[0])


def arrive_once(t: Translator, barrier: Any) -> None:
    """Emit the single arrival of the hardware when an asynchronous operation is done."""
    if t.roles is not None and isinstance(barrier, tirx.BufferLoad):
        t.emitter.line(f"{_barrier(t, barrier)}.arrive(1)")


@operation("tirx.tvm_storage_sync", "tl.sync_threads_partial")
def _sync(t: Translator, node: Any) -> None:
    """All threads run in lock step, except where some go their own way."""
    if t.roles is None or not is_named_barrier(node):
        return
    numbers = [each for each in node.args if not isinstance(each, tirx.StringImm)]
    if len(numbers) < 2:
        raise t.unsupported(f"{call_name(node)} without a number of threads")
    _named(t, numbers, waits=True)


@operation("tl.named_barrier_arrive")
def _named_arrive(t: Translator, node: Any) -> None:
    _named(t, list(node.args), waits=False)


def _named(t: Translator, numbers: list[Any], waits: bool) -> None:
    number, count = (t.scalar(each) for each in numbers[:2])
    site = t.numbered(Site(t.line, "", False))
    t.emitter.line(f"yield from role.named({number}, {count}, {_threads_here(t)}, {waits}, {site})")


@operation("tl.sync_grid")
def _sync_grid(t: Translator, node: Any) -> None:
    """One role arrives for its block once all of the block's are here; the others wait for it."""
    code = f"yield from sync_grid(role, {t.numbered(Site(t.line, '', False))})"
    if len(t.members) < 2:
        t.emitter.line(code)
        return
    with t.emitter.suite(f"if {t.meet()}:"):
        t.emitter.line(code)
    t.emitter.line(t.meet())
