"""The pattern of a 2-D convolution: a matrix product whose left side is gathered, never stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from workbench.core.documents.model import Case
from workbench.core.patterns.activations import TILE, TITLES, TORCH
from workbench.core.patterns.common import (
    choice_field,
    element_bytes,
    is_gpu,
    size_field,
    tolerance_fields,
    tolerances,
)
from workbench.core.patterns.convolution_rules import (
    RULES,
    VECTOR_BYTES,
    as_gemm,
    matrix_sizes,
    out_size,
    why_no_im2col,
)
from workbench.core.patterns.dtypes import DTYPES
from workbench.core.patterns.gemm import advice as gemm_advice
from workbench.core.patterns.gemm import variants
from workbench.core.patterns.gemm.program import hardware, why_stages
from workbench.core.patterns.model import (
    Advice,
    Field,
    Goal,
    Kind,
    Option,
    Pattern,
    Program,
    Setting,
    Step,
    Values,
    Why,
)
from workbench.core.patterns.rendering import assigned, call
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target


def _small(name: str, title: str, text: str, default: int, low: int, *words: str) -> Field:
    """A number of taps or places."""
    return Field(
        name, Kind.INTEGER, Step.REQUIREMENTS, title, text, default, (), "places", low, 64,
        words=words,
    )  # fmt: skip


_BLOCK = {
    "block_M": ("Pixels of Y that one block computes.", "pixels"),
    "block_N": ("Filters that one block computes.", "filters"),
    "block_K": ("Channels of taps in one step of the sum.", "products"),
}


def _tile_fields() -> tuple[Field, ...]:
    """The fields of the matrix product's tiles, in the words of a convolution."""
    found = variants.fields("block_M", "block_N", "block_K", "threads", "policy", "num_stages")
    return tuple(
        replace(field, help=_BLOCK[field.name][0], unit=_BLOCK[field.name][1])
        if field.name in _BLOCK
        else field
        for field in found
    )


_FIELDS = (
    size_field("N", "Images", "Images of a batch.", 32, r"batch(?: size)?", r"images"),
    size_field("H", "Height", "Rows of an image.", 56, r"height"),
    size_field("W", "Width", "Pixels of a row.", 56, r"width"),
    size_field("C", "Channels", "Values of a pixel of X.", 256, r"(?:input )?channels"),
    size_field("filters", "Filters", "Channels of Y.", 256, r"output channels", r"filters"),
    _small("KH", "Filter rows", "Rows of a filter.", 3, 1, r"filter height"),
    _small("KW", "Filter columns", "Columns of a filter.", 3, 1, r"filter width"),
    _small("stride", "Stride", "Pixels from one place of the filter to the next.", 1, 1, r"stride"),
    _small("padding", "Padding", "Zeros on each side of an image.", 1, 0, r"pad(?:ding)?"),
    _small("dilation", "Dilation", "Pixels between taps of the filter.", 1, 1, r"dilation"),
    *variants.fields("dtype"),
    choice_field(
        "layout",
        Step.REQUIREMENTS,
        "Layout of the filters",
        "How the filters lie in memory; images are channels-last.",
        "filters-first",
        Option("filters-first", "(F, KH, KW, C)", "As PyTorch keeps channels-last weights."),
        Option(
            "filters-last", "(KH, KW, C, F)", "As TensorFlow and JAX keep them.",
            (r"\bhwio\b", r"\bfilters[- ]last\b"),
        ),
    ),
    *_tile_fields(),
    Field(
        "loads",
        Kind.CHOICE,
        Step.PIPELINE,
        "Loads of the image",
        "Who finds the pixels under the taps of a tile.",
        "gather",
        (
            Option("im2col", "TMA im2col", "Hopper's copy engine walks along the pixels itself."),
            Option("gather", "Gather", "Each thread computes the places of the pixels it copies."),
        ),
    ),
    *variants.fields("bias", "activation", "staged"),
    *tolerance_fields(),
)  # fmt: skip


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    if not is_gpu(target):
        return {}
    product = gemm_advice.advise(as_gemm(values), target, goal, may_stay=False)
    advice = {name: given for name, given in product.items() if name in values and name != "N"}
    step = _step(values, advice["block_K"])
    why_not = why_no_im2col({**values, "block_K": step.value}, target)
    loads = (
        Advice("im2col", "TMA walks along the pixels: one thread asks for a whole tile.")
        if why_not is None
        else Advice("gather", why_not)
    )
    return {**advice, "block_K": step, "loads": loads}


