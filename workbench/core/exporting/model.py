"""The request to export a kernel, and the launch as read off its lowered host code.

Sizes that depend on dynamic dimensions are expressions in Python's syntax: names of `Dimension`s,
integers, + - * // % comparisons, `min`, `max`, and `a if c else b`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure, KernelChoice, Resources, Source

Size = int | str
TILED, IM2COL = "tiled", "im2col"


@dataclass(frozen=True)
class ExportRequest:
    """Make everything that an export holds of one kernel for one target.

    `reference` names a function of the document, None where it has none.
    """

    source: Source
    kernel: KernelChoice
    target: Mapping[str, Any]
    reference: str | None = None


@dataclass(frozen=True)
class ParameterRecord:
    """One parameter of the kernel as its document declares it; a scalar has no shape.

    `torch_dtype` is None where torch has no such type. `reads` and `writes` are what the kernel
    does with a tensor.
    """

    name: str
    dtype: str
    torch_dtype: str | None
    shape: tuple[Size, ...]
    is_tensor: bool
    reads: bool
    writes: bool


@dataclass(frozen=True)
class Dimension:
    """A name in expressions: the extent or the stride, in elements, of a tensor along an axis."""

    name: str
    dtype: str
    parameter: str
    axis: int
    of: str = "shape"


@dataclass(frozen=True)
class LaunchArgument:
    """One parameter of a device function, in order.

    `kind` "pointer": the address of the tensor `parameter`. "tensor_map": the map `tensor_map`, by
    value. "scalar": a number of `dtype`, which is `value`, an expression that may also name scalar
    parameters of the kernel.
    """

    name: str
    kind: str
    dtype: str | None = None
    parameter: str | None = None
    tensor_map: str | None = None
    value: Size | float | None = None


@dataclass(frozen=True)
class TensorMapRecord:
    """The arguments of cuTensorMapEncodeTiled or, for `mode` "im2col", cuTensorMapEncodeIm2col.

    Innermost dimension first. `global_strides` are bytes, of all dimensions but the first. Numbers
    of enumerations are those of cuda.h. `box` is a tiled map's; corners, channels and pixels are
    an im2col map's.
    """

    name: str
    mode: str
    parameter: str
    data_type: int
    rank: int
    global_dims: tuple[Size, ...]
    global_strides: tuple[Size, ...]
    element_strides: tuple[Size, ...]
    interleave: int
    swizzle: int
    l2_promotion: int
    oob_fill: int
    box: tuple[Size, ...] | None = None
    lower_corner: tuple[Size, ...] | None = None
    upper_corner: tuple[Size, ...] | None = None
    channels_per_pixel: Size | None = None
    pixels_per_column: Size | None = None


@dataclass(frozen=True)
class KernelLaunch:
    """One launch of a device function; the host makes them in the order of the list.

    `grid` and `block` are extents along x, y, z; None where the host calls a function instead, as
    on a CPU. `cluster` is None without clusters. `dependent` allows the launch to begin before the
    one before it has ended, as the kernel itself waits for that.
    """

    entry: str
    arguments: tuple[LaunchArgument, ...]
    grid: tuple[Size, ...] | None = None
    block: tuple[Size, ...] | None = None
    shared_dynamic_bytes: Size = 0
    cluster: tuple[Size, ...] | None = None
    cooperative: bool = False
    dependent: bool = False


@dataclass(frozen=True)
class L2Window:
    """A part of a tensor that the host asks to keep in L2 while the kernel runs: a hint."""

    parameter: str
    num_bytes: Size
    hit_ratio: float


@dataclass(frozen=True)
class LaunchDescription:
    """Everything that the host code does before and at the launches."""

    launches: tuple[KernelLaunch, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    tensor_maps: tuple[TensorMapRecord, ...] = ()
    l2_windows: tuple[L2Window, ...] = ()


@dataclass(frozen=True)
class ExportResult:
    """The outcome of an ExportRequest.

    `outputs` are the positions of the parameters that `out_idx` declares, None where it does not.
    `texts` has "source", "ptx" and "sass"; `cubin_blob` numbers the blob of the machine code.
    `modules` are the files that the document imports from beside it, by relative path. `missing`
    says of each thing that could not be made why.
    """

    failure: Failure | None
    parameters: tuple[ParameterRecord, ...] = ()
    outputs: tuple[int, ...] | None = None
    launch: LaunchDescription | None = None
    texts: Mapping[str, str] = field(default_factory=dict)
    cubin_blob: int | None = None
    resources: Resources | None = None
    compiler: tuple[str, ...] = ()
    modules: Mapping[str, str] = field(default_factory=dict)
    missing: Mapping[str, str] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    seconds: Mapping[str, float] = field(default_factory=dict)
    versions: Mapping[str, str] = field(default_factory=dict)
