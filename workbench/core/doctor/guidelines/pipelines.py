"""How many stages a software pipeline has: what they take, and how many the targets hold."""

from __future__ import annotations

import ast
import math
from collections.abc import Iterator

from workbench.core.diagnostics import Fix
from workbench.core.doctor.checks.products import products_of
from workbench.core.doctor.edits import set_value
from workbench.core.doctor.facts import KernelFacts, Loop, LoopKind
from workbench.core.doctor.findings import Finding, fix, listed, named
from workbench.core.doctor.guidelines.tiles_of import bytes_of, fed_tiles
from workbench.core.doctor.module import Module
from workbench.core.figures import number, size
from workbench.core.targets.model import Feature, Target

_MOST = 4
_MORE = 3  # stages that a loop bound by memory makes use of
# Only where much less is computed than the units could do in the time is the memory the limit.
_BOUND = 0.5


def pipeline_depth(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Pipelines of more stages than help or fit, and of fewer than a loop bound by memory wants."""
    for loop in facts.loops:
        stages = loop.num_stages
        if loop.kind is not LoopKind.PIPELINED or type(stages) is not int or stages < 2:
            continue
        each = bytes_of(fed_tiles(facts, loop))
        targets = _versioned(facts)
        if each and targets:
            deep = _too_deep(facts, module, loop, each, targets)
            shallow = None if deep else _too_shallow(facts, module, loop, each, targets)
            yield from (found for found in (deep, shallow) if found is not None)


def _versioned(facts: KernelFacts) -> tuple[Target, ...]:
    """The targets on which a tile is kept once for each stage: those with asynchronous copies.

    Seen in what TileLang 0.1.15 lowers: for gfx942 a tile is kept once, whatever num_stages is.
    """
    return tuple(t for t in facts.on_gpu() if t.arch.has(Feature.CP_ASYNC) and _limit(t))


def _limit(target: Target) -> int:
    limits = target.arch.limits
    return limits.shared_bytes_per_block_opt_in or limits.shared_bytes_per_block or 0


def _fitting(targets: tuple[Target, ...], each: int) -> str:
    """How many stages each target holds, as a clause."""
    parts = [f"{_limit(t) // each} on {t.name} ({size(_limit(t))})" for t in targets]
    return f"at most {listed(parts)} fit"


def _too_deep(
    facts: KernelFacts, module: Module, loop: Loop, each: int, targets: tuple[Target, ...]
) -> Finding | None:
    stages = loop.num_stages
    over = tuple(t for t in targets if stages * each > _limit(t))
    concerned = over or (targets if stages > _MOST else ())
    if not concerned:
        return None
    fitting = min(_limit(t) // each for t in concerned)
    fewer = min(fitting, _MOST if stages > _MOST else stages)
    custom = "" if over else f" More than {_MOST} stages seldom hide more waiting."
    message = (
        f"{stages} stages of {size(each)} each keep {size(stages * each)} of shared memory; "
        f"{_fitting(concerned, each)}.{custom}"
    )
    fixes = _staged(facts, module, loop, fewer) if 2 <= fewer < stages else ()
    return Finding(loop.node, message, fixes, named(concerned, facts.targets))


def _too_shallow(
    facts: KernelFacts, module: Module, loop: Loop, each: int, targets: tuple[Target, ...]
) -> Finding | None:
    stages = loop.num_stages
    if stages >= _MORE:
        return None
    bound = [(t, ratio) for t in targets if (ratio := _share_of_peak(facts, loop, t)) is not None]
    # With room for two blocks of the deeper pipeline: one block more hides as much as a stage.
    concerned = tuple(
        t for t, ratio in bound if ratio < _BOUND and 2 * _MORE * each <= _limit(t)
    )  # fmt: skip
    if not concerned:
        return None
    share = max(ratio for t, ratio in bound if t in concerned)
    message = (
        f"This kernel is bound by memory: at the full bandwidth of "
        f"{listed(t.name for t in concerned)} its products take {number(100 * share)} % of the "
        f"matrix units' time or less. A third stage keeps more copies in flight for "
        f"{size(each)} more; {_fitting(concerned, each)}."
    )
    fixes = _staged(facts, module, loop, _MORE)
    return Finding(loop.node, message, fixes, named(concerned, facts.targets))


def _share_of_peak(facts: KernelFacts, loop: Loop, target: Target) -> float | None:
    """What part of the peak products reach if memory is read and written once at full bandwidth.

    None where that is not known, or the tensors fit into the L2 cache, whose bandwidth is another.
    """
    work, moved = _flops(facts, loop), bytes_of(facts.tensors)
    model = target.model
    if work is None or moved is None or model is None:
        return None
    bandwidth, l2 = model.bandwidth_gb_s, model.l2_bytes
    products = [p for p in products_of(facts) if loop in p.operation.loops]
    peak = model.tensor_peak_tflops(products[0].a.dtype or "") if products else None
    if bandwidth is None or peak is None or l2 is None or moved <= l2:
        return None
    seconds = moved / (bandwidth * 1e9)
    return work / seconds / (peak * 1e12)


def _flops(facts: KernelFacts, loop: Loop) -> int | None:
    """The operations of the products in a loop, over the whole launch."""
    launch = facts.launches[0] if len(facts.launches) == 1 else None
    extents = [*(launch.grid if launch else ()), *loop.extents]
    outer = [o for p in facts.products() for o in p.loops if loop in p.loops and o is not loop]
    if launch is None or outer or not loop.extents or any(type(n) is not int for n in extents):
        return None
    each = 0
    for product in products_of(facts):
        sizes = (*product.stored_c, product.k)
        if loop in product.operation.loops:
            if any(type(n) is not int for n in sizes):
                return None
            each += 2 * math.prod(sizes)
    return each * math.prod(extents) or None


def _staged(facts: KernelFacts, module: Module, loop: Loop, stages: int) -> tuple[Fix, ...]:
    call = loop.node.iter if isinstance(loop.node, ast.For) else None
    if not isinstance(call, ast.Call):
        return ()
    node = next((k.value for k in call.keywords if k.arg == "num_stages"), None)
    node = call.args[2] if node is None and len(call.args) > 2 else node
    if node is None:
        return ()
    edit = set_value(module, facts.function, node, loop.num_stages, str(stages))
    return fix(f"Use {stages} stages", edit)
