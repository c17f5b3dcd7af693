"""What patterns over the rows of a matrix share: a row of a block's in registers, and how long."""

from __future__ import annotations

from workbench.core.figures import size
from workbench.core.patterns.common import (
    ASCEND,
    block_field,
    ceildiv,
    dtype_field,
    element_bytes,
    is_gpu,
    registers_rule,
    size_field,
    threads_field,
)
from workbench.core.patterns.model import Advice, Field, Rule, Values
from workbench.core.targets.model import Target

VECTOR_BYTES = 16
MOST_KEPT = 64
_THREADS = (128, 256, 512, 1024)


def row_fields(default_block_n: int = 8192) -> tuple[Field, ...]:
    """Rows, columns and format, then a block's tile and threads."""
    return (
        size_field("M", "Rows", "Rows of the matrix.", 16384, r"rows"),
        size_field("N", "Columns", "Length of a row.", 8192, r"columns", r"hidden(?: size)?"),
        dtype_field("float16", "float16", "bfloat16", "float32"),
        block_field("block_M", "Block M", "Rows that a block works on.", 1, (1, 2, 4, 8), 1, 256),
        block_field(
            "block_N",
            "Block N",
            "Columns that a block holds at once; N or more is a whole row.",
            default_block_n,
            (1024, 2048, 4096, 8192),
            64,
            65536,
        ),
        threads_field(256),
    )


def power_up(number: int) -> int:
    """The power of two that is not below a number."""
    return 1 << max(0, number - 1).bit_length()


def kept(values: Values, target: Target) -> int:
    """Registers of a thread that hold its part of the tile in fp32."""
    return int(ceildiv(values["block_M"] * values["block_N"], values["threads"]))


def kept_rule() -> Rule:
    """The tile fits the registers of a block."""
    return registers_rule(kept, "threads", "block_N", "block_M")


def whole_row_rule() -> Rule:
    """A pattern that keeps whole rows has a tile as long as a row."""

    def broken(values: Values, target: Target) -> str | None:
        if not is_gpu(target) or values["block_N"] >= values["N"]:
            return None
        return f"Rows of {values['N']} are longer than block_N = {values['block_N']}."

    return Rule("whole-rows", "Whole rows", ("block_N",), broken)


def vector_rule() -> Rule:
    """Rows begin where 16 bytes can be read at once."""

    def broken(values: Values, target: Target) -> str | None:
        row = values["N"] * element_bytes(values["dtype"])
        if not is_gpu(target) or row % VECTOR_BYTES == 0:
            return None
        return (
            f"A row has {row} bytes, no multiple of {VECTOR_BYTES}: rows begin anywhere, so that "
            f"no thread can read {VECTOR_BYTES} bytes at once."
        )

    return Rule("rows-not-vectors", "Alignment", ("N",), broken, advisory=True)


def ascend_rows_rule(bytes_an_element: int) -> Rule:
    """Whole rows fit the unified buffer, and all blocks have as many."""

    def broken(values: Values, target: Target) -> str | None:
        if target.dialect != ASCEND:
            return None
        if values["M"] % values["block_M"]:
            return f"M = {values['M']} is no multiple of block_M = {values['block_M']}."
        each = bytes_an_element + element_bytes(values["dtype"])
        needed = values["block_M"] * values["N"] * each
        limit = target.arch.limits.unified_buffer_bytes
        if limit is None or needed <= limit:
            return None
        return f"Its rows need {size(needed)} of the unified buffer, which has {size(limit)}."

    return Rule("unified-buffer", "Unified buffer", ("block_M", "N"), broken)


def threads_for(elements: int, most: int = MOST_KEPT) -> int:
    """The fewest threads that keep no more than so many values each, as far as a block goes."""
    fitting = (threads for threads in _THREADS if ceildiv(elements, threads) <= most)
    return next(fitting, _THREADS[-1])


def row_advice(values: Values, longest: int = 65536, most: int = MOST_KEPT) -> dict[str, Advice]:
    """A whole row in registers where it fits `longest` elements, else tiles of 4096.

    A thread keeps `most` values of it, or more where a block has no more threads.
    """
    n = values["N"]
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    block = max(64, power_up(n))
    if block > longest:
        return {
            "block_N": Advice(4096, f"A row of {n} does not fit registers: it comes in tiles."),
            "block_M": Advice(1, "One row keeps all threads of a block busy."),
            "threads": Advice(256, "16 values a thread: two accesses of 16 bytes."),
        }
    threads = threads_for(block, most)
    rows = max(1, min(power_up(values["M"]), threads * vector // block))
    several = f"{rows} short rows together give each thread an access of 16 bytes."
    one = "One row keeps all threads of a block busy."
    return {
        "block_N": Advice(block, "The whole row, so that it is read once."),
        "block_M": Advice(rows, several if rows > 1 else one),
        "threads": Advice(threads, f"{ceildiv(block * rows, threads)} values of a row a thread."),
    }


def tail_sizes(values: Values) -> tuple[int, int]:
    """Rows and columns of a small problem in which the last of both is partial."""
    vector = VECTOR_BYTES // element_bytes(values["dtype"])
    return 2 * values["block_M"] + 1, max(vector, values["block_N"] - 3 * vector)