def _step(values: Values, advised: Advice) -> Advice:
    """A step that divides the channels, so that all of it is of one tap, where there is one."""
    step = advised.value
    while step > 16 and values["C"] % step:
        step //= 2
    if step == advised.value or values["C"] % step:
        return advised
    return Advice(step, f"It divides {values['C']} channels: a step lies under one tap.")


def _program(values: Values, setting: Setting) -> Program:
    target = setting.target
    product = as_gemm(values)
    shape = "(F, KH, KW, C)" if _filters_first(values) else "(KH, KW, C, F)"
    sizes = _sizes(values, target)
    return Program(
        "conv2d",
        "conv2d.py.j2",
        {**values, **_operands(values), **_functions(values), "why_staged": _WHY_STAGED,
         "why_stages": why_stages(values["num_stages"])},
        _formula(values),
        (
            f"kernel = conv2d({', '.join(str(values[n]) for n in _SIZES)})",
            f"Y = kernel({_inputs(values)})  # X: (N, H, W, C), Filters: {shape}, "
            f"{DTYPES[values['dtype']].title}, on the device",
        ),
        hardware(product, target),
        sizes,
        _cases(values),
        _why(values, sizes),
    )  # fmt: skip


_SIZES = ("N", "H", "W", "C", "filters")
_WHY_STAGED = (
    "The tile of Y leaves through shared memory, whole rows at a time. It takes the place of the "
    "stages, which are done by then."
)


def _filters_first(values: Values) -> bool:
    return bool(values["layout"] == "filters-first")


def _inputs(values: Values) -> str:
    return "X, Filters, Bias" if values["bias"] else "X, Filters"


def _operands(values: Values) -> dict[str, Any]:
    """The filters' shapes and tiles, and the product, by their layout."""
    first = _filters_first(values)
    flags = [
        "transpose_B=True" if first else "",
        "" if values["policy"] == "Square" else f"policy=T.GemmWarpPolicy.{values['policy']}",
    ]
    arguments = ["X_shared", "Filters_shared", "Y_local", *(flag for flag in flags if flag)]
    return {
        "shape_filters": "(filters, KH, KW, C)" if first else "(KH, KW, C, filters)",
        "shape_flat": "(filters, depth)" if first else "(depth, filters)",
        "tile_filters": "(block_N, block_K)" if first else "(block_K, block_N)",
        "part_filters": "Filters_flat[bx * block_N, k * block_K]"
        if first
        else "Filters_flat[k * block_K, bx * block_N]",
        "gemm": call("T.gemm", arguments, 16),
        "activated": TILE.get(values["activation"], "").format(x="Y_local[i, j]"),
        "bias_width": f", coalesced_width={VECTOR_BYTES // element_bytes(values['dtype'])}",
        "inputs": _inputs(values),
        "vector": VECTOR_BYTES // element_bytes(values["dtype"]),
    }


def _functions(values: Values) -> dict[str, Any]:
    """The bodies of the reference, in fp32, and of the baseline."""
    return {
        "reference": _body(values, ".float()", f".to(torch.{values['dtype']})"),
        "baseline": _body(values, "", ""),
    }


def _body(values: Values, wide: str, narrow: str) -> list[str]:
    order = "(0, 3, 1, 2)" if _filters_first(values) else "(3, 2, 0, 1)"
    bias = f"Bias{wide}" if values["bias"] else "None"
    lines = [
        f"x = X.permute(0, 3, 1, 2){wide}",
        f"filters = Filters.permute{order}{wide}",
        assigned("y", f"F.conv2d(x, filters, {bias}, STRIDE, PADDING, DILATION)", 4),
    ]
    if values["activation"] != "none":
        lines.append(f"y = {TORCH[values['activation']].format(x='y')}")
    return [*lines, f"return y.permute(0, 2, 3, 1){narrow}"]


