"""Launches a kernel on torch tensors in the simulator, with the outputs that TileLang returns."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import torch
from tilelang import tvm
from tvm import tirx

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import ScriptKernel
from workbench.engine import simulator
from workbench.engine.scripts.journal import Journal
from workbench.engine.scripts.lacks import NotSimulatedError
from workbench.engine.scripts.repeating import Repetition
from workbench.engine.verify.runners import as_numpy

_PAIRS = "float4_e2m1fn_x2"  # torch's name for two fp4 values in a byte, in newer versions


class LaunchError(ValueError):
    """The arguments of a launch do not fit the kernel; the message names the parameter."""


class Launcher:
    """One kernel: translated at its first launch, then run as often as the script calls it.

    `result_idx` are the positions of the outputs among the parameters; `params` TileLang's own
    description of them. Without `execute` launches only make the outputs; with `checks` the
    simulator looks at what the kernel does. Memory that the script gives holds values already.
    """

    def __init__(
        self,
        prim_func: Any,
        params: Sequence[Any],
        result_idx: Sequence[int],
        journal: Journal,
        execute: bool = True,
        checks: bool = False,
    ) -> None:
        self._func = prim_func
        self._params = params
        self._outputs = tuple(result_idx)
        self._journal = journal
        self._execute = execute
        self._checks = checks
        self._program: simulator.Program | None = None
        self._repeated = Repetition()
        self.kernel: ScriptKernel | None = None
        self.number = 0

    def __call__(self, *inputs: Any) -> Any:
        """Run and return the outputs: one tensor, or a list of them where there are several."""
        with torch._C.DisableTorchFunction():
            values = self._bound(inputs)
            self._run(values)
        made = [values[index] for index in self._outputs]
        return made[0] if len(made) == 1 else made

    def _bound(self, inputs: Sequence[Any]) -> list[Any]:
        expected = len(self._params) - len(self._outputs)
        if len(inputs) != expected:
            raise LaunchError(_other_count(self._func, self._outputs, len(inputs)))
        remaining = iter(inputs)
        given = [None if i in self._outputs else next(remaining) for i in range(len(self._params))]
        sizes = _sizes(self._func, given)
        for index in self._outputs:
            given[index] = self._output(index, sizes)
        return [self._fitting(i, value, sizes) for i, value in enumerate(given)]

    def _output(self, index: int, sizes: dict[Any, int]) -> torch.Tensor:
        return stale_memory(self._shape(index, sizes), self._params[index].torch_dtype())

    def _shape(self, index: int, sizes: dict[Any, int]) -> list[int]:
        buffer = self._func.buffer_map[self._func.params[index]]
        shape = [_value(extent, sizes) for extent in buffer.shape]
        bits = buffer.dtype.bits * buffer.dtype.lanes
        if bits < 8 and shape:  # packed types: torch counts bytes
            shape[-1] = shape[-1] * bits // 8
        return shape

    def _fitting(self, index: int, value: Any, sizes: dict[Any, int]) -> Any:
        """A value as the program takes it: numbers of Python, and a tensor for every buffer."""
        parameter = self._func.params[index]
        if parameter not in self._func.buffer_map:
            value = value.item() if isinstance(value, torch.Tensor) else value
            is_float = "float" in str(parameter.dtype)
            return float(np.float32(value)) if is_float else value
        if value is None:  # a nullable tensor, which the kernel must not touch
            return self._output(index, sizes)
        return value

    def _run(self, values: Sequence[Any]) -> None:
        dims = {str(v.name): size for v, size in _sizes(self._func, values).items()}
        self._journal.launch_begins(self.number, dims)
        begun = time.perf_counter()
        if self._execute:
            program = self._translated()
            arrays = [_array(value) for value in values]
            report = self._repeated.run(program, arrays, self._outputs)
            for finding in report.findings:
                self._journal.diagnostic(_diagnostic(finding, self.kernel))
        self._journal.launch_ends(self.number, time.perf_counter() - begun)

    def _translated(self) -> simulator.Program:
        if self._program is None:
            try:
                self._program = simulator.translate(self._func, self._checks)
            except simulator.Unsupported as error:
                file = self.kernel.file if self.kernel else None
                self._journal.diagnostic(not_simulated(error, self.kernel))
                raise NotSimulatedError(error.message, file, error.line) from error
        return self._program


def _other_count(func: Any, outputs: Sequence[int], given: int) -> str:
    """TileLang's own sentence, which scripts may look for, and then what is taken and returned."""
    names = [str(func.buffer_map.get(p, p).name) for p in func.params]
    inputs = [name for at, name in enumerate(names) if at not in outputs]
    said = f"Kernel expected {len(inputs)} inputs, but {given} are provided."
    returned = ", ".join(names[at] for at in outputs)
    if not returned:
        return f"{said} It takes {', '.join(inputs)}, and has no out_idx that returns any of them"
    takes = f"It takes {', '.join(inputs) or 'nothing'}, makes {returned} itself and returns it"
    return f"{said} {takes}, because of out_idx={list(outputs)}"


