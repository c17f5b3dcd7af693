"""Lowers a kernel again with other threads or another warp policy, to see what would lower."""

from __future__ import annotations

import dataclasses
import itertools
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import tvm
from tilelang import ir as tile_ir
from tvm import tirx

from workbench.engine import lowering
from workbench.engine.doctor.tiles import LAUNCH_THREADS, POLICIES, POLICY_ARGUMENT
from workbench.engine.kernels import BuiltKernel

_LAST = "tl.LowerTileOp"  # after it every layout and instruction is chosen
_MOST_SECONDS = 2.5  # a diagnosis must come while the person still looks at the line


@dataclass(frozen=True)
class Choice:
    """What a trial changes: the threads of a block, or the policy of all products; None: as is."""

    threads: int | None = None
    policy: str | None = None

    def __str__(self) -> str:
        named = {"threads": self.threads, "policy": self.policy}
        said = {"policy": f"policy=T.GemmWarpPolicy.{self.policy}"}
        return ", ".join(said.get(k, f"{k}={v}") for k, v in named.items() if v is not None)


@tvm.instrument.pass_instrument
class _Stop:
    """Ends a lowering after the tile operations are lowered; `reached` tells that it came there.

    What it raises arrives as another exception on the other side of tvm, hence the flag.
    """

    def __init__(self) -> None:
        self.reached = False

    def run_after_pass(self, module: Any, info: Any) -> None:
        """Stop where nothing more can be refused."""
        if info.name == _LAST:
            self.reached = True
            raise StopIteration


class Trials:
    """Tries choices on one built kernel for one tvm Target, within a limit of time."""

    def __init__(self, built: BuiltKernel, target: Any) -> None:
        self._built = built
        self._target = target
        self._until = time.monotonic() + _MOST_SECONDS
        self._known: dict[Choice, bool] = {}

    def that_lower(self, choices: Iterable[Choice], most: int = 3) -> tuple[Choice, ...]:
        """The first choices that lower, in the order given; fewer where the time is over."""
        return tuple(itertools.islice(self._lowering(choices), most))

    def _lowering(self, choices: Iterable[Choice]) -> Iterator[Choice]:
        for choice in choices:
            if time.monotonic() > self._until:
                return
            if choice not in self._known:
                self._known[choice] = self._lowers(choice)
            if self._known[choice]:
                yield choice

    def _lowers(self, choice: Choice) -> bool:
        func = variant(self._built.func, choice)
        return lowers(dataclasses.replace(self._built, func=func), self._target)


def lowers(built: BuiltKernel, target: Any) -> bool:
    """Whether a built kernel lowers for a tvm Target as far as something can be refused."""
    stop = _Stop()
    try:
        lowering.lower_modules(built, target, lambda: [stop])
    except Exception:  # the stop, or a refusal of whatever kind
        return stop.reached
    return True


def variant(func: Any, choice: Choice) -> Any:
    """The function with a choice made; the original is left as it is."""

    def changed(node: Any) -> Any:
        if isinstance(node, tirx.Call):
            return _with_policy(node, choice.policy)
        return _with_threads(node, choice.threads)

    kinds = ["tirx.Call", "tirx.SBlock"]
    return func.with_body(tirx.stmt_functor.ir_transform(func.body, None, changed, kinds))


def _with_policy(call: Any, policy: str | None) -> Any:
    is_product = str(getattr(call.op, "name", "")).endswith("tileop.gemm")
    if policy is None or not is_product:
        return None
    arguments = list(call.args)
    arguments[POLICY_ARGUMENT] = tirx.const(POLICIES.index(policy), "int32")
    return tirx.Call(call.dtype, call.op, arguments, call.annotations, call.span)


def _with_threads(block: Any, threads: int | None) -> Any:
    annotations = dict(block.annotations or {})
    if threads is None or LAUNCH_THREADS not in annotations:
        return None
    annotations[LAUNCH_THREADS] = [tirx.const(extent, "int32") for extent in (threads, 1, 1)]
    parts = (block.iter_vars, block.reads, block.writes, block.name_hint, block.body, block.init)
    buffers = (block.alloc_buffers, block.match_buffers)
    return tirx.SBlock(*parts, *buffers, annotations, tile_ir.get_stmt_span(block))
