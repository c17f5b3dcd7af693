"""From a PrimFunc to a program that runs on numpy arrays."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from workbench.engine.simulator import (  # noqa: F401 - importing a family registers it
    allreduce,
    async_copies,
    atomics,
    barriers,
    clusters,
    control_flow,
    convolution,
    cooperation,
    copies,
    expressions,
    gemm,
    indexing,
    intrinsics,
    launch,
    matrix_instructions,
    memory,
    parallel,
    pointers,
    random_numbers,
    reductions,
    simd,
    sparse_gemm,
    synchronization,
    vectors,
    votes,
    warps,
    words,
)
from workbench.engine.simulator.checks import observers
from workbench.engine.simulator.dtypes import PACKED, numpy_dtype
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.instrumentation import Instrumentation
from workbench.engine.simulator.model import (
    ArgumentError,
    Parameter,
    SimulationOptions,
    SimulationReport,
)
from workbench.engine.simulator.overhang import find_overhangs
from workbench.engine.simulator.packed import pack_into, unpack
from workbench.engine.simulator.registry import HELPERS
from workbench.engine.simulator.runtime import PROGRAM_FILE, Runtime
from workbench.engine.simulator.threads import single_threaded
from workbench.engine.simulator.tir import arith, static_int, tirx, visit
from workbench.engine.simulator.translator import Place, Site, Translator


@dataclass(frozen=True)
class Program:
    """A kernel in executable form; `source` is the generated text, for reading."""

    name: str
    parameters: tuple[Parameter, ...]
    source: str
    sites: tuple[Site, ...]
    _entry: Callable[..., None]

    def run(
        self, arguments: Sequence[Any], options: SimulationOptions | None = None
    ) -> SimulationReport:
        """Execute on numpy arrays (modified in place) and scalars, in the parameters' order.

        Arrays of 4-bit types are given as `numpy_dtype` has them, an element a byte, or as bytes
        with two elements each and a last dimension of half the size.
        Raises ArgumentError where one does not fit its parameter.
        """
        values = bind_arguments(self.parameters, arguments)
        arrays = {at: value for at, value in enumerate(values) if isinstance(value, np.ndarray)}
        options = options or SimulationOptions()
        if options.fresh is None:
            fresh = (at for at, each in enumerate(self.parameters) if not each.reads)
            options = replace(options, fresh=tuple(at for at in fresh if at in arrays))
        runtime = Runtime(self.sites, options, arrays)
        start = time.perf_counter()
        with np.errstate(all="ignore"), single_threaded():
            self._entry(runtime, *values)
        seconds = time.perf_counter() - start
        for parameter, value, given in zip(self.parameters, values, arguments, strict=True):
            if parameter.writes and is_packed(parameter, given):
                pack_into(given, value)
        return SimulationReport(
            runtime.blocks_total,
            runtime.blocks_run,
            seconds,
            runtime.findings,
            tuple(runtime.grids),
            runtime.recorder.writes() if runtime.recorder is not None else None,
        )


def translate(func: Any, checks: bool = False) -> Program:
    """Translate a tile-level PrimFunc; Unsupported names what cannot be executed, and its line.

    With `checks` the program looks at what it does: undefined reads, races of blocks and of
    iterations, outputs not covered, and arithmetic that goes wrong. It takes up to 2.5 times as
    long.
    """
    program, t = _translated(func, Instrumentation())
    if not checks:
        return program
    return _translated(func, Instrumentation(observers(t.touches)))[0]


def _translated(func: Any, checks: Instrumentation) -> tuple[Program, Translator]:
    t = Translator(func, checks)
    name = str(func.attrs["global_symbol"]) if func.attrs else "main"
    t.aliases, t.overhangs = _shared_storage(func), find_overhangs(func.body)
    parameters = [t.emitter.fresh(_label(func, each)) for each in func.params]
    with t.emitter.suite(f"def program({', '.join(['rt', *parameters])}):"):
        _bind_parameters(t, func, parameters)
        checks.begins(t)
        t.statement(func.body)
        checks.ends(t)
    described = tuple(_parameter(t, func, each) for each in func.params)
    return Program(name, described, t.emitter.source, tuple(t.sites), _compiled(t)), t


def _compiled(t: Translator) -> Callable[..., None]:
    namespace: dict[str, Any] = {"np": np, **HELPERS, **t.emitter.constants}
    exec(compile(t.emitter.source, PROGRAM_FILE, "exec"), namespace)
    entry: Callable[..., None] = namespace["program"]
    return entry


def _shared_storage(func: Any) -> dict[Any, list[Any]]:
    """Return the buffers that the body uses, grouped by data variable."""
    found: dict[Any, list[Any]] = {}
    for node in visit(func.body):
        if isinstance(node, (tirx.BufferLoad, tirx.BufferStore, tirx.DeclBuffer)):
            group = found.setdefault(node.buffer.data, [])
            if not any(node.buffer.same_as(other) for other in group):
                group.append(node.buffer)
    return found


def _label(func: Any, parameter: Any) -> str:
    buffer = func.buffer_map.get(parameter, parameter)
    return str(buffer.name)


def _bind_parameters(t: Translator, func: Any, names: list[str]) -> None:
    pairs = list(zip(func.params, names, strict=True))
    numbers = {name: at for at, name in enumerate(names)}
    for parameter, name in pairs:
        if parameter not in func.buffer_map:
            t.values[parameter] = Value(name, str(parameter.dtype))
    buffers = [(func.buffer_map[p], name) for p, name in pairs if p in func.buffer_map]
    for buffer, name in buffers:
        _bind_sizes(t, buffer, name)
    for buffer, name in buffers:
        place = Place(name, buffer.name, tuple(buffer.shape), str(buffer.dtype), True, buffer.data)
        t.parameters[buffer.data] = numbers[name]
        memory.register(t, buffer, place)


def _bind_sizes(t: Translator, buffer: Any, name: str) -> None:
    """Dynamic sizes and strides have the values of the first tensor that names them."""
    for axis, size in enumerate(buffer.shape):
        if isinstance(size, tirx.Var) and size not in t.values:
            t.bind(size, Value(f"{name}.shape[{axis}]", str(size.dtype)))
    for axis, size in enumerate(buffer.shape):
        _solve_size(t, size, f"{name}.shape[{axis}]")
    for axis, stride in enumerate(buffer.strides):
        if isinstance(stride, tirx.Var) and stride not in t.values:
            code = f"{name}.strides[{axis}] // {name}.itemsize"
            t.bind(stride, Value(code, str(stride.dtype)))


def _solve_size(t: Translator, size: Any, known: str) -> None:
    """Bind the one unknown variable of a size such as n * 4 + 1."""
    unknown = {each for each in visit(size) if isinstance(each, tirx.Var) and each not in t.values}
    if len(unknown) != 1:
        return
    (variable,) = unknown
    found = arith.detect_linear_equation(size, [variable])
    factor = static_int(found[0]) if len(found) else None
    if factor:
        rest = t.scalar(t.analyzer.simplify(found[1]))
        t.bind(variable, Value(f"({known} - {rest}) // {factor}", str(variable.dtype)))


def _parameter(t: Translator, func: Any, parameter: Any) -> Parameter:
    if parameter not in func.buffer_map:
        return Parameter(str(parameter.name), str(parameter.dtype), (), False, True, False)
    buffer = func.buffer_map[parameter]
    shape = tuple(_size(size) for size in buffer.shape)
    t.numpy_dtype(str(buffer.dtype))
    return Parameter(
        str(buffer.name),
        str(buffer.dtype),
        shape,
        True,
        buffer.data in t.touches.reads,
        buffer.data in t.touches.writes,
    )


def _size(size: Any) -> int | str:
    known = static_int(size)
    return str(size) if known is None else known


def bind_arguments(parameters: Sequence[Parameter], arguments: Sequence[Any]) -> list[Any]:
    """Return the arguments checked against the parameters' dtypes, ranks and sizes."""
    if len(parameters) != len(arguments):
        raise ArgumentError(f"{len(parameters)} arguments expected, {len(arguments)} given")
    sizes: dict[str, int] = {}
    return [
        _checked_array(parameter, value, sizes) if parameter.is_buffer else value
        for parameter, value in zip(parameters, arguments, strict=True)
    ]


