"""The values that a kernel's source is evaluated to: constants, symbolic integers and buffers."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import prod
from typing import Any


class Scope(enum.Enum):
    """Where a buffer lies."""

    GLOBAL = "global"
    SHARED = "shared"
    FRAGMENT = "fragment"
    LOCAL = "local"
    TENSOR = "tensor memory"
    BARRIER = "barrier"
    # The buffers of an Ascend cube core; its unified buffer is SHARED.
    L1 = "L1"
    L0A = "L0A"
    L0B = "L0B"
    L0C = "L0C"


@dataclass(frozen=True)
class Form:
    """An integer that the source does not fix: a sum of atoms with factors, and a constant.

    Equal forms are equal integers. `variables` are the loop variables that it depends on.
    """

    terms: tuple[tuple[str, int], ...]
    constant: int = 0
    variables: frozenset[str] = frozenset()

    @classmethod
    def atom(cls, text: str, variables: frozenset[str] = frozenset()) -> Form:
        """The form of one unknown."""
        return cls(((text, 1),), 0, variables)

    def __str__(self) -> str:
        parts = [f"{factor}*{atom}" for atom, factor in self.terms]
        return "+".join([*parts, str(self.constant)])


@dataclass(frozen=True, eq=False)
class Buffer:
    """A tensor parameter or an allocation; sizes are numbers where the source fixes them.

    `shape_texts` is the shape as it is written, which tells dimensions of one size apart.
    """

    name: str
    scope: Scope
    shape: tuple[Any, ...]
    shape_texts: tuple[str, ...]
    dtype: str | None
    node: ast.AST
    shape_node: ast.expr | None = None
    dtype_node: ast.expr | None = None

    @property
    def sizes(self) -> tuple[int, ...] | None:
        """The extents, None where one is not fixed."""
        return self.shape if all(type(n) is int for n in self.shape) else None


@dataclass(frozen=True)
class Region:
    """A part of a buffer, as `A[i, 0:64]`: an index is a value, or None for a slice."""

    buffer: Buffer
    indices: tuple[Any, ...]
    extents: tuple[Any, ...] = ()
    """The extent of each dimension of a slice, 1 for an index."""
    starts: tuple[Any, ...] = ()
    """Where it begins in each dimension."""


@dataclass(frozen=True, eq=False)
class Function:
    """A function of the document with the names around its definition."""

    node: ast.FunctionDef | ast.Lambda
    scope: Mapping[str, Any] = field(repr=False)
    is_macro: bool = False


@dataclass(frozen=True, eq=False)
class Record:
    """A class or an object of the document, by the attributes that the source tells."""

    fields: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, eq=False)
class TensorType:
    """A tensor's annotation that has a name, with the names around it."""

    node: ast.expr
    scope: Mapping[str, Any] = field(repr=False)


@dataclass(frozen=True, eq=False)
class Layout:
    """`T.Layout(shape, map)` or `T.Fragment(shape, forward_fn=map)`."""

    shape: tuple[Any, ...]
    function: Function
    node: ast.Call


_BITS = re.compile(r"^(?:float|bfloat|int|uint|tfloat)(\d+)")
_NAMES = (
    "float64 float32 float16 bfloat16 tfloat32 float8_e4m3fn float8_e5m2 float8_e4m3fnuz "
    "float8_e5m2fnuz float8_e8m0fnu float6_e2m3fn float6_e3m2fn float4_e2m1fn int64 int32 int16 "
    "int8 int4 uint64 uint32 uint16 uint8 uint4 bool"
)
DTYPES = frozenset(_NAMES.split())
"""The element types that rules know, by TileLang's names."""
_SHORT = {
    "float": "float32",
    "half": "float16",
    "double": "float64",
    "e4m3_float8": "float8_e4m3fn",
    "float8_e4m3": "float8_e4m3fn",
    "fp16": "float16",
    "bf16": "bfloat16",
    "fp32": "float32",
}


def dtype_named(value: object) -> str | None:
    """TileLang's name of a dtype, None where it is none."""
    name = _SHORT.get(value, value) if isinstance(value, str) else None
    return name if name in DTYPES else None


def bits_of(dtype: str | None) -> int | None:
    """The bits of one element."""
    if dtype == "bool":
        return 8
    match = _BITS.match(dtype or "")
    return int(match.group(1)) if match else None


def size_bytes(buffer: Buffer) -> int | None:
    """The bytes of the elements once; None where shape or dtype is not known."""
    bits = bits_of(buffer.dtype)
    if bits is None or buffer.sizes is None:
        return None
    return -(-prod(buffer.sizes) * bits // 8)


def is_size(value: object) -> bool:
    """Whether a value is a number of things, known from the source."""
    return type(value) is int


def buffer_of(value: object) -> Buffer | None:
    """The buffer that a value is, or is a part of."""
    if isinstance(value, Region):
        return value.buffer
    return value if isinstance(value, Buffer) else None