def _formula(values: Values) -> str:
    title = TITLES[values["activation"]]
    bias = " with bias" if values["bias"] else ""
    after = f" and {title}" if title and bias else f" with {title}" if title else ""
    return (
        f"2-D convolution of channels-last images{bias}{after}, {DTYPES[values['dtype']].title}, "
        f"as an implicit matrix product."
    )


def _sizes(values: Values, target: Target) -> str:
    product = matrix_sizes(values)
    m, n = values["block_M"], values["block_N"]
    blocks = -(-product["M"] // m) * -(-product["N"] // n)
    units = max(target.sm_counts.values(), default=0)
    waves = f", {blocks / units:.2f} waves of {short_label(target)}" if units else ""
    height, width = out_size(values)
    channels = {True: "part of", False: "more than"}[values["C"] > values["block_K"]]
    if values["C"] == values["block_K"]:
        channels = "all of"
    return (
        f"{values['N']} images of {height} × {width} pixels are {product['M']} rows of a matrix "
        f"product with {product['N']} columns and a sum of {product['K']}: {m} × {n} a block make "
        f"{blocks} blocks{waves}. A step of {values['block_K']} is {channels} the channels under a "
        f"tap."
    )


def _cases(values: Values) -> tuple[Case, ...]:
    """Partial tiles of pixels and filters; whole ones; and the sizes asked for."""
    real = {name: values[name] for name in _SIZES}
    reach = values["dilation"] * (max(values["KH"], values["KW"]) - 1) + 1
    side = max(reach, 5)
    step = values["block_K"]
    channels = step if values["loads"] == "im2col" else step + 8
    filters = values["block_N"] + 24
    named = [
        ("tails", {"N": 2, "H": side + 2, "W": side, "C": channels, "filters": filters}),
        ("two-steps", {"N": 1, "H": side, "W": side + 4, "C": 2 * step, "filters": 64}),
        ("x".join(str(size) for size in real.values()), real),
    ]
    taps = {"KH": values["KH"], "KW": values["KW"]}
    return tuple(
        Case(name, {**args, **taps}, flops=_FLOPS.format(**_outputs(args, values)),
             baseline="torch_conv2d", **tolerances(values))
        for name, args in named
    )  # fmt: skip


_FLOPS = "2 * N * {height} * {width} * filters * KH * KW * C"


def _outputs(args: Mapping[str, int], values: Values) -> dict[str, int]:
    height, width = out_size({**values, **args})
    return {"height": height, "width": width}


def _why(values: Values, sizes: str) -> tuple[Why, ...]:
    loads = {
        "im2col": "Hopper's TMA has a mode that walks along the pixels of an image and puts zeros "
        "around it: one thread asks for a tile of pixels under one tap.",
        "gather": "Each thread finds the pixel of its 16 bytes by division, and copies it or a "
        "zero: the matrix of taps is never in memory.",
    }
    found = [
        Why("Implicit matrix product", loads[values["loads"]]),
        Why("Tiles", sizes),
        Why("Pipeline", why_stages(values["num_stages"])),
    ]
    if values["staged"]:
        found.append(Why("Epilogue through shared memory", _WHY_STAGED))
    if values["bias"] or values["activation"] != "none":
        text = "Bias and activation are applied to the sums in registers: Y is not read again."
        found.append(Why("Fused epilogue", text))
    return tuple(found)


CONVOLUTION = Pattern(
    "conv2d",
    "Convolution",
    "2-D convolution",
    "Channels-last images, any filter, stride, padding and dilation; bias and activation.",
    1,
    _FIELDS,
    RULES,
    (r"\bconv(?:olution)?[- ]?2d\b", r"\b2-?d[- ]conv(?:olution)?\b", r"\bconv(?:olution)?s?\b"),
    _SIZES,
    _advise,
    _program,
    ("KH", "KW"),
)
