"""Lowers a PrimFunc for one target and reads the launch configuration off the result."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import tilelang
from tilelang import tvm
from tilelang.backend.target import determine_target

from workbench.core.targets.model import Target
from workbench.engine.kernels import BuiltKernel

_AXES = "xyz"


@dataclass(frozen=True)
class DeviceKernel:
    """One kernel of the device module; `grid` and `block` are extents along x, y, z.

    An extent that depends on a dynamic shape is None. Bytes are a block's.
    """

    name: str
    grid: tuple[int | None, ...]
    block: tuple[int | None, ...]
    shared_dynamic_bytes: int | None


@dataclass(frozen=True)
class Lowered:
    """What TileLang made of a PrimFunc: IR as text, generated source, and its kernels."""

    tile_ir: str
    device_ir: str
    host_ir: str
    source: str
    kernels: tuple[DeviceKernel, ...]


def tvm_target(target: Target) -> Any:
    """The tvm Target that a target of the table lowers with; raises ValueError."""
    return determine_target(target.lowering, return_object=True)


def lower(
    built: BuiltKernel, target: Any, make_instruments: Callable[[], Sequence[Any]] = tuple
) -> Lowered:
    """Lower for a tvm Target under the kernel's own pass configuration.

    `make_instruments` gives what watches the passes. Raises what TileLang raises; `engine.faults`
    reads it.
    """
    return describe(built, lower_modules(built, target, make_instruments))


def lower_modules(
    built: BuiltKernel, target: Any, make_instruments: Callable[[], Sequence[Any]] = tuple
) -> Any:
    """TileLang's artifact: `device_mod`, `host_mod` and `kernel_source`; else as `lower`."""
    config, instruments = pass_config(built), list(make_instruments())
    context = tvm.transform.PassContext(opt_level=3, config=config, instruments=instruments)
    with context, target:
        return tilelang.lower(built.func, target=target)


def describe(built: BuiltKernel, artifact: Any) -> Lowered:
    """The artifact of `lower_modules` as text and numbers."""
    kernels = [device_kernel(f) for f in artifact.device_mod.functions.values()]
    return Lowered(
        built.func.script(),
        artifact.device_mod.script(),
        artifact.host_mod.script() if artifact.host_mod is not None else "",
        artifact.kernel_source,
        tuple(kernels),
    )


def pass_config(built: BuiltKernel) -> dict[str, Any]:
    """The decorator's pass configuration with the names that a PassContext takes."""
    from tilelang.jit.kernel import normalize_pass_configs

    config: Mapping[str, Any] | None = normalize_pass_configs(dict(built.pass_configs))
    return dict(config or {})


def device_kernel(func: Any) -> DeviceKernel:
    """The launch of a device function."""
    extents = dict(func.attrs["thread_extent"]) if "thread_extent" in func.attrs else {}
    shared = func.attrs.get("dyn_shared_memory_buf", 0)
    return DeviceKernel(
        str(func.attrs["global_symbol"]),
        tuple(_extent(extents.get(f"blockIdx.{axis}", 1)) for axis in _AXES),
        tuple(_extent(extents.get(f"threadIdx.{axis}", 1)) for axis in _AXES),
        _extent(shared),
    )


def _extent(value: Any) -> int | None:
    try:
        return int(value)
    except (TypeError, ValueError):
        return None  # a symbolic extent: known only when the kernel is launched
