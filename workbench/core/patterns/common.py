"""Fields, rules and sentences that many patterns share."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from workbench.core.figures import size
from workbench.core.patterns.dtypes import DTYPES, dtype_options, multiplied_by
from workbench.core.patterns.model import Field, Kind, Option, Rule, Step, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor

GPU = "tilelang.language"
CPU = "tilelang.cpu.language"
ASCEND = "tilelang.ascend.language"

BytesOf = Callable[[Values, Target], int]


def numbers(*values: int) -> tuple[Option, ...]:
    """Options that are called by their number."""
    return tuple(Option(value, str(value)) for value in values)


def size_field(name: str, title: str, text: str, default: int, *words: str) -> Field:
    """One extent of the problem; a sentence calls it by its name or one of the words."""
    return Field(name, Kind.SIZE, Step.REQUIREMENTS, title, text, default, low=1, words=words)


def dtype_field(default: str, *names: str, name: str = "dtype", title: str = "Format") -> Field:
    """The format of the operands."""
    text = "The number format of the operands in memory."
    options = dtype_options(*names)
    return Field(name, Kind.DTYPE, Step.REQUIREMENTS, title, text, default, options)


def block_field(
    name: str, title: str, text: str, default: int, offered: Sequence[int], low: int, high: int
) -> Field:
    """An extent of a tile: a power of two."""
    options = numbers(*offered)
    return Field(
        name, Kind.INTEGER, Step.TILES, title, text, default, options, "elements", low, high,
        power_of_two=True,
    )  # fmt: skip


def threads_field(default: int = 128, low: int = 32) -> Field:
    """Threads of a block."""
    text = "Threads of a block. More threads share the tile, so that each needs fewer registers."
    options = numbers(*(n for n in (64, 128, 256, 512) if n >= low))
    return Field(
        "threads", Kind.INTEGER, Step.TILES, "Threads", text, default, options, "threads", low,
        1024, multiple=32,
    )  # fmt: skip


def stages_field(default: int, high: int = 6) -> Field:
    """Stages of the software pipeline."""
    text = "Tiles in flight: while one is worked on, the others are on their way from memory."
    options = numbers(*range(1, min(high, 4) + 1))
    return Field(
        "num_stages",
        Kind.INTEGER,
        Step.PIPELINE,
        "Stages",
        text,
        default,
        options,
        "tiles",
        1,
        high,
    )


def switch_field(
    name: str, step: Step, title: str, text: str, default: bool = False, *words: str
) -> Field:
    """Something that is on or off; a sentence turns it on by one of the words."""
    return Field(name, Kind.SWITCH, step, title, text, default, words=words)


def choice_field(
    name: str, step: Step, title: str, text: str, default: Any, *options: Option
) -> Field:
    """One of a few things."""
    return Field(name, Kind.CHOICE, step, title, text, default, options)


def tolerance_fields() -> tuple[Field, ...]:
    """How far a result may be from the reference; None leaves it to the format."""
    return tuple(
        Field(name, Kind.NUMBER, Step.CASES, title, text, None, low=0, high=1, optional=True)
        for name, title, text in (
            (
                "rtol",
                "Relative tolerance",
                "Of the expected value; left empty: what the format allows.",
            ),
            (
                "atol",
                "Absolute tolerance",
                "Beside the relative one; left empty: what the format allows.",
            ),
        )
    )


def tolerances(values: Values) -> dict[str, Any]:
    """The tolerances of a case, where they were set."""
    return {name: values[name] for name in ("rtol", "atol") if values.get(name) is not None}


def element_bytes(dtype: str) -> int:
    """Bytes of one value of a field's format."""
    return DTYPES[dtype].bytes


def is_gpu(target: Target) -> bool:
    """Whether a target has threads, warps and shared memory."""
    return target.dialect == GPU


def shared_rule(bytes_of: BytesOf, *fields: str) -> Rule:
    """A block's shared memory fits what the target gives one block."""

    def broken(values: Values, target: Target) -> str | None:
        limit = target.arch.limits.shared_bytes_per_block_opt_in
        needed = bytes_of(values, target)
        if not is_gpu(target) or limit is None or needed <= limit:
            return None
        return f"A block needs {size(needed)} of shared memory and may have {size(limit)}."

    return Rule("shared-memory-over-limit", "Too much shared memory", fields, broken)


def registers_rule(words_of: BytesOf, *fields: str) -> Rule:
    """What a thread keeps across its loop leaves registers for everything else.

    A quarter of the most that a thread may have is left for operands, addresses and temporaries.
    """

    def broken(values: Values, target: Target) -> str | None:
        most = target.arch.limits.max_registers_per_thread
        kept = words_of(values, target)
        if not is_gpu(target) or most is None or kept <= most * 3 // 4:
            return None
        return (
            f"Each thread would keep {kept} values of its tile in registers; of the {most} that it "
            f"can have, a quarter is needed for the rest, so it would spill to local memory."
        )

    return Rule("registers-would-spill", "Registers would spill", fields, broken)


def threads_rule() -> Rule:
    """A block is made of whole warps and no larger than the target allows."""

    def broken(values: Values, target: Target) -> str | None:
        limits = target.arch.limits
        if not is_gpu(target):
            return None
        if limits.warp_size and values["threads"] % limits.warp_size:
            return f"A warp has {limits.warp_size} threads; {values['threads']} are no whole warps."
        most = limits.max_threads_per_block
        if most and values["threads"] > most:
            return f"A block has at most {most} threads."
        return None

    return Rule("threads-not-whole-warps", "Threads", ("threads",), broken)


def matrix_dtype_rule(name: str = "dtype") -> Rule:
    """The target's matrix unit multiplies the format."""

    def broken(values: Values, target: Target) -> str | None:
        if multiplied_by(values[name], target):
            return None
        title = DTYPES[values[name]].title
        return f"The matrix unit of {short_label(target)} does not multiply {title}."

    return Rule("dtype-without-matrix-unit", "Format", (name,), broken)


def storage_dtype_rule(name: str = "dtype") -> Rule:
    """The target's compiler knows the format at all: bfloat16 came with sm_80."""

    def broken(values: Values, target: Target) -> str | None:
        old = target.arch.vendor is Vendor.NVIDIA and target.arch.order < 80
        if values[name] != "bfloat16" or not old:
            return None
        return f"{short_label(target)} has no bf16: it came with compute capability 8.0."

    return Rule("dtype-unknown-to-target", "Format", (name,), broken)


def dialect_rule(supported: Iterable[str], why: str) -> Rule:
    """The pattern has a form in the target's dialect."""
    dialects = tuple(supported)

    def broken(values: Values, target: Target) -> str | None:
        return None if target.dialect in dialects else why

    return Rule("no-form-for-target", "Target", (), broken)


def ceildiv(total: int, part: int) -> int:
    """Parts of a size that are needed to cover the total."""
    return -(-total // part)


def counted(number: int, noun: str) -> str:
    """`1 block`, `2 blocks`."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