def is_packed(parameter: Parameter, value: Any) -> bool:
    """Whether an argument has two elements of its parameter in each byte."""
    return parameter.dtype in PACKED and isinstance(value, np.ndarray) and value.dtype.kind in "iu"


def _checked_array(parameter: Parameter, value: Any, sizes: dict[str, int]) -> Any:
    if not isinstance(value, np.ndarray):
        raise ArgumentError(f"{parameter.name}: a numpy array expected, got {type(value).__name__}")
    if is_packed(parameter, value):
        value = unpack(value, numpy_dtype(parameter.dtype))
    if value.dtype != numpy_dtype(parameter.dtype):
        raise ArgumentError(
            f"{parameter.name}: dtype {parameter.dtype} expected, got {value.dtype}"
        )
    known = tuple(
        sizes.setdefault(size, have) if isinstance(size, str) and size.isidentifier() else size
        for size, have in zip(parameter.shape, value.shape, strict=False)
    )
    fits = len(parameter.shape) == value.ndim and all(
        isinstance(want, str) or want == have for want, have in zip(known, value.shape, strict=True)
    )
    if not fits:
        raise ArgumentError(
            f"{parameter.name}: shape {parameter.shape} expected, got {value.shape}"
        )
    if value.flags.writeable and min(value.strides, default=0) >= 0:
        return value
    if parameter.writes:
        raise ArgumentError(f"{parameter.name}: is written, but the array is read-only or reversed")
    return value.copy()  # torch, which converts the types, takes neither kind
