"""Clusters: blocks that run together, know their rank, and wait for each other."""

from __future__ import annotations

from typing import Any

from workbench.engine.simulator.barriers import threads_here
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.registry import call, operation
from workbench.engine.simulator.tir import call_name
from workbench.engine.simulator.translator import Site, Translator

_STEPS = {
    "tl.cluster_arrive": ("arrive",),
    "tl.cluster_arrive_relaxed": ("arrive",),
    "tl.cluster_wait": ("wait",),
    "tl.cluster_sync": ("arrive", "wait"),
}


@call("tl.block_rank_in_cluster")
def _rank(t: Translator, node: Any) -> Value:
    return Value("0" if t.roles is None else "role.team.rank", "int32")


@operation(*_STEPS)
def _synchronise(t: Translator, node: Any) -> None:
    """All threads of the cluster arrive; waiting lasts until they have."""
    if t.roles is None:
        return
    for step in _STEPS[call_name(node)]:
        if step == "arrive":
            t.emitter.line(f"role.team.cluster_barrier.arrive({threads_here(t)})")
        else:
            site = t.numbered(Site(t.line, "", False))
            t.emitter.line(f"yield from role.wait_for_cluster({site})")
