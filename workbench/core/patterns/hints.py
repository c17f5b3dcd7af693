"""What patterns bound by memory can tell compiler and caches: streaming loads, blocks at a time."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from workbench.core.patterns.model import Field, Kind, Rule, Step, Values
from workbench.core.targets.model import Target, Vendor

_FAST = "tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True"
_STREAMING = 'tilelang.PassConfigKey.TL_DEVICE_COMPILE_FLAGS: ["-Xptxas=--def-load-cache=cs"]'
_WHY_FAST = (
    "# In full, exponential and division would take longer than the memory that they wait for."
)
_WHY_STREAMING = "# Lines that are read once are the first to leave the caches."


def _always(values: Values) -> bool:
    return True


def hint_fields(
    matters: Callable[[Values], bool] = _always, streams: Callable[[Values], bool] | None = None
) -> tuple[Field, ...]:
    """Both hints; nothing of either is in a kernel where they are not set.

    `streams` is where loads are what reads a row, where that is not wherever both matter.
    """
    blocks = Field(
        "min_blocks",
        Kind.INTEGER,
        Step.TILES,
        "Blocks at once",
        "Blocks that a multiprocessor has room for at least: the compiler gives each thread fewer "
        "registers, so that some blocks load while others compute.",
        None,
        unit="blocks",
        low=1,
        high=32,
        optional=True,
        matters=matters,
    )
    streaming = Field(
        "streaming",
        Kind.SWITCH,
        Step.TILES,
        "Streaming loads",
        "Loads tell the caches that each line is read once: it leaves first, and what others left "
        "in L2 stays, written results above all.",
        None,
        optional=True,
        matters=streams or matters,
    )
    return blocks, streaming


def hint_rules() -> tuple[Rule, ...]:
    """Where the hints mean something, and how many blocks there can be."""
    return (
        Rule("hints-of-nvidia", "Hints", ("streaming", "min_blocks"), _vendor_broken),
        Rule("blocks-over-room", "Blocks at once", ("min_blocks", "threads"), _room_broken),
    )


def _vendor_broken(values: Values, target: Target) -> str | None:
    hinted = values["streaming"] or values["min_blocks"]
    if not hinted or target.arch.vendor is Vendor.NVIDIA:
        return None
    return "Streaming loads and blocks at once are options of NVIDIA's compiler and assembler."


def _room_broken(values: Values, target: Target) -> str | None:
    limits, blocks = target.arch.limits, values["min_blocks"]
    if blocks is None:
        return None
    room = limits.max_threads_per_sm
    if room is not None and blocks * values["threads"] > room:
        return f"A multiprocessor has room for {room} threads, not {blocks * values['threads']}."
    if limits.max_blocks_per_sm is not None and blocks > limits.max_blocks_per_sm:
        return f"A multiprocessor has room for {limits.max_blocks_per_sm} blocks, not {blocks}."
    return None


def hint_context(values: Values, outputs: str = "[-1]", is_fast: bool = False) -> dict[str, Any]:
    """What templates name: the decorator in lines, and the blocks at a time or None."""
    return {
        "decorator": _decorator(outputs, is_fast, bool(values["streaming"])),
        "min_blocks": values["min_blocks"],
    }


def _decorator(outputs: str, is_fast: bool, is_streaming: bool) -> list[str]:
    """`tilelang.jit` with the pass configuration, as ruff writes it."""
    said = [(_WHY_FAST, _FAST)] if is_fast else []
    said += [(_WHY_STREAMING, _STREAMING)] if is_streaming else []
    if not said:
        return [f"@tilelang.jit(out_idx={outputs})"]
    if len(said) == 1:
        why, config = said[0]
        inner = [f"    {why}", f"    pass_configs={{{config}}},"]
    else:
        lines = [line for why, config in said for line in (f"        {why}", f"        {config},")]
        inner = ["    pass_configs={", *lines, "    },"]
    return ["@tilelang.jit(", f"    out_idx={outputs},", *inner, ")"]
