"""Samples of the pattern gemm."""

from __future__ import annotations

from pattern_samples.sample import Sample

CUBE = {"M": 4096, "N": 4096, "K": 4096}

SAMPLES = (
    Sample("gemm-fp16-h200", "gemm", "h200", quick=True, shipped=True),
    Sample("gemm-bf16-h200", "gemm", "h200", {"dtype": "bfloat16"}, shipped=True),
    Sample(
        "gemm-fp8-h200",
        "gemm",
        "h200",
        {"M": 8192, "N": 8192, "K": 8192, "dtype": "float8_e4m3"},
        shipped=True,
    ),
    Sample(
        "gemm-bias-gelu",
        "gemm",
        "a100",
        {"M": 300, "N": 520, "K": 200, "bias": True, "activation": "gelu", "layout_B": "column"},
        quick=True,
        golden=True,
    ),
    Sample("gemm-two-targets", "gemm", "h100,a100", {"dtype": "bfloat16", "activation": "silu"}),
    Sample("gemm-rtx4090", "gemm", "rtx4090", {"dtype": "bfloat16", "layout_B": "column"}),
    Sample("gemm-mi300x", "gemm", "mi300x", {"bias": True, "activation": "relu"}, golden=True),
    Sample("gemm-mi355x", "gemm", "mi355x", {"dtype": "bfloat16"}),
    Sample("gemm-int8", "gemm", "h200", {"dtype": "int8", "bias": True, "activation": "relu"}),
    Sample("gemm-fp8", "gemm", "h200", {"dtype": "float8_e4m3", "bias": True}, golden=True),
    Sample("gemm-fp8-mi300x", "gemm", "mi300x", {"dtype": "float8_e4m3"}, quick=True),
    Sample(
        "gemm-staying",
        "gemm",
        "h200",
        {"dtype": "bfloat16", "activation": "silu", "layout_B": "column", "panel": 4},
    ),
    Sample("gemm-tf32", "gemm", "h200", {"dtype": "float32"}),
    Sample("gemm-column-a", "gemm", "a100", {"layout_A": "column"}),
    Sample("gemm-dynamic", "gemm", "h100", {"dynamic_M": True, "M": 1000}, golden=True),
    Sample("gemm-skinny", "gemm", "h200", {"M": 16, "N": 4096, "K": 16384}),
    Sample("gemm-t4", "gemm", "t4"),
    Sample("gemm-b200", "gemm", "b200"),
    Sample("gemm-metal", "gemm", "m3-max"),
    Sample(
        "gemm-cpu",
        "gemm",
        "cpu",
        {"M": 500, "N": 300, "K": 200, "bias": True, "activation": "silu"},
        golden=True,
    ),
    Sample("gemm-cpu-int8", "gemm", "cpu", {"dtype": "int8", "layout_B": "column"}),
    Sample(
        "gemm-ascend",
        "gemm",
        "ascend950pr",
        {"dtype": "bfloat16", "bias": True, "activation": "relu"},
        quick=True,
        golden=True,
    ),
)
SENTENCES = (
    ("FP16 matrix multiplication for A100, M=N=K=4096", "gemm", {"dtype": "float16", **CUBE}),
    ("bf16 GEMM 4096x4096x4096 on H200", "gemm", {"dtype": "bfloat16", **CUBE}),
    ("a GEMM of 4096³ in half", "gemm", {"dtype": "float16", **CUBE}),
    ("half-precision gemm 4096^3", "gemm", {"dtype": "float16", **CUBE}),
    ("int8 matmul 4k x 4k x 4k for an rtx 4090", "gemm", {"dtype": "int8", **CUBE}),
    ("matmul with M, N, K = 16, 4096, 16384", "gemm", {"M": 16, "N": 4096, "K": 16384}),
    ("matmul M=16, N=4096 and K=16384", "gemm", {"M": 16, "N": 4096, "K": 16384}),
    ("GEMM with bias and GELU, M=N=K=4096", "gemm", {"bias": True, "activation": "gelu", **CUBE}),
    ("gemm without bias, M=N=K=4096", "gemm", {"bias": False, **CUBE}),
    ("gemm with swish, 4096 by 4096 by 4096", "gemm", {"activation": "silu", **CUBE}),
    ("fp8 e5m2 gemm M=N=K=4096", "gemm", {"dtype": "float8_e5m2", **CUBE}),
    (
        "fp8 gemm with bf16 output, M=N=K=4096",
        "gemm",
        {"dtype": "float8_e4m3", "out_dtype": "bfloat16", **CUBE},
    ),
    ("TF32 GEMM 4096x4096x4096", "gemm", {"dtype": "float32", **CUBE}),
    ("gemm in NT layout, M=N=K=4096", "gemm", {"layout_B": "column", **CUBE}),
    ("gemm with A transposed, M=N=K=4096", "gemm", {"layout_A": "column", **CUBE}),
    ("gemm with column-major B, M=N=K=4096", "gemm", {"layout_B": "column", **CUBE}),
    (
        "linear layer in fp16 with ReLU, M=N=K=4096",
        "gemm",
        {"layout_B": "column", "dtype": "float16", "activation": "relu", **CUBE},
    ),
    ("dynamic M gemm, N=4096 K=8192", "gemm", {"dynamic_M": True, "N": 4096, "K": 8192}),
)
