"""The number formats of patterns: what people call them, their size, and who multiplies them."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.patterns.model import Option
from workbench.core.targets.model import Feature, Target, Vendor


@dataclass(frozen=True)
class Dtype:
    """A format: its name in fields, bits, the names that people use, and PyTorch's name.

    `feature` is what a target's tensor unit needs for it beyond float16, None where nothing.
    `accumulator` is what products of it are summed in.

    """

    name: str
    title: str
    bits: int
    words: tuple[str, ...]
    feature: Feature | None = None
    accumulator: str = "float32"

    @property
    def bytes(self) -> int:
        """Whole bytes of one value."""
        return self.bits // 8


DTYPES = {
    d.name: d
    for d in (
        Dtype("float16", "fp16", 16, ("fp16", "float16", "half", "f16", "half-precision")),
        Dtype("bfloat16", "bf16", 16, ("bf16", "bfloat16"), Feature.BF16),
        Dtype("float32", "fp32", 32, ("fp32", "float32", "tf32", "single-precision", "f32")),
        Dtype("int8", "int8", 8, ("int8", "i8", "s8"), Feature.INT8_TENSOR, "int32"),
        Dtype("int32", "int32", 32, ("int32", "i32"), None, "int32"),
        Dtype("float8_e4m3", "fp8 e4m3", 8, ("fp8", "float8", "e4m3", "float8_e4m3", "f8")),
        Dtype("float8_e5m2", "fp8 e5m2", 8, ("e5m2", "float8_e5m2")),
    )
}
_OCP = {"float8_e4m3": "float8_e4m3fn", "float8_e5m2": "float8_e5m2"}
_FNUZ = {"float8_e4m3": "float8_e4m3fnuz", "float8_e5m2": "float8_e5m2fnuz"}


def dtype_options(*names: str) -> tuple[Option, ...]:
    """Options for a field that offers these formats."""
    return tuple(Option(name, DTYPES[name].title) for name in names)


def is_fp8(name: str) -> bool:
    """Whether a field's format is one of eight bits with a floating point."""
    return name in _OCP


def concrete(name: str, target: Target) -> str:
    """TileLang's name of a format on a target: fp8 differs between vendors and generations."""
    if not is_fp8(name):
        return name
    names = _FNUZ if target.arch.has(Feature.FP8_E4M3FNUZ) else _OCP
    return names[name]


def multiplied_by(name: str, target: Target) -> bool:
    """Whether the target's matrix unit takes the format; a CPU takes any."""
    if target.arch.vendor is Vendor.HOST:
        return True
    if is_fp8(name):
        return target.arch.has(Feature.FP8_E4M3FN) or target.arch.has(Feature.FP8_E4M3FNUZ)
    if name == "float32" and target.arch.vendor is Vendor.NVIDIA:
        return target.arch.has(Feature.TF32)
    feature = DTYPES[name].feature
    return feature is None or target.arch.has(feature)


def by_word(word: str) -> str | None:
    """The field's name of a format by what people call it; None for any other word."""
    folded = word.casefold()
    return next((name for name, d in DTYPES.items() if folded in d.words), None)
