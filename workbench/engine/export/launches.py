"""Describes the launches of a kernel, with the tensor maps that the host makes for them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.exporting.model import (
    IM2COL,
    TILED,
    KernelLaunch,
    L2Window,
    LaunchArgument,
    LaunchDescription,
    Size,
    TensorMapRecord,
)
from workbench.engine.export.expressions import UndescribedError, size_of, value_of
from workbench.engine.export.host_code import HostCall, HostCode

_MAP_MODES = {"__tvm_tensormap_create_tiled": TILED, "__tvm_tensormap_create_im2col": IM2COL}
_SET_WINDOW = "__tvm_cuda_stream_set_access_policy_window"
# What the host calls beside: the choice of the device, and the end of an L2 window.
_SILENT = frozenset({"__tvm_set_device", "__tvm_cuda_stream_reset_access_policy_window"})
_LAUNCH_PARAMS = "tirx.kernel_launch_params"
_DYNAMIC_SHARED = "tirx.use_dyn_shared_memory"
_CLUSTER = "tir.cluster_dim_"
_AXES = "xyz"


def describe_launches(artifact: Any, parameters: tuple[str, ...]) -> LaunchDescription:
    """The launches that the host code of a lowered kernel makes.

    `parameters` are the names of the kernel's, in order. Raises UndescribedError.
    """
    module = artifact.host_mod
    functions = list(module.functions.values()) if module is not None else []
    if len(functions) != 1:
        raise UndescribedError("TileLang made no host code for this target that launches it")
    return _Description(HostCode(functions[0], parameters), _device_functions(artifact)).read()


class _Description:
    """A description while the calls of the host are read."""

    def __init__(self, host: HostCode, device: Mapping[str, Any]) -> None:
        self._host = host
        self._device = device
        self._maps: dict[Any, TensorMapRecord] = {}
        self._launches: list[KernelLaunch] = []
        self._windows: list[L2Window] = []

    def read(self) -> LaunchDescription:
        """Read every call."""
        for call in self._host.calls():
            self._add(call)
        if not self._launches:
            raise UndescribedError("the host's code launches nothing")
        return LaunchDescription(
            tuple(self._launches),
            tuple(self._host.dimensions.values()),
            tuple(self._maps.values()),
            tuple(self._windows),
        )

    def _add(self, call: HostCall) -> None:
        if call.name in self._device:
            self._launches.append(self._launch(call, self._device[call.name]))
        elif call.name in _MAP_MODES:
            self._maps[call.args[0]] = self._map(call)
        elif call.name == _SET_WINDOW:
            address, size, ratio = call.args
            share = float(value_of(ratio, self._host.name_of))
            self._windows.append(L2Window(self._host.tensor(address), self._size(size), share))
        elif call.name not in _SILENT:
            raise UndescribedError(f"the host calls {call.name}, which launch.json cannot say")

    def _size(self, expression: Any) -> Size:
        return size_of(expression, self._host.name_of)

    def _launch(self, call: HostCall, func: Any) -> KernelLaunch:
        count = len(func.params)
        arguments = tuple(map(self._argument, func.params, call.args[:count]))
        if not call.packed:
            return KernelLaunch(call.name, arguments)
        tags = [str(tag) for tag in func.attrs[_LAUNCH_PARAMS]]
        given = {t: self._size(a) for t, a in zip(tags, call.args[count:], strict=True)}
        cluster = tuple(
            given[f"{_CLUSTER}{axis}"] for axis in _AXES if f"{_CLUSTER}{axis}" in given
        )
        return KernelLaunch(
            entry=call.name,
            arguments=arguments,
            grid=tuple(given.get(f"blockIdx.{axis}", 1) for axis in _AXES),
            block=tuple(given.get(f"threadIdx.{axis}", 1) for axis in _AXES),
            shared_dynamic_bytes=given.get(_DYNAMIC_SHARED, 0),
            cluster=cluster or None,
            cooperative=_has(func, "use_cooperative_groups"),
            dependent=_has(func, "has_cuda_pdl_sync"),
        )

    def _argument(self, parameter: Any, value: Any) -> LaunchArgument:
        name, dtype = str(parameter.name), str(parameter.dtype)
        if value in self._maps:
            return LaunchArgument(name, "tensor_map", tensor_map=self._maps[value].name)
        if dtype == "handle":
            return LaunchArgument(name, "pointer", parameter=self._host.tensor(value))
        number = value_of(value, self._host.name_of)
        return LaunchArgument(name, "scalar", dtype=dtype, value=number)

    def _map(self, call: HostCall) -> TensorMapRecord:
        variable, kind, dimensions, address, *rest = call.args
        rank, mode = int(dimensions), _MAP_MODES[call.name]
        sizes = [self._size(each) for each in rest]
        expected = 4 * rank + 4 if mode == TILED else 5 * rank + 2
        if len(sizes) != expected:
            raise UndescribedError(f"{call.name} has {len(sizes)} numbers for rank {rank}")
        interleave, swizzle, promotion, fill = map(int, sizes[-4:])
        return TensorMapRecord(
            name=self._map_name(str(variable.name)),
            mode=mode,
            parameter=self._host.tensor(address),
            data_type=int(kind),
            rank=rank,
            global_dims=tuple(sizes[:rank]),
            # The first is the size of an element, which the driver's function does not take.
            global_strides=tuple(sizes[rank + 1 : 2 * rank]),
            interleave=interleave,
            swizzle=swizzle,
            l2_promotion=promotion,
            oob_fill=fill,
            **(_tiled if mode == TILED else _im2col)(sizes, rank),
        )

    def _map_name(self, name: str) -> str:
        while any(each.name == name for each in self._maps.values()):
            name += "_"
        return name


def _tiled(sizes: list[Size], rank: int) -> dict[str, Any]:
    box, steps = sizes[2 * rank : 3 * rank], sizes[3 * rank : 4 * rank]
    return {"box": tuple(box), "element_strides": tuple(steps)}


def _im2col(sizes: list[Size], rank: int) -> dict[str, Any]:
    """As TileLang's runtime takes them apart (tilelang/src/cuda/runtime.cc, 0.1.15)."""
    corners = sizes[3 * rank : 5 * rank - 4]
    return {
        "element_strides": tuple(sizes[2 * rank : 3 * rank]),
        "lower_corner": tuple(corners[: rank - 2]),
        "upper_corner": tuple(corners[rank - 2 :]),
        "pixels_per_column": sizes[5 * rank - 4],
        "channels_per_pixel": sizes[5 * rank - 3],
    }


def _device_functions(artifact: Any) -> dict[str, Any]:
    functions = artifact.device_mod.functions.items()
    return {_symbol(variable, func): func for variable, func in functions}


def _symbol(variable: Any, func: Any) -> str:
    has_symbol = func.attrs and "global_symbol" in func.attrs
    return str(func.attrs["global_symbol"] if has_symbol else variable.name_hint)


def _has(func: Any, attribute: str) -> bool:
    return attribute in func.attrs and bool(int(func.attrs[attribute]))
