"""Loads and stores of 32 to 256 bits at once, whatever the type of the memory."""

from __future__ import annotations

import itertools
from typing import Any

from workbench.engine.simulator.dtypes import bit_width
from workbench.engine.simulator.emitter import Value
from workbench.engine.simulator.memory import pointee, shifted
from workbench.engine.simulator.registry import call, operation
from workbench.engine.simulator.tir import call_name, tirx
from workbench.engine.simulator.translator import Translator
from workbench.engine.simulator.vectors import WIDE_LOADS, elements, named

_WORD = 32
_LOADS = [f"tl.{space}{bits}" for space, bits in itertools.product(("ldg", "lds"), (32, 64, 128))]
_LOADS.append("tl.ldg256")
_STORES = [name.replace(".ld", ".st") for name in _LOADS]


def _loaded_word(t: Translator, node: Any, at: int) -> Any:
    """The arguments are a pointer and, where not all threads load, a condition."""
    first = pointee(t, node.args[0])
    dtype = str(first.buffer.dtype)
    width = bit_width(dtype)
    start, count = at * _WORD // width, max(1, _WORD // width)
    loads = [shifted(first, start + offset) for offset in range(count)]
    if len(node.args) > 1:
        zero = tirx.const(0, dtype)
        loads = [tirx.Select(node.args[1], load, zero) for load in loads]
    codes = ", ".join(t.expression(load).code for load in loads)
    position = at % (width // _WORD) if width > _WORD else 0
    code = f"bits_of(({codes},), {t.dtype(dtype)}, {t.dtype('uint32')}, {position})"
    return named(t, Value(code, "uint32", t.rank))


WIDE_LOADS.update(dict.fromkeys(_LOADS, _loaded_word))


@call("tl.ldg32", "tl.lds32")
def _load_word(t: Translator, node: Any) -> Value:
    return t.expression(_loaded_word(t, node, 0))


@operation(*_STORES)
def _store_words(t: Translator, node: Any) -> None:
    """The arguments are a pointer, the words and, where not all threads store, a condition."""
    first = pointee(t, node.args[0])
    dtype, bits = str(first.buffer.dtype), int(call_name(node)[len("tl.stg") :])
    words = [t.emitter.assign(each.code, "word") for each in elements(t, node.args[1], bits // 32)]
    given = f"({', '.join(words)},), {t.dtype('uint32')}, {t.dtype(dtype)}"
    stores = [
        tirx.BufferStore(
            first.buffer,
            named(t, Value(f"bits_of({given}, {at})", dtype, t.rank)),
            shifted(first, at).indices,
        )
        for at in range(bits // bit_width(dtype))
    ]
    body = stores[0] if len(stores) == 1 else tirx.SeqStmt(stores)
    t.statement(tirx.IfThenElse(node.args[2], body, None) if len(node.args) > 2 else body)
