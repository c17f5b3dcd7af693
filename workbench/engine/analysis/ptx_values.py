"""What PTX's integer instructions compute, on numbers and on arrays of one number a thread.

Values of up to 32 bits are kept unsigned, those of 64 bits signed, as numpy holds them.
Source: NVIDIA, PTX ISA 9.0, Integer, Logic and Shift, Comparison and Selection Instructions.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from workbench.engine.analysis.expressions import truncated_quotient

Value = Any  # an int, or an int64 array with one entry a thread
_TYPE = re.compile(r"(pred|[usbf]|bf|tf|e\dm\d)(\d*)(x\d)?$")
_MASK = [(1 << bits) - 1 for bits in range(65)]


def bits_of(kind: str) -> int:
    """Bits of a type's name: 32 for `u32`, 1 for `pred`."""
    match = _TYPE.match(kind)
    if match is None or match[1] == "pred":
        return 1 if kind == "pred" else 32
    return int(match[2] or 32) * int((match[3] or "x1")[1:])


def is_integer(kind: str) -> bool:
    """Whether values of the type can be followed."""
    return kind == "pred" or (kind[:1] in "usb" and kind[1:].isdigit() and bits_of(kind) <= 64)


def wrapped(value: Value, bits: int) -> Value:
    """The value as a register of so many bits keeps it."""
    if bits < 64:
        return value & _MASK[bits]
    if isinstance(value, int):
        value &= _MASK[64]
        return value - (1 << 64) if value >> 63 else value
    return value


def signed(value: Value, bits: int) -> Value:
    """The value of a register read as a signed number."""
    if bits == 64:
        return value
    sign = 1 << (bits - 1)
    return ((value & _MASK[bits]) ^ sign) - sign


def read_as(value: Value, kind: str) -> Value:
    """The value of a register as an operand of a type."""
    bits = bits_of(kind)
    return signed(value, bits) if kind[:1] == "s" else wrapped(value, bits)


def compute(op: tuple[str, ...], inputs: Sequence[Value]) -> Value | None:
    """What an instruction computes from its operands in order; None where that is not followed."""
    function = _FUNCTIONS.get(op[0])
    kind = op[-1]
    if function is None or not is_integer(kind):
        return None
    return function(op, kind, list(inputs))


def compare(op: tuple[str, ...], inputs: Sequence[Value]) -> Value | None:
    """The truth, 0 or 1, of a setp, with its third operand combined in where there is one."""
    kind = op[-1]
    test = _COMPARISONS.get(op[1])
    if test is None or not is_integer(kind):
        return None
    result = test(read_as(inputs[0], kind), read_as(inputs[1], kind)) + 0
    if len(inputs) > 2:
        combine = _COMBINED.get(op[2])
        result = combine(result, inputs[2]) if combine else None
    return result


def truth(value: Value) -> Value:
    """A predicate as bool or an array of bool."""
    return bool(value) if isinstance(value, int) else np.asarray(value) != 0


def _pick(condition: Value, then: Value, otherwise: Value) -> Value:
    if isinstance(condition, int):
        return then if condition else otherwise
    return np.where(np.asarray(condition) != 0, then, otherwise)


