"""Architectures, GPU models and targets as records that travel to workers as plain JSON."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.limits import Limits


class Vendor(enum.Enum):
    """Whose code generator a target needs; HOST is the machine's own processor."""

    NVIDIA = "nvidia"
    AMD = "amd"
    HUAWEI = "huawei"
    APPLE = "apple"
    HOST = "host"


class Feature(enum.Enum):
    """Instructions and formats by which kernels differ between architectures."""

    MMA = "mma"  # tensor instructions of one warp
    WGMMA = "wgmma"
    TCGEN05 = "tcgen05"
    LDMATRIX = "ldmatrix"
    STMATRIX = "stmatrix"
    CP_ASYNC = "cp-async"
    MBARRIER = "mbarrier"
    TMA = "tma"
    CLUSTERS = "clusters"
    SETMAXNREG = "setmaxnreg"
    PROGRAMMATIC_LAUNCH = "programmatic-launch"
    MFMA = "mfma"
    GLOBAL_TO_LDS = "global-to-lds"  # 4 bytes a lane
    GLOBAL_TO_LDS_128 = "global-to-lds-128"  # 16 bytes a lane
    CUBE = "cube"
    SIMDGROUP_MATRIX = "simdgroup-matrix"
    # Formats that the tensor unit multiplies, beyond float16.
    BF16 = "bf16"
    TF32 = "tf32"
    FP64_TENSOR = "fp64-tensor"
    INT8_TENSOR = "int8-tensor"
    INT4_TENSOR = "int4-tensor"
    FP8_E4M3FN = "fp8-e4m3fn"  # the OCP formats e4m3fn and e5m2
    FP8_E4M3FNUZ = "fp8-e4m3fnuz"  # e4m3fnuz and e5m2fnuz: no negative zero, another bias
    FP6 = "fp6"
    FP4 = "fp4"


@dataclass(frozen=True)
class Number:
    """A value of the table and where it is from."""

    value: int | float | tuple[int, ...]
    source: str


@dataclass(frozen=True)
class Architecture:
    """What the code generators distinguish; `limits` and `features` hold for all its GPUs.

    `sources` maps the name of each limit, and `features.<feature>`, to its citation.
    """

    name: str
    title: str
    vendor: Vendor
    order: int  # rises with the generation, among one vendor's
    lowering: dict[str, Any] | str = field(hash=False)  # TileLang's target
    dialect: str  # the module that a kernel imports as T
    code_arch: str | None  # the assembler's name, where we assemble
    portable_code_arch: str | None  # the same without the generation's own instructions
    forward_compatible: bool  # code lowered for it can be assembled for newer ones
    last_toolkit: str | None  # the last CUDA release that assembles for it; None: current ones do
    features: tuple[Feature, ...]
    limits: Limits
    aliases: dict[str, str] = field(hash=False)  # other name: what to tell whoever uses it, or ""
    notes: tuple[str, ...]
    sources: dict[str, str] = field(hash=False)

    def has(self, feature: Feature) -> bool:
        """Whether the architecture has the instruction or format."""
        return feature in self.features

    def number(self, name: str) -> Number | None:
        """A limit with its source; None where it is unknown."""
        value = getattr(self.limits, name)
        return None if value is None else Number(value, self.sources[name])


@dataclass(frozen=True)
class GpuModel:
    """One product. Sizes are bytes, bandwidth GB/s (10⁹), clocks MHz; None is unknown.

    Peaks are dense TFLOP/s (TOP/s for integers) by operand format: "float16", "float8" (any of
    its kinds), "tfloat32", "int8" and so on. They accumulate in float32 or int32; a key such as
    "float16->float16" gives the rate with the other accumulator where it differs. `sources` maps
    the field's name, for peaks `tensor_tflops.<key>` or `vector_tflops.<key>`, to its citation.
    `memory_bytes` is the capacity by the vendor's name for it, read as GiB; a driver shows less.
    """

    name: str
    title: str
    arch: str
    aliases: dict[str, str] = field(hash=False)
    notes: tuple[str, ...]
    sources: dict[str, str] = field(hash=False)
    sm_count: int | None = None
    base_clock_mhz: float | None = None
    boost_clock_mhz: float | None = None
    memory_bytes: int | None = None
    bandwidth_gb_s: float | None = None
    l2_bytes: int | None = None
    l3_bytes: int | None = None  # AMD's Infinity Cache
    tensor_tflops: dict[str, float] = field(default_factory=dict, hash=False)
    vector_tflops: dict[str, float] = field(default_factory=dict, hash=False)

    def number(self, name: str) -> Number | None:
        """A number with its source, by the keys of `sources`; None where it is unknown."""
        source = self.sources.get(name)
        if source is None:
            return None
        table, _, key = name.rpartition(".")
        return Number(getattr(self, table)[key] if table else getattr(self, name), source)

    def tensor_peak_tflops(self, operand: str, accumulator: str | None = None) -> float | None:
        """Dense peak of the tensor unit for TileLang's dtype names; None where unknown."""
        key = _format(operand)
        default = self.tensor_tflops.get(key)
        return self.tensor_tflops.get(f"{key}->{accumulator}", default)

    def vector_peak_tflops(self, dtype: str) -> float | None:
        """Peak of the vector units for TileLang's dtype names; None where unknown."""
        return self.vector_tflops.get(_format(dtype))


@dataclass(frozen=True)
class Target:
    """What one compile or analysis is for.

    `arch` and `model` are the device's, so its limits apply; `lowering` is what TileLang gets
    and `lowering_arch` the name of that architecture, which differs from `arch.name` in
    "h200:sm_80"; `code_arch` is for the assembler. `sm_counts` are the multiprocessors by the title
    of a model: the target's own, else those of all models of the architecture that are known.
    """

    name: str
    title: str
    arch: Architecture
    model: GpuModel | None
    lowering_arch: str
    lowering: dict[str, Any] | str = field(hash=False)
    code_arch: str | None
    dialect: str
    notes: tuple[str, ...] = ()
    sm_counts: dict[str, int] = field(default_factory=dict, hash=False)

    def to_json(self) -> dict[str, Any]:
        """Plain JSON, complete: a worker needs no table."""
        plain = to_plain(self)
        assert isinstance(plain, dict)
        return plain

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Target:
        """The inverse of `to_json`; fields of a newer writer are left out.

        Raises PlainError where a field is missing or has another form.
        """
        return from_plain(cls, data)


def _format(dtype: str) -> str:
    """The key of a peak: kinds of one width run at one rate, and signs do not matter."""
    for prefix in ("float8", "float6", "float4"):
        if dtype.startswith(prefix):
            return prefix
    return dtype.removeprefix("u") if dtype.startswith("uint") else dtype
