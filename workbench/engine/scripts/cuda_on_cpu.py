"""Stands in for torch's CUDA parts: tensors asked for on a GPU live in this machine's memory.

Everything here is for a process that runs one script and ends: nothing is ever put back.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from workbench.core.targets.model import Target
from workbench.engine.scripts import cuda_numerics, devices

CUDA = torch.device("cuda", 0)
_CPU = torch.device("cpu")
_PASSED_ON = ("cuda", "pin_memory")  # methods that would only move the tensor
STREAMS = cuda_numerics.RandomStreams()
OnUnmeasured = Callable[[str], None]


class CudaOnCpu(TorchFunctionMode):  # type: ignore[misc]
    """Makes every torch call that names a CUDA device run on the CPU.

    Tensors say that they are on `cuda:0`, as they would where the script is meant to run.
    """

    def __torch_function__(
        self,
        func: Callable[..., Any],
        types: Sequence[type],
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
    ) -> Any:
        """Call `func` with this machine's device in place of the GPU."""
        name = getattr(func, "__name__", "")
        if name in _PASSED_ON:
            return args[0]
        if func is torch.device:
            return _named(*args, **(kwargs or {}))
        answer = _ANSWERS.get(func)
        if answer is not None:
            return answer(args[0])
        divided = cuda_numerics.divided_by_scalar(name, args, kwargs or {})
        if divided is not None:
            return divided
        return self._on_cpu(func, name, args, kwargs or {})

    def _on_cpu(
        self, func: Callable[..., Any], name: str, args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        on_cuda = _is_cuda(kwargs.get("device"))
        moved = {key: _moved(value) for key, value in kwargs.items()}
        if on_cuda:
            moved["device"] = _CPU
        moved.pop("pin_memory", None)
        placed = [_moved(value) for value in args]
        if STREAMS.is_cuda_draw(name, kwargs, on_cuda):
            return STREAMS.draw(lambda: func(*placed, **moved))
        return func(*placed, **moved)


def _named(*args: Any, **kwargs: Any) -> torch.device:
    """Naming a device is not using it; a number alone is a GPU's."""
    if args and isinstance(args[0], int):
        return torch.device("cuda", args[0])
    return torch.device(*args, **kwargs)


def _device_of(tensor: torch.Tensor) -> torch.device:
    with torch._C.DisableTorchFunction():
        return CUDA if tensor.device.type == "cpu" else tensor.device


_ANSWERS: dict[Any, Callable[[torch.Tensor], Any]] = {
    torch.Tensor.is_cuda.__get__: lambda tensor: True,
    torch.Tensor.device.__get__: _device_of,
    torch.Tensor.get_device: lambda tensor: 0,
}


def _is_cuda(value: Any) -> bool:
    """Whether what is given for a device is a GPU; a number always is one's."""
    if isinstance(value, torch.device):
        return bool(value.type == "cuda")
    if isinstance(value, str):
        return value == "cuda" or value.startswith("cuda:")
    return isinstance(value, int) and not isinstance(value, bool)


def _moved(value: Any) -> Any:
    """An argument with the CPU in place of a GPU; of numbers only `device=` means one."""
    return _CPU if not isinstance(value, int) and _is_cuda(value) else value


class _Idle:
    """A stream, event, graph or context that has nothing to do: all calls end at once."""

    cuda_stream = 0

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        self.device = CUDA

    def __enter__(self) -> _Idle:
        return self

    def __exit__(self, *args: Any) -> None:
        return None

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return _answering(None)


def _answering(value: Any) -> Callable[..., Any]:
    """A function of its own each time: torch's own tables refuse one object under two names."""
    return lambda *args, **kwargs: value


def _event_class(on_unmeasured: OnUnmeasured) -> type:
    class Event(_Idle):
        """An event of which no time is known."""

        def elapsed_time(self, other: Any) -> float:
            """Milliseconds between two events: not measured."""
            on_unmeasured("torch.cuda.Event.elapsed_time")
            return math.nan

        def query(self) -> bool:
            """Whether all work before the event is done: it always is."""
            return True

    return Event


class _Generator(torch.Generator):  # type: ignore[misc]
    """A generator of random numbers, on the CPU whatever device is asked for."""

    def __new__(cls, device: Any = None) -> Any:
        return super().__new__(cls, "cpu")


def install(target: Target, on_unmeasured: OnUnmeasured) -> None:
    """Make this process's torch look as if it had the target's GPU; cannot be undone."""
    properties = devices.DeviceProperties(target)
    event = _event_class(on_unmeasured)
    memory = target.model.memory_bytes if target.model else None
    for name, value in {
        "is_available": lambda: True,
        "is_initialized": lambda: True,
        "device_count": lambda: 1,
        "current_device": lambda: 0,
        "get_device_properties": lambda device=None: properties,
        "get_device_capability": lambda device=None: devices.capability(target),
        "get_device_name": lambda device=None: devices.title(target),
        "is_bf16_supported": lambda *args, **kwargs: True,
        "mem_get_info": lambda device=None: (memory, memory),
        "current_stream": lambda device=None: _Idle(),
        "default_stream": lambda device=None: _Idle(),
        "Event": event,
        "get_rng_state": lambda device="cuda": STREAMS.state,
        "set_rng_state": lambda state, device="cuda": setattr(STREAMS, "state", state),
        "manual_seed": lambda seed: STREAMS.seed(seed),
        "manual_seed_all": lambda seed: STREAMS.seed(seed),
    }.items():
        setattr(torch.cuda, name, value)
    for name in _NOTHING_TO_DO:
        setattr(torch.cuda, name, _answering(None))
    for name in _NOTHING_IS_USED:
        setattr(torch.cuda, name, _answering(0))
    for name in ("Stream", "stream", "device", "CUDAGraph", "graph", "device_of"):
        setattr(torch.cuda, name, _Idle)
    _install_torch_wide()


_NOTHING_TO_DO = (
    *("synchronize", "empty_cache", "set_device", "set_stream", "init", "_lazy_init"),
    *("seed", "seed_all", "ipc_collect"),
    *("reset_peak_memory_stats", "reset_max_memory_allocated", "reset_accumulated_memory_stats"),
)
_NOTHING_IS_USED = (
    *("memory_allocated", "max_memory_allocated", "memory_reserved", "max_memory_reserved"),
)


def _install_torch_wide() -> None:
    moving = torch.nn.Module.to
    torch.set_default_device = _answering(None)
    torch.nn.Module.cuda = lambda self, device=None: self
    torch.nn.Module.to = lambda self, *args, **kwargs: moving(
        self, *map(_moved, args), **{k: _moved(v) for k, v in kwargs.items()}
    )
    torch.Generator = _Generator
    # Compiling for a GPU that is not there would only compile for the CPU, and take long.
    torch.compile = lambda model=None, **options: model if model is not None else (lambda f: f)
    torch.version.cuda = "13.0"


def enter_everywhere(make_mode: Callable[[], Any]) -> None:
    """Enter a mode in this thread and in every thread that is started after."""
    run = threading.Thread.run

    def run_within(thread: threading.Thread) -> None:
        with make_mode():
            run(thread)

    threading.Thread.run = run_within  # type: ignore[method-assign, assignment]
    make_mode().__enter__()