def stale_memory(shape: Sequence[int], dtype: torch.dtype) -> torch.Tensor:
    """A fresh tensor as a GPU's allocator gives it: what an earlier owner left, here bytes 0xA5.

    These are finite in every float type: kernels multiply parts that nobody wrote by zero, which
    goes well with all that memory usually holds, and would not with NaN.
    """
    tensor = torch.empty(list(shape), dtype=dtype)
    if dtype == torch.bool:
        return tensor.fill_(False)
    tensor.view(torch.uint8).fill_(0xA5)
    return tensor


def _array(value: Any) -> Any:
    """A numpy view of a tensor; types of which two share a byte as bytes."""
    if isinstance(value, torch.Tensor) and value.dtype == getattr(torch, _PAIRS, None):
        value = value.detach().view(torch.uint8)
    return as_numpy(value)


def _sizes(func: Any, values: Sequence[Any]) -> dict[Any, int]:
    """The values of a kernel's dynamic sizes and strides, and of its scalars, by variable."""
    sizes: dict[Any, int] = {}
    for parameter, value in zip(func.params, values, strict=True):
        if isinstance(value, torch.Tensor) and parameter in func.buffer_map:
            buffer = func.buffer_map[parameter]
            _take(sizes, buffer.shape, value.shape)
            _take(sizes, buffer.strides, value.stride())
        elif isinstance(value, (int, np.integer)):
            sizes.setdefault(parameter, int(value))
    return sizes


def _take(sizes: dict[Any, int], names: Sequence[Any], values: Sequence[int]) -> None:
    for name, value in zip(names, values, strict=False):
        if isinstance(name, tirx.Var):
            sizes.setdefault(name, int(value))


def _value(extent: Any, sizes: dict[Any, int]) -> int:
    known = {var: tirx.IntImm(var.dtype, size) for var, size in sizes.items()}
    simple = tvm.arith.Analyzer().simplify(tirx.stmt_functor.substitute(extent, known))
    if not isinstance(simple, tirx.IntImm):
        raise LaunchError(f"the size {extent} of an output cannot be told from the inputs")
    return int(simple)


def not_simulated(error: simulator.Unsupported, kernel: ScriptKernel | None) -> Diagnostic:
    """The finding that a kernel holds what cannot be executed."""
    message = f"the simulator cannot execute this kernel: {error.message}"
    where = TextRange(error.line) if error.line else None
    evidence = {"file": kernel.file if kernel else None, "operation": error.message}
    return Diagnostic(
        "not-simulated", Severity.WARNING, message, where, stage="simulate", evidence=evidence
    )


def _diagnostic(finding: simulator.Finding, kernel: ScriptKernel | None) -> Diagnostic:
    evidence = {
        "file": kernel.file if kernel else None,
        "kernel": kernel.name if kernel else None,
        **finding.details,
    }
    where = TextRange(finding.line) if finding.line else None
    severity = Severity(finding.severity)
    return Diagnostic(
        finding.code, severity, finding.message, where, stage="simulate", evidence=evidence
    )
