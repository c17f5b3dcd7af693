"""What fills the templates of a matrix multiplication, and what is said about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.figures import size
from workbench.core.patterns.activations import TILE, TITLES
from workbench.core.patterns.common import (
    ASCEND,
    CPU,
    GPU,
    ceildiv,
    element_bytes,
    tolerances,
)
from workbench.core.patterns.dtypes import DTYPES, concrete, is_fp8
from workbench.core.patterns.gemm.functions import functions
from workbench.core.patterns.gemm.rules import accumulators, shared_bytes, uses_warpgroups
from workbench.core.patterns.gemm.staying import (
    COPYING_THREADS,
    WHY_STAYS,
    stages_of,
    staying,
)
from workbench.core.patterns.gemm.tiles import family_of
from workbench.core.patterns.model import Program, Setting, Values, Why
from workbench.core.patterns.rendering import call
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Feature, Target, Vendor

_TMA_BYTES = 16
_WORDS = {2: "Two", 3: "Three", 4: "Four", 5: "Five", 6: "Six"}
# Blocks of the small cases whose blocks stay: one has two tiles, or each has one.
_SHARED_TILES = {"tails": 3, "whole-tiles": 2}
_TEMPLATES = {CPU: "gemm_cpu.py.j2", ASCEND: "gemm_ascend.py.j2"}


def program(values: Values, setting: Setting) -> Program:
    """The document's parts for one set of values."""
    target = setting.target
    return Program(
        "matmul",
        _TEMPLATES.get(target.dialect, "gemm.py.j2"),
        {
            **values,
            **_operands(values, target),
            **_sentences(values, target),
            **functions(values, target),
            **staying(values, target),
            "swizzled": is_swizzled(values, setting),
        },
        _formula(values, target),
        _usage(values, target),
        hardware(values, target),
        _sizes(values, target),
        _cases(values, target),
        _why(values, target),
        _results(values, target),
    )


def _operands(values: Values, target: Target) -> dict[str, Any]:
    """Shapes, tiles and their places in the tensors, by layout."""
    a_by_rows, b_by_rows = values["layout_A"] == "row", values["layout_B"] == "row"
    flags = [
        "" if a_by_rows else "transpose_A=True",
        "" if b_by_rows else "transpose_B=True",
        "" if values["policy"] == "Square" else f"policy=T.GemmWarpPolicy.{values['policy']}",
    ]
    element = "C_half[i, j]" if target.dialect == ASCEND else "C_local[i, j]"
    arguments = ["A_shared", "B_shared", "C_local", *(flag for flag in flags if flag)]
    return {
        "shape_A": "(M, K)" if a_by_rows else "(K, M)",
        "shape_B": "(K, N)" if b_by_rows else "(N, K)",
        "tile_A": "(block_M, block_K)" if a_by_rows else "(block_K, block_M)",
        "tile_B": "(block_K, block_N)" if b_by_rows else "(block_N, block_K)",
        "part_A": _part("A", "by * block_M", "k * block_K", a_by_rows),
        "part_B": _part("B", "k * block_K", "bx * block_N", b_by_rows),
        "gemm": call("T.gemm", arguments, 16),
        "activated": TILE.get(values["activation"], "").format(x=element),
        "inputs": "A, B, Bias" if values["bias"] else "A, B",
        **_scalar_loops(values, a_by_rows, b_by_rows),
    }


def _part(tensor: str, row: str, column: str, by_rows: bool) -> str:
    return f"{tensor}[{row}, {column}]" if by_rows else f"{tensor}[{column}, {row}]"


def _scalar_loops(values: Values, a_by_rows: bool, b_by_rows: bool) -> dict[str, Any]:
    """The loops of the CPU's form: the innermost walks rows of B, or of both along K."""
    a = "A_local[i, k]" if a_by_rows else "A_local[k, i]"
    b = "B_local[k, j]" if b_by_rows else "B_local[j, k]"
    order = "i, k, j" if b_by_rows else "i, j, k"
    extents = {"i": "block_M", "j": "block_N", "k": "block_K"}
    along = (
        "j innermost: B and C are walked along their rows, which the compiler vectorises."
        if b_by_rows
        else "k innermost: A and B are walked along K, where both lie one after the other."
    )
    return {
        "product": f"{a} * {b}",
        "loop_order": order,
        "loop_extents": ", ".join(extents[name] for name in order.split(", ")),
        "why_order": along,
    }


