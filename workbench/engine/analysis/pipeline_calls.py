"""What the intrinsics of the lowered IR are as steps of a pipeline, one handler each.

Sources: TileLang 0.1.15, tl_templates/cuda (barrier.h, copy.h, copy_sm90.h), and the PTX ISA 9.0:
cp.async, mbarrier, cp.async.bulk, wgmma, bar.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from workbench.core.analysis.pipeline import StepKind
from workbench.engine.analysis import reductions
from workbench.engine.analysis.translation import class_of, dtype_bits, operator

if TYPE_CHECKING:
    from workbench.engine.analysis.pipeline_facts import PipelineWalk

Call = Callable[["PipelineWalk", Any], None]
ORDERING = frozenset(
    (StepKind.WAIT, StepKind.COMMIT, StepKind.ARRIVE, StepKind.BARRIER, StepKind.COUNT)
)
"""The steps whose loops are kept: of others a loop is one step."""

_SHAPE = re.compile(r"m\d+n\d+k\d+$|\d+x\d+x\d+")


def _sync(walk: PipelineWalk, call: Any) -> None:
    if str(getattr(call.args[0], "value", "")) != "warp":
        walk.keep(StepKind.BARRIER, "barrier")


def _wait_slot(walk: PipelineWalk, call: Any) -> None:
    parity = walk.text(call.args[1]) if len(call.args) > 1 else None
    walk.keep(StepKind.WAIT, "mbarrier wait", slot=walk.slot(call.args[0]), value=parity)


def _wait_group(walk: PipelineWalk, call: Any) -> None:
    walk.keep(StepKind.WAIT, "cp.async wait", value=walk.text(call.args[0]))


def _commit(walk: PipelineWalk, call: Any) -> None:
    walk.keep(StepKind.COMMIT, "commit")


def _arrive(walk: PipelineWalk, call: Any) -> None:
    walk.keep(StepKind.ARRIVE, "arrive", slot=walk.slot(call.args[0]))


def _arrive_after_copies(walk: PipelineWalk, call: Any) -> None:
    walk.keep(StepKind.ARRIVE, "arrive after copies", slot=walk.slot(call.args[0]))


def _initialise(walk: PipelineWalk, call: Any) -> None:
    walk.initialise(call.args[0], call.args[1])


def _tensor(name: str) -> Call:
    def kept(walk: PipelineWalk, call: Any) -> None:
        words = [str(a.value) for a in call.args if class_of(a) == "StringImm"]
        shape = next((word for word in words if _SHAPE.search(word)), "")
        walk.keep(StepKind.TENSOR, f"{name} {shape}".strip())

    return kept


def _async_copy(walk: PipelineWalk, call: Any) -> None:
    inside, outside = (_pointed(walk, argument) for argument in call.args[:2])
    if inside is not None and outside is not None and class_of(call.args[2]) == "IntImm":
        size = int(call.args[2]) * dtype_bits(call.args[0].args[0].dtype) // 8
        walk.copied("cp.async", inside, outside, size)


def _matrices(walk: PipelineWalk, call: Any) -> None:
    """ldmatrix and stmatrix; a place alone matters of their operands, so no address is made."""
    place = _pointed(walk, call.args[2])
    for argument in call.args[3:]:
        walk.expression(argument)
    if place is not None:
        walk.keep(StepKind.MOVE, operator(call).removeprefix("ptx_"), buffers=(place,))


def _pointed(walk: PipelineWalk, argument: Any) -> str | None:
    """The buffer that an argument points into; None where it is no such pointer."""
    if class_of(argument) != "Call" or operator(argument) != "tvm_access_ptr":
        return None
    return walk.pointers.of(argument.args[1]).name


def _extern(walk: PipelineWalk, call: Any) -> None:
    function = str(getattr(call.args[0], "value", ""))
    for argument in call.args[1:]:
        walk.expression(argument)
    if reductions.workspace(function) is not None:
        walk.keep(StepKind.REDUCE, "reduction over threads")
    elif "gemm" in function or "mma" in function:
        walk.keep(StepKind.TENSOR, function)


CALLS: tuple[tuple[str, Call], ...] = (
    (r"tvm_storage_sync$|syncthreads_|named_barrier_sync", _sync),
    (r"mbarrier_wait_parity$|ptx_wait_barrier$", _wait_slot),
    (r"ptx_wait_group$|cp_async_wait$", _wait_group),
    (r"ptx_commit_group$", _commit),
    (r"ptx_arrive_barrier", _arrive),
    (r"ptx_cp_async_barrier_noinc$", _arrive_after_copies),
    (r"ptx_init_barrier_thread_count$", _initialise),
    (r"ptx_cp_async$", _async_copy),
    (r"ptx_(ld|st)matrix$", _matrices),
    (r"ptx_mma", _tensor("mma")),
    (r"ptx_wgmma", _tensor("wgmma")),
    (r"ptx_tcgen05_mma", _tensor("tcgen05.mma")),
    (r"tvm_mfma", _tensor("mfma")),
    (r"ascend_m?mad", _tensor("cube")),
    (r"call_(pure_)?extern$", _extern),
)
