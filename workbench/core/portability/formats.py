"""Which element types a target's hardware has, which it emulates, and which do not exist there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.core.diagnostics import Severity
from workbench.core.doctor.checks.support import FORMATS
from workbench.core.portability.model import CellState
from workbench.core.targets.model import Feature, Target, Vendor

_MSL = "Apple, Metal Shading Language Specification, Scalar Data Types"
_CDNA3 = "AMD, Instinct MI300 Instruction Set Architecture (CDNA 3), data formats"
_PTX = "NVIDIA, PTX ISA 9.0, cvt and mma, target notes"
_EVERYWHERE = frozenset(
    {
        *("float16", "float32", "bool"),
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    }
)
_OCP = ("float8_e4m3fn", "float8_e5m2")
_FNUZ = ("float8_e4m3fnuz", "float8_e5m2fnuz")
_STATES = {Severity.ERROR: CellState.BAD, Severity.WARNING: CellState.CAUTION}


@dataclass(frozen=True)
class Support:
    """How a target takes a type: `text` for a cell, `clause` after "on <target>"."""

    state: CellState
    text: str
    clause: str
    source: str | None = None


def support_of(dtype: str, multiplied: bool, target: Target) -> Support:
    """How a target takes a type, `multiplied` where it is an operand of a matrix product."""
    return _BY_VENDOR[target.arch.vendor](dtype, multiplied, target)


def _on_gpu(dtype: str, multiplied: bool, target: Target) -> Support:
    """NVIDIA and AMD, whose records name every format of the matrix units."""
    feature, severity = FORMATS.get(dtype, (None, None))
    if feature is None or severity is None:
        return _native(dtype)
    if target.arch.has(feature):
        return _native(dtype, target.arch.sources.get(f"features.{feature.value}"))
    foreign = _foreign_float8(dtype, multiplied, target)
    if foreign is not None:
        return foreign
    if dtype in ("int8", "int4") and not multiplied:
        return _native(dtype)
    state = _STATES[severity] if multiplied else CellState.CAUTION
    how = "no matrix instruction multiplies" if multiplied else "software converts"
    clause = f"{how} {dtype}"
    return Support(state, f"{short(dtype)} {'absent' if state is CellState.BAD else 'emulated'}",
                   clause, _source(target))  # fmt: skip


def _foreign_float8(dtype: str, multiplied: bool, target: Target) -> Support | None:
    """8-bit floats of the other family: the same bits are other numbers.

    The OCP formats have an exponent bias of 7 (e4m3) and 15 (e5m2), the fnuz ones of 8 and 16 and
    no negative zero: bits of one read as the other are half or twice the number.
    """
    has_ocp, has_fnuz = (
        target.arch.has(feature) for feature in (Feature.FP8_E4M3FN, Feature.FP8_E4M3FNUZ)
    )
    pairs = ((dtype in _OCP and has_fnuz, "fnuz"), (dtype in _FNUZ and has_ocp, "OCP"))
    for applies, other in pairs:
        if applies:
            unit = f"the matrix unit reads {dtype} as the {other} format, at another scale"
            clause = unit if multiplied else f"software converts {dtype}: the hardware has {other}"
            state = CellState.BAD if multiplied else CellState.CAUTION
            return Support(state, f"{other}, not {_family(dtype)}", clause, _CDNA3)
    return None


def _on_metal(dtype: str, multiplied: bool, target: Target) -> Support:
    if dtype == "bfloat16":
        clause = "bfloat needs Metal 3.1 (macOS 14)"
        return Support(CellState.CAUTION, "bf16 from Metal 3.1", clause, _MSL)
    if dtype in _EVERYWHERE:
        return _native(dtype, _MSL)
    return Support(CellState.BAD, f"{short(dtype)} absent", f"there is no {dtype} in Metal", _MSL)


def _on_others(dtype: str, multiplied: bool, target: Target) -> Support:
    """Ascend and CPUs, whose records do not name every format."""
    known = {"bfloat16": Feature.BF16}
    feature = known.get(dtype)
    if dtype in _EVERYWHERE or (feature is not None and target.arch.has(feature)):
        return _native(dtype)
    clause = f"it is not known how {target.arch.title} takes {dtype}"
    return Support(CellState.UNKNOWN, f"{short(dtype)} unknown", clause)


def _native(dtype: str, source: str | None = None) -> Support:
    return Support(CellState.GOOD, "native", f"{dtype} is the hardware's own", source)


def _source(target: Target) -> str | None:
    """The citation of the features that the record has, which lack this one."""
    cited = (s for name, s in target.arch.sources.items() if name.startswith("features."))
    return next(cited, _PTX if target.arch.vendor is Vendor.NVIDIA else None)


def _family(dtype: str) -> str:
    return "fnuz" if dtype in _FNUZ else "OCP"


def short(dtype: str) -> str:
    """A type's name for a cell: `bf16`, `fp8`, `fp64`."""
    if dtype.startswith("float8"):
        return "fp8"
    for long, brief in (("bfloat", "bf"), ("float", "fp")):
        if dtype.startswith(long):
            return brief + dtype.removeprefix(long).split("_")[0]
    return dtype


_BY_VENDOR: dict[Vendor, Callable[[str, bool, Target], Support]] = {
    Vendor.NVIDIA: _on_gpu,
    Vendor.AMD: _on_gpu,
    Vendor.APPLE: _on_metal,
    Vendor.HUAWEI: _on_others,
    Vendor.HOST: _on_others,
}
