"""Samples of the pattern conv2d."""

from __future__ import annotations

from pattern_samples.sample import Sample

_STRIDED = {
    "N": 8, "H": 57, "W": 41, "C": 128, "filters": 192, "KH": 3, "KW": 5, "stride": 2, "padding": 2,
}  # fmt: skip
_WIDE = {"N": 4, "H": 40, "W": 30, "C": 64, "filters": 96, "dilation": 2, "padding": 2}
_FIRST = {"H": 224, "W": 224, "C": 3, "filters": 64, "KH": 7, "KW": 7, "stride": 2, "padding": 3}

SAMPLES = (
    Sample("conv2d-h200", "conv2d", "h200", quick=True, shipped=True),
    Sample(
        "conv2d-strided-a100",
        "conv2d",
        "a100",
        {**_STRIDED, "bias": True, "activation": "relu"},
        golden=True, quick=True),
    Sample(
        "conv2d-filters-last-h100",
        "conv2d",
        "h100",
        {"dtype": "bfloat16", "layout": "filters-last", "stride": 2, "bias": True,
         "activation": "gelu"},
        golden=True,
    ),
    Sample(
        "conv2d-mi300x",
        "conv2d",
        "mi300x",
        {**_WIDE, "layout": "filters-last"},
        golden=True,
        quick=True,
    ),
    Sample("conv2d-rtx4090", "conv2d", "rtx4090", {"padding": 0, "activation": "silu"}),
    Sample("conv2d-first-layer-h200", "conv2d", "h200", _FIRST),
    Sample("conv2d-1x1-h200", "conv2d", "h200", {"KH": 1, "KW": 1, "padding": 0}),
)  # fmt: skip
_IMAGES = {"N": 32, "H": 56, "W": 56, "C": 256}
SENTENCES = (
    ("fp16 5x3 convolution of 32x56x56x256 with 256 filters", "conv2d",
     {"dtype": "float16", "filters": 256, "KH": 5, "KW": 3, **_IMAGES}),
    ("bf16 conv2d 8 x 28 x 28 x 512 x 512 with stride 2, padding 1 and ReLU on A100", "conv2d",
     {"dtype": "bfloat16", "N": 8, "H": 28, "W": 28, "C": 512, "filters": 512, "stride": 2,
      "padding": 1, "activation": "relu"}),
    ("2D convolution with N=1, H=64, W=48, C=64, 128 filters, bias and dilation 2", "conv2d",
     {"N": 1, "H": 64, "W": 48, "C": 64, "filters": 128, "bias": True, "dilation": 2}),
)  # fmt: skip