def _whole(function: Callable[..., Value]) -> Callable[..., Value]:
    """A function of operands read by the type, wrapped into it."""

    def computed(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
        return wrapped(function(*(read_as(each, kind) for each in inputs)), bits_of(kind))

    return computed


def _product(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    bits = bits_of(kind)
    product = read_as(inputs[0], kind) * read_as(inputs[1], kind)
    if "wide" in op:
        product, bits = wrapped(product, 2 * bits), 2 * bits
    elif "hi" in op:
        if bits == 64:
            return None
        product = wrapped(product >> bits, bits)
    if len(inputs) > 2:
        added = inputs[2]
        product = product + (read_as(added, kind) if bits <= 32 else added)
    return wrapped(product, bits)


def _shift_left(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
    bits = bits_of(kind)
    value, by = wrapped(inputs[0], bits), inputs[1]
    shifted = wrapped(
        value << np.minimum(by, 63) if not isinstance(by, int) else value << min(by, 63), bits
    )
    return _pick((by >= bits) + 0, 0, shifted)


def _shift_right(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
    bits = bits_of(kind)
    value, by = read_as(inputs[0], kind), inputs[1]
    by = min(by, 63) if isinstance(by, int) else np.minimum(by, 63)
    if bits == 64 and kind[0] != "s" and not isinstance(value, int):
        return (value.astype(np.uint64) >> np.asarray(by).astype(np.uint64)).astype(np.int64)
    if bits == 64 and kind[0] != "s":
        value &= _MASK[64]
    return wrapped(value >> by, bits)


def _convert(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    to = op[-2]
    if not is_integer(to):
        return None
    return wrapped(read_as(inputs[0], kind), bits_of(to))


def _extract(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    value, start, length = inputs
    if kind[0] == "s" and not (isinstance(start, int) and isinstance(length, int)):
        return None
    field = (wrapped(value, bits_of(kind)) >> start) & ((1 << length) - 1)
    if kind[0] == "s" and length:
        field = signed(field, length)
    return wrapped(field, bits_of(kind))


def _insert(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
    value, into, start, length = inputs
    mask = ((1 << length) - 1) << start
    return wrapped((into & ~mask) | ((value << start) & mask), bits_of(kind))


def _logic3(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    a, b, c, table = inputs
    if not isinstance(table, int):
        return None
    result: Value = 0
    for row in range(8):
        if table >> row & 1:
            result = result | (
                (a if row & 4 else ~a) & (b if row & 2 else ~b) & (c if row & 1 else ~c)
            )
    return wrapped(result, 32)


def _funnel(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    low, high, by = inputs
    if not isinstance(by, int):
        return None
    by = min(by, 32) if "clamp" in op else by & 31
    low, high = wrapped(low, 32), wrapped(high, 32)
    if "l" in op:
        return wrapped((high << by) | (low >> (32 - by)), 32)
    return wrapped((low >> by) | (high << (32 - by)), 32)


def _permute(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    low, high, selector = inputs
    if len(op) > 2 or not isinstance(selector, int):
        return None
    result: Value = 0
    for byte in range(4):
        chosen = selector >> (4 * byte) & 15
        source = high if chosen & 4 else low
        part = source >> (8 * (chosen & 3)) & 255
        if chosen & 8:
            part = (part >> 7) * 255
        result = result | part << (8 * byte)
    return result


def _counted(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    value = inputs[0]
    if not isinstance(value, int):
        return None
    return bin(value & _MASK[bits_of(kind)]).count("1")


def _leading(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value | None:
    value, bits = inputs[0], bits_of(kind)
    return bits - (value & _MASK[bits]).bit_length() if isinstance(value, int) else None


def _selected(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
    return _pick(inputs[2], inputs[0], inputs[1])


def _dot(op: tuple[str, ...], kind: str, inputs: list[Value]) -> Value:
    """dp4a: four bytes with four; dp2a: two halves with the two lower or higher bytes."""
    a, b, total = inputs
    parts = 4 if op[0] == "dp4a" else 2
    bits, first = 32 // parts, 2 if "hi" in op else 0
    for part in range(parts):
        x = a >> bits * part & (1 << bits) - 1
        y = b >> 8 * (first + part) & 255
        x = signed(x, bits) if op[-2][0] == "s" else x
        total = total + x * (signed(y, 8) if kind[0] == "s" else y)
    return wrapped(total, 32)


def _divided(a: Value, b: Value) -> Value:
    if isinstance(b, int):
        return truncated_quotient(a, b) if b else 0
    return truncated_quotient(a, np.where(b == 0, 1, b))


def _minimum(a: Value, b: Value) -> Value:
    return min(a, b) if isinstance(a, int) and isinstance(b, int) else np.minimum(a, b)


def _maximum(a: Value, b: Value) -> Value:
    return max(a, b) if isinstance(a, int) and isinstance(b, int) else np.maximum(a, b)


_FUNCTIONS: dict[str, Callable[..., Value | None]] = {
    "mov": lambda op, kind, inputs: inputs[0],
    "cvta": lambda op, kind, inputs: inputs[0],
    "mapa": lambda op, kind, inputs: inputs[0],
    "add": _whole(lambda a, b: a + b),
    "sub": _whole(lambda a, b: a - b),
    "mul": _product,
    "mul24": _product,
    "mad": _product,
    "mad24": _product,
    "and": _whole(lambda a, b: a & b),
    "or": _whole(lambda a, b: a | b),
    "xor": _whole(lambda a, b: a ^ b),
    "not": _whole(lambda a: ~a),
    "neg": _whole(lambda a: -a),
    "abs": _whole(lambda a: abs(a)),
    "min": _whole(_minimum),
    "max": _whole(_maximum),
    "div": _whole(_divided),
    "rem": _whole(lambda a, b: a - _divided(a, b) * b),
    "shl": _shift_left,
    "shr": _shift_right,
    "selp": _selected,
    "cvt": _convert,
    "bfe": _extract,
    "bfi": _insert,
    "lop3": _logic3,
    "shf": _funnel,
    "prmt": _permute,
    "dp2a": _dot,
    "dp4a": _dot,
    "popc": _counted,
    "clz": _leading,
}
_COMPARISONS: dict[str, Callable[[Value, Value], Value]] = {
    "eq": lambda a, b: a == b,
    "ne": lambda a, b: a != b,
    "lt": lambda a, b: a < b,
    "le": lambda a, b: a <= b,
    "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b,
    "lo": lambda a, b: a < b,
    "ls": lambda a, b: a <= b,
    "hi": lambda a, b: a > b,
    "hs": lambda a, b: a >= b,
}
_COMBINED: dict[str, Callable[[Value, Value], Value]] = {
    "and": lambda a, b: a & b,
    "or": lambda a, b: a | b,
    "xor": lambda a, b: a ^ b,
}
