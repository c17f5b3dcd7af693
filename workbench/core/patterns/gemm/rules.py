"""Which matrix multiplications are legal: TileLang's, the instructions' and the memory's rules."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.patterns.common import (
    ASCEND,
    CPU,
    element_bytes,
    is_gpu,
    matrix_dtype_rule,
    registers_rule,
    shared_rule,
    threads_rule,
)
from workbench.core.patterns.dtypes import is_fp8
from workbench.core.patterns.model import Rule, Values
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

# Bytes of K that one matrix instruction takes: k16 of fp16, k32 of int8 and fp8, k8 of tf32.
_INSTRUCTION_K_BYTES = 32
_INSTRUCTION_M = 16
_WARPGROUP_THREADS = 128
_TMA_ALIGNMENT = 16


def stage_bytes(values: Values) -> int:
    """Bytes of one stage: a tile of A and one of B."""
    elements = (values["block_M"] + values["block_N"]) * values["block_K"]
    return int(elements) * element_bytes(values["dtype"])


def shared_bytes(values: Values, target: Target) -> int:
    """Shared memory of a block: the stages, or the tile of C that takes their place at the end."""
    tile = values["block_M"] * values["block_N"] * element_bytes(values["out_dtype"])
    bias = values["block_N"] * element_bytes(values["out_dtype"]) if values["bias"] else 0
    stages = stage_bytes(values) * values["num_stages"]
    if values.get("stays"):
        return int(stages + tile // 2)  # half of C leaves while the stages are filled anew
    return int(max(stages, tile if values["staged"] else 0) + bias)


def accumulators(values: Values, target: Target) -> int:
    """Registers of a thread that hold its part of C, a word each."""
    return int(values["block_M"] * values["block_N"] // values["threads"])


def uses_warpgroups(values: Values, target: Target) -> bool:
    """Whether T.gemm becomes wgmma (CheckWgmma and AllowWgmma in TileLang's cuda/op/gemm.cc)."""
    eight_bits = element_bytes(values["dtype"]) == 1
    k_contiguous = values["layout_A"] == "row" and values["layout_B"] == "column"
    return (
        target.arch.has(Feature.WGMMA)
        and target.lowering_arch == target.arch.name
        and values["block_M"] >= 64
        and values["threads"] % _WARPGROUP_THREADS == 0
        and values["dtype"] != "float32"
        and (k_contiguous or not eight_bits)
    )


def _partition_broken(values: Values, target: Target) -> str | None:
    warp = target.arch.limits.warp_size
    if not is_gpu(target) or not warp or values["threads"] % warp:
        return None
    if any(_partitions(values, target, values["threads"] // warp)):
        return None
    return (
        f"{values['threads'] // warp} warps cannot divide {values['block_M']} × "
        f"{values['block_N']} evenly: each takes a multiple of {_INSTRUCTION_M} rows and "
        f"{_columns_of_warp(target)} columns."
    )


def _partitions(values: Values, target: Target, warps: int) -> Iterator[tuple[int, int]]:
    """How many warps lie along M and N: every way in which each has whole instructions."""
    group = 4 if uses_warpgroups(values, target) else 1
    for along_m in range(group, warps + 1, group):
        along_n = warps // along_m
        even = along_m * along_n == warps
        rows, columns = along_m * _INSTRUCTION_M, along_n * _columns_of_warp(target)
        if even and values["block_M"] % rows == 0 and values["block_N"] % columns == 0:
            yield along_m, along_n


def _columns_of_warp(target: Target) -> int:
    is_nvidia = target.arch.vendor is Vendor.NVIDIA
    return 8 if is_nvidia and target.lowering_arch != "sm_70" else 16


def _depth_broken(values: Values, target: Target) -> str | None:
    least = max(1, _INSTRUCTION_K_BYTES // element_bytes(values["dtype"]))
    if not is_gpu(target) or values["block_K"] % least == 0:
        return None
    return f"A matrix instruction sums {least} products of this format; block_K is their multiple."


def _eight_bits_broken(values: Values, target: Target) -> str | None:
    is_row_by_column = values["layout_A"] == "row" and values["layout_B"] == "column"
    if element_bytes(values["dtype"]) > 1 or is_row_by_column or target.dialect == CPU:
        return None
    return (
        "Matrix instructions read operands of 8 bits along K: A is row-major and B column-major; "
        "for 8 bits there is no load that transposes."
    )


def _output_broken(values: Values, target: Target) -> str | None:
    whole = values["dtype"] == "int8"
    if whole == (values["out_dtype"] == "int32"):
        return None
    return (
        "Products of int8 are summed in int32, which C keeps."
        if whole
        else "Sums of floating-point products are no whole numbers: int32 is for int8 operands."
    )


def _activation_broken(values: Values, target: Target) -> str | None:
    if values["dtype"] != "int8" or values["activation"] in ("none", "relu"):
        return None
    return "GELU and SiLU have no whole-number form; C of int8 operands is int32."


def _volta_broken(values: Values, target: Target) -> str | None:
    if target.lowering_arch != "sm_70" or values["layout_A"] == "row":
        return None
    return "Volta's matrix instructions take A by rows; transposed they become scalar arithmetic."


def _alignment_broken(values: Values, target: Target) -> str | None:
    extents = {"A": _contiguous(values, "A"), "B": _contiguous(values, "B"), "C": "N"}
    if not is_gpu(target):
        return None
    for tensor, extent in extents.items():
        dtype = values["out_dtype" if tensor == "C" else "dtype"]
        row = values[extent] * element_bytes(dtype)
        if row % _TMA_ALIGNMENT:
            return (
                f"A row of {tensor} has {row} bytes, no multiple of {_TMA_ALIGNMENT}: its tiles "
                f"are copied in smaller pieces, without TMA."
            )
    return None


def _contiguous(values: Values, tensor: str) -> str:
    by_rows = values[f"layout_{tensor}"] == "row"
    return {("A", True): "K", ("A", False): "M", ("B", True): "N", ("B", False): "K"}[
        (tensor, by_rows)
    ]


def _ascend_broken(values: Values, target: Target) -> str | None:
    if target.dialect != ASCEND:
        return None
    if values["dtype"] not in ("float16", "bfloat16"):
        return "The form for Ascend's cube cores is for fp16 and bf16."
    if values["layout_A"] != "row" or values["layout_B"] != "column":
        return "The cube core's tiles are loaded along K: A is row-major and B column-major."
    if values["dynamic_M"]:
        return "The form for Ascend divides a fixed number of tiles among its cores."
    return None


def _ascend_output_broken(values: Values, target: Target) -> str | None:
    if target.dialect != ASCEND or values["out_dtype"] == "float32":
        return None
    return "The form for Ascend writes the sums as fp32."


def _ascend_whole_broken(values: Values, target: Target) -> str | None:
    if target.dialect != ASCEND:
        return None
    for size, block in (("M", "block_M"), ("N", "block_N"), ("K", "block_K")):
        if values[size] % values[block]:
            return f"{size} = {values[size]} is no multiple of {block} = {values[block]}."
    return None


def _ascend_buffers_broken(values: Values, target: Target) -> str | None:
    if target.dialect != ASCEND:
        return None
    limits = target.arch.limits
    tile = values["block_M"] * values["block_N"] * 4
    needs = (
        ("L1", stage_bytes(values) * values["num_stages"], limits.l1_buffer_bytes),
        ("L0C", tile, limits.l0c_buffer_bytes),
        ("the unified buffer", tile // 2, limits.unified_buffer_bytes),
    )
    for name, needed, limit in needs:
        if limit is not None and needed > limit:
            return f"The tiles need {needed // 1024} KiB of {name}, which has {limit // 1024} KiB."
    return None


def _cpu_broken(values: Values, target: Target) -> str | None:
    if target.dialect != CPU:
        return None
    if values["dtype"] not in ("float32", "int8"):
        return (
            f"{short_label(target)} code is plain C, which has fp32 and int8 but no smaller floats."
        )
    if values["out_dtype"] not in ("float32", "int32"):
        return "Plain C writes the sums as they are: fp32, or int32 of int8."
    return None


def _fp8_output_broken(values: Values, target: Target) -> str | None:
    if not is_fp8(values["dtype"]) or values["out_dtype"] in ("float16", "bfloat16", "float32"):
        return None
    return "Sums of fp8 are written as fp16, bf16 or fp32."


def _stays_broken(values: Values, target: Target) -> str | None:
    if not values.get("stays"):
        return None
    if not uses_warpgroups(values, target) or values["threads"] > 2 * _WARPGROUP_THREADS:
        return "Blocks that stay copy by TMA for one or two warpgroups of wgmma."
    if values["bias"] or values["dynamic_M"]:
        return "Blocks that stay share a fixed number of tiles, and add no bias."
    if not values["panel"]:
        return "Blocks that stay find their tiles in panels of one or more."
    unaligned = _alignment_broken(values, target)
    return f"{unaligned} Blocks that stay copy by TMA alone." if unaligned else None


RULES = (
    matrix_dtype_rule(),
    Rule("ascend-form", "Ascend", ("dtype", "layout_A", "layout_B", "dynamic_M"), _ascend_broken),
    Rule("ascend-output", "Ascend", ("out_dtype",), _ascend_output_broken),
    Rule(
        "ascend-whole-tiles", "Whole tiles", ("block_M", "block_N", "block_K"), _ascend_whole_broken
    ),
    Rule(
        "ascend-buffers",
        "Buffers of a core",
        ("num_stages", "block_K", "block_M", "block_N"),
        _ascend_buffers_broken,
    ),
    Rule("cpu-form", "CPU", ("dtype", "out_dtype"), _cpu_broken),
    Rule("fp8-output", "Format of C", ("out_dtype",), _fp8_output_broken),
    Rule("output-of-int8", "Format of C", ("out_dtype", "dtype"), _output_broken),
    Rule("activation-of-int8", "Activation", ("activation",), _activation_broken),
    Rule("eight-bits-along-k", "Layout", ("layout_B", "layout_A"), _eight_bits_broken),
    Rule("volta-rows-of-a", "Layout", ("layout_A",), _volta_broken),
    threads_rule(),
    Rule("instruction-depth", "Block K", ("block_K",), _depth_broken),
    Rule("warp-partition", "Warps", ("threads", "block_M", "block_N"), _partition_broken),
    registers_rule(accumulators, "threads", "block_N", "block_M"),
    shared_rule(shared_bytes, "num_stages", "block_K", "staged", "block_N", "block_M"),
    Rule("blocks-that-stay", "Blocks that stay", ("stays", "panel", "threads"), _stays_broken),
    Rule("unaligned-rows", "Alignment", ("K", "N", "M"), _alignment_broken, advisory=True),
)
