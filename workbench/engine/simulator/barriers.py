"""Operations at which threads wait for each other, or let others go on."""

from __future__ import annotations

from typing import Any

import numpy as np

from workbench.engine.simulator.registry import operation
from workbench.engine.simulator.roles import ARRIVALS, is_named_barrier
from workbench.engine.simulator.tir import call_name, tirx
from workbench.engine.simulator.translator import Site, Translator

BARRIER_SCOPES = ("shared.barrier", "shared.cluster_barrier")


def allocate_barriers(t: Translator, buffer: Any) -> None:
    """Emit the barriers of one allocation; where nobody waits they are left out."""
    if t.roles is None:
        return
    counts = t.emitter.constant(t.barrier_counts[buffer.data])
    rest = f"{next(t.slots)}, {buffer.name!r}, {counts}"
    name = t.emitter.assign(f"role.team.barriers({rest})", buffer.name)
    t.barriers[buffer.data] = name
    t.barriers_elsewhere[buffer.data] = f"role.team.cluster[{{}}].barriers({rest})"


def _named_barrier(t: Translator, node: Any) -> tuple[Any, Any]:
    """Return the storage of the barrier that an argument names, and which of its barriers."""
    if isinstance(node, tirx.Call) and call_name(node) == "tirx.tvm_access_ptr":
        return node.args[1], node.args[2]
    if isinstance(node, tirx.Call) and call_name(node) in ("tl.access_ptr", "tirx.address_of"):
        node = node.args[0]
    if isinstance(node, tirx.BufferLoad):
        return node.buffer.data, node.indices[0]
    raise t.unsupported(f"a barrier given as {node}")


def _barrier(t: Translator, node: Any, rank: str | None = None) -> str:
    """Return a barrier of this block, or of the one with a rank in the cluster."""
    data, index = _named_barrier(t, node)
    if data not in t.barriers:
        raise t.unsupported(f"a barrier given as {node}")
    name = t.barriers[data] if rank is None else t.barriers_elsewhere[data].format(rank)
    return f"barrier_at({name}, {t.expression(index).code})"


def _site(t: Translator, node: Any) -> int:
    label = str(node.buffer.name) if isinstance(node, tirx.BufferLoad) else ""
    return t.numbered(Site(t.line, label, False))


def threads_here(t: Translator) -> str:
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


@operation(*ARRIVALS)
def _arrive(t: Translator, node: Any) -> None:
    if t.roles is not None:
        t.emitter.line(f"{_barrier(t, node.args[0])}.arrive({threads_here(t)})")


@operation("tl.ptx_arrive_cluster_barrier")
def _arrive_elsewhere(t: Translator, node: Any) -> None:
    """The arguments are the barrier and the rank of the block that has it."""
    if t.roles is not None:
        code = _barrier(t, node.args[0], t.scalar(node.args[1]))
        t.emitter.line(f"{code}.arrive({threads_here(t)})")


@operation("tl.tcgen05_mma_arrive")
def _arrive_when_multiplied(t: Translator, node: Any) -> None:
    arrive_once(t, node.args[0], bool(dict(node.annotations or {}).get("use_2cta", False)))


def arrive_once(t: Translator, barrier: Any, in_both: bool = False) -> None:
    """Emit the single arrival when an asynchronous operation is done (of two blocks: in both)."""
    if t.roles is None:
        return
    for rank in ("0", "1") if in_both else (None,):
        t.emitter.line(f"{_barrier(t, barrier, rank)}.arrive(1)")


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
    number, count = _number(t, numbers[0]), t.scalar(numbers[1])
    site = t.numbered(Site(t.line, "", False))
    t.emitter.line(f"yield from role.named({number}, {count}, {threads_here(t)}, {waits}, {site})")


def _number(t: Translator, node: Any) -> str:
    """Return a barrier's number: threads that name different ones by their index part ways."""
    is_known = t.roles is not None and not np.isnan(t.roles.values.of(node)).any()
    return t.expression(node).code if is_known else t.scalar(node)


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