def _sentences(values: Values, target: Target) -> dict[str, Any]:
    """The comments that depend on the choices."""
    whole = values["dtype"] == "int8"
    accum = (
        "Products of 8-bit numbers need 16 bits and their sum more: it is kept in int32 registers."
        if whole
        else "A sum of K products loses bits in a short format: it is kept in float32 registers."
    )
    return {
        "why_accum": accum,
        "why_staged": why_staged("B_shared"),
        "why_panel": why_panel(values["panel"]),
        "why_stages": why_stages(values["num_stages"]),
    }


def why_staged(b: str) -> str:
    """Why the tile of C goes through shared memory; `b` is the second operand's tile."""
    return (
        f"The tile of C leaves through shared memory, whole rows at a time. It takes the place of "
        f"A_shared and {b}, which are done by then."
    )


def is_swizzled(values: Values, setting: Setting) -> bool:
    """Whether the tile of C lies swizzled: without TMA neighbours in a column meet in one bank."""
    return bool(values["staged"]) and setting.lacks(Feature.TMA)


def why_panel(panel: int) -> str:
    """What the order of blocks is for."""
    return (
        f"Blocks run in panels of {panel} tiles, not row by row: those that run together share "
        f"operands in L2."
    )


def why_stages(stages: int) -> str:
    """What happens at once in a pipeline of so many stages."""
    waiting = {
        1: "One stage: a tile is loaded, then multiplied.",
        2: "Two stages: one tile is multiplied while the next is on its way from global memory.",
    }
    several = (
        f"{_WORDS.get(stages, stages)} stages: one tile is multiplied while "
        f"{_WORDS.get(stages - 1, 'the others').lower()} are on their way from global memory."
    )
    return waiting.get(stages, several)


def _formula(values: Values, target: Target) -> str:
    operands = DTYPES[values["dtype"]].title
    sums = DTYPES[values["dtype"]].accumulator
    bias = " + bias" if values["bias"] else ""
    title = TITLES[values["activation"]]
    right = f"{title}(A B{bias})" if title else f"A B{bias}"
    dynamic = " and a number of rows that is known at the launch" if values["dynamic_M"] else ""
    return f"C = {right} with {operands} operands, {sums} sums{dynamic}."


def _usage(values: Values, target: Target) -> tuple[str, ...]:
    sizes = [values["N"], values["K"]] if values["dynamic_M"] else [values[n] for n in "MNK"]
    operands = _operands(values, target)
    name = concrete(values["dtype"], target)
    place = "in main memory" if target.dialect == CPU else "on the device"
    a, b = operands["shape_A"], operands["shape_B"]
    if target.dialect == ASCEND:
        call_text = f"kernel({operands['inputs']}, C)"
        return (
            f"kernel = matmul({', '.join(map(str, sizes))})",
            f"{call_text}  # A: {a}, B: {b}, {name}; C: (M, N) float32",
        )
    bias = ", Bias: (N,)" if values["bias"] else ""
    return (
        f"kernel = matmul({', '.join(map(str, sizes))})",
        f"C = kernel({operands['inputs']})  # A: {a}, B: {b}{bias}; operands {name}, {place}",
    )


def hardware(values: Values, target: Target) -> str:
    """What a kernel needs of the target, as its docstring says it."""
    if target.dialect == CPU:
        tile = _cpu_tile_bytes(values)
        return f"three tiles of {size(tile)} fit the L1 data cache; the compiler vectorises."
    if target.dialect == ASCEND:
        return "cube cores with two vector cores each; M, N and K are multiples of their blocks."
    unit = _matrix_unit(values, target)
    shared = size(shared_bytes(values, target))
    threads = values["threads"] + (COPYING_THREADS if values.get("stays") else 0)
    return f"{unit}; {shared} of shared memory and {threads} threads a block."


def _cpu_tile_bytes(values: Values) -> int:
    return int(values["block_M"] * values["block_K"] * element_bytes(values["dtype"]))


def _matrix_unit(values: Values, target: Target) -> str:
    arch = target.arch
    if arch.vendor is Vendor.AMD:
        return f"matrix cores (MFMA) of {short_label(target)}"
    if arch.vendor is Vendor.APPLE:
        return "SIMD-group matrices"
    if uses_warpgroups(values, target):
        return "Hopper's warpgroup products (wgmma) and TMA"
    if arch.has(Feature.TCGEN05):
        return (
            f"tensor cores by mma.sync; tcgen05, several times as fast on {short_label(target)}, "
            f"would keep the sums in tensor memory, which this form does not"
        )
    as_tf32 = ", which round fp32 operands to TF32" if values["dtype"] == "float32" else ""
    return f"tensor cores with mma.sync ({short_label(target)} or newer){as_tf32}"


