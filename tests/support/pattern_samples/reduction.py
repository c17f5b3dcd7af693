"""Samples of the pattern reduction."""

from __future__ import annotations

from pattern_samples.sample import Sample

SAMPLES = (
    Sample("row-sum-h200", "reduction", "h200", shipped=True),
    Sample("row-max-h200", "reduction", "h200", {"op": "max"}, shipped=True),
    Sample("column-sum-h200", "reduction", "h200", {"axis": "columns"}, shipped=True),
    Sample("cumsum-h200", "reduction", "h200", {"op": "cumsum"}, quick=True, shipped=True),
    Sample(
        "reduce-max",
        "reduction",
        "mi300x",
        {"op": "max", "M": 1000, "N": 5000, "dtype": "bfloat16", "out_dtype": "bfloat16"},
        quick=True,
    ),
    Sample(
        "reduce-mean-columns",
        "reduction",
        "a100",
        {"op": "mean", "axis": "columns", "M": 3000, "N": 640, "dtype": "float32"},
        quick=True,
    ),
    Sample(
        "reduce-min-columns", "reduction", "h100", {"op": "min", "axis": "columns"}, golden=True
    ),
    Sample("row-sum-streaming", "reduction", "h200", {"streaming": True, "min_blocks": 8}),
    Sample("column-sum-streaming", "reduction", "h200", {"axis": "columns", "streaming": True}),
    Sample("reduce-absmax", "reduction", "h100", {"op": "absmax", "M": 64, "N": 300}),
    Sample(
        "cumsum-fp32", "reduction", "a100", {"op": "cumsum", "M": 77, "N": 1000, "dtype": "float32"}
    ),
)
SENTENCES = (
    ("row sum reduction of 16384x8192", "reduction", {"op": "sum", "M": 16384, "N": 8192}),
    ("cumulative sum in fp32 over 100 rows and 5000 columns", "reduction",
     {"op": "cumsum", "dtype": "float32", "M": 100, "N": 5000}),
)  # fmt: skip