def _sizes(values: Values, target: Target) -> str:
    m, n, k = values["block_M"], values["block_N"], values["block_K"]
    blocks = ceildiv(values["M"], m) * ceildiv(values["N"], n)
    first = f"{m} × {n} of C a block makes {blocks} blocks at {values['M']} × {values['N']}"
    if target.dialect != CPU and target.dialect != ASCEND:
        flop = 2 * m * n / ((m + n) * element_bytes(values["dtype"]))
        units = max(target.sm_counts.values(), default=0)
        waves = f", {blocks / units:.2f} waves of {short_label(target)}" if units else ""
        step = size(k * element_bytes(values["dtype"]))
        return (
            f"{first}{waves}, and {flop:.0f} FLOP for each byte from L2. Its sums take "
            f"{accumulators(values, target)} registers a thread. A step of {k} is {step} of a row. "
            f"{stages_of(family_of(target, values['dtype']), values['stays']).reason}"
        )
    return f"{first}; a step of {k} keeps its operands close to where they are multiplied."


def _results(values: Values, target: Target) -> str:
    if is_fp8(values["dtype"]) and uses_warpgroups(values, target):
        # DeepSeek-AI, DeepSeek-V3 Technical Report, 3.3.2; calculated for 8192 x 8192 sums of 8192.
        return (
            "tensor cores keep 14 bits of a sum of fp8 products: sums of 8192 are off by 0.2 % of "
            "their root mean square, the worst of them by 4 %. A library that moves its sums to "
            "float32 on the way is closer."
        )
    if values["dtype"] != "float32":
        return ""
    return (
        "tensor cores round fp32 operands to TF32 (10 bits of mantissa), so single results differ "
        "from fp32 arithmetic by about 0.1 %."
    )


def _cases(values: Values, target: Target) -> tuple[Case, ...]:
    """Tails in every extent, whole tiles that are not square, and the sizes asked for."""
    m, n, k = values["block_M"], values["block_N"], values["block_K"]
    whole = {"M": m, "N": 2 * n, "K": 2 * k}
    real = {name: values[name] for name in "MNK"}
    if target.dialect == ASCEND:
        flat = {"M": m, "N": 2 * n, "K": 3 * k}
        names = [("flat", flat), ("tall", {"M": 3 * m, "N": n, "K": 2 * k})]
        return tuple(_case(n, s, values, target) for n, s in [*names, (_real_name(real), real)])
    # Rows stay multiples of 16 bytes, as TMA and vectors need.
    unit = max(16, 16 // element_bytes(values["dtype"]))
    tails = {"M": m + unit, "N": n + 3 * unit, "K": 2 * k + unit}
    names = [("tails", tails), ("whole-tiles", whole), (_real_name(real), real)]
    return tuple(_case(name, sizes, values, target) for name, sizes in names)


def _real_name(sizes: Mapping[str, int]) -> str:
    return "x".join(str(sizes[name]) for name in "MNK")


def _case(name: str, sizes: Mapping[str, int], values: Values, target: Target) -> Case:
    dynamic = values["dynamic_M"]
    args = {key: size for key, size in sizes.items() if not (dynamic and key == "M")}
    if values["stays"] and name in _SHARED_TILES:
        args["programs"] = _SHARED_TILES[name]
    rows = f"{sizes['M']}" if dynamic else "M"
    return Case(
        name,
        args,
        dims={"m": sizes["M"]} if dynamic else {},
        flops=f"2 * {rows} * N * K",
        baseline=None if target.dialect != GPU else "torch_matmul",
        **tolerances(values),
    )


def _why(values: Values, target: Target) -> tuple[Why, ...]:
    """The optimisations that the kernel has, each with what it is for."""
    found = [Why("Tiles", _sizes(values, target))]
    sentences = _sentences(values, target)
    if target.dialect not in (CPU, ASCEND):
        found.append(Why("Pipeline", sentences["why_stages"]))
    if values["panel"]:
        found.append(Why("Order of blocks", sentences["why_panel"]))
    if values["stays"]:
        found.append(Why("Blocks that stay", WHY_STAYS))
    if values["staged"]:
        found.append(Why("Epilogue through shared memory", sentences["why_staged"]))
    if values["bias"] or values["activation"] != "none":
        found.append(
            Why(
                "Fused epilogue",
                "Bias and activation are applied to the sums in registers: C is not read again.",
            )
        )
    found.append(Why("Sums", sentences["why_accum"]))
    return tuple(found)
