"""One kernel for each symptom that people come with; its line ends in the comment `# <- code`."""

from __future__ import annotations

_BLOCK = """# /// workbench
# kernel = "{kernel}"
# [[case]]
# name = "small"
# args = {{ {args} }}
# targets = ["a100"]
# rtol = 1e-2
# atol = 1e-2
# ///
import torch
import tilelang
import tilelang.language as T

"""
_GEMM = """
@tilelang.jit(out_idx=[2])
def gemm(M, N, K, bm=128, bn=128, bk=32, stages=2):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, bn), T.ceildiv(M, bm), threads=128) as (bx, by):
            T.use_swizzle(panel_size=10)
            a = T.alloc_shared((bm, bk), "float16")
            b = T.alloc_shared((bk, bn), "float16")
            c = T.alloc_fragment((bm, bn), "float32")
            T.clear(c)
            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):
                T.copy(A[by * bm, k * bk], a)
                T.copy(B[k * bk, bx * bn], b)
                T.gemm(a, b, c)
            T.copy(c, C[by * bm, bx * bn])
    return main


def ref_program(A, B):
    return (A.float() @ B.float()).half()
"""
_SMALL = "M = 128, N = 128, K = 128"
_FULL = "M = 1536, N = 1152, K = 64, bm = 128, bn = 128"  # 108 blocks: one for each SM of A100
_SOFTMAX = """
@tilelang.jit(out_idx=[1])
def softmax(M, N):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(M, threads=128) as bx:
            x = T.alloc_fragment((1, N), "float32")
            total = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, 0], x)
            for i, j in T.Parallel(1, N):
                x[i, j] = T.exp(x[i, j])  # <- nan-source
            T.reduce_sum(x, total, dim=1)
            for i, j in T.Parallel(1, N):
                x[i, j] = x[i, j] / total[i]
            T.copy(x, Y[bx, 0])
    return main


def make_inputs(M, N):
    return [torch.full((M, N), 100.0)]


def ref_program(X):
    return X.softmax(-1)
"""
_TRANSPOSE = """
@tilelang.jit(out_idx=[1])
def transpose(M, N):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((N, M), "float32")):
        with T.Kernel(N // 32, M // 32, threads=128) as (bx, by):
            t = T.alloc_shared((32, 32), "float32")
            for i, j in T.Parallel(32, 32):
                t[i, j] = X[by * 32 + i, bx * 32 + j]
            for i, j in T.Parallel(32, 32):
                Y[bx * 32 + i, by * 32 + j] = t[j, i]  # <- bank-conflict
    return main


def ref_program(X):
    return X.T.contiguous()
"""
_SPLIT = """
@tilelang.jit(out_idx=[1])
def sums(M, N):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M,), "float32")):
        with T.Kernel(M, N // 64, threads=64) as (bx, by):
            x = T.alloc_fragment((1, 64), "float32")
            s = T.alloc_fragment((1,), "float32")
            T.copy(X[bx, by * 64], x)
            T.reduce_sum(x, s, dim=1)
            for i in T.Parallel(1):
                Y[bx + i] = s[i]  # <- block-race
    return main


def ref_program(X):
    return X.sum(-1)
"""


def _document(kernel: str, args: str, text: str, *changes: tuple[str, str]) -> str:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return _BLOCK.format(kernel=kernel, args=args) + text.lstrip("\n")


_MARK_GEMM = "                T.gemm(a, b, c)\n"

#: By the id of the symptom: what a person says of it, and the kernel.
SYMPTOMATIC: dict[str, tuple[str, str]] = {
    "shared-memory-exceeded": (
        "the launch fails, out of shared memory",
        _document(
            "gemm", "M = 512, N = 512, K = 512, bm = 256, bn = 256, bk = 64, stages = 4", _GEMM,
            ('a = T.alloc_shared((bm, bk), "float16")',
             'a = T.alloc_shared((bm, bk), "float16")  # <- shared-memory-over-limit'),
        ),
    ),
    "shape-mismatch": (
        "dimensions of my gemm do not match",
        _document(
            "gemm", _SMALL, _GEMM,
            ("b = T.alloc_shared((bk, bn)", "b = T.alloc_shared((bk * 2, bn)"),
            (_MARK_GEMM, "                T.gemm(a, b, c)  # <- gemm-shape-mismatch\n"),
        ),
    ),
    "all-zeros": (
        "my kernel returns only zeros",
        _document(
            "gemm", _SMALL, _GEMM,
            ('        C: T.Tensor((M, N), "float16"),\n',
             '        C: T.Tensor((M, N), "float16"),  # <- output-not-covered\n'),
            ("            T.copy(c, C[by * bm, bx * bn])\n", ""),
        ),
    ),
    "nan-or-inf": ("the output is full of NaNs", _document("softmax", "M = 4, N = 256", _SOFTMAX)),
    "low-throughput": (
        "it is much slower than cuBLAS",
        _document(
            "gemm", _FULL, _GEMM,
            ("            for k in T.Pipelined(T.ceildiv(K, bk), num_stages=stages):\n",
             "            for k in T.serial(T.ceildiv(K, bk)):  # <- missing-pipelining\n"),
        ),
    ),
    "low-occupancy": (
        "ncu says the occupancy is low",
        _document(
            "gemm", "M = 512, N = 512, K = 512, bk = 64, stages = 4", _GEMM,
            ('a = T.alloc_shared((bm, bk), "float16")',
             'a = T.alloc_shared((bm, bk), "float16")  # <- low-occupancy'),
        ),
    ),
    "bank-conflicts": (
        "many shared memory bank conflicts",
        _document("transpose", "M = 64, N = 64", _TRANSPOSE),
    ),
    "wrong-results": (
        "results are wrong and differ from torch",
        _document("sums", "M = 8, N = 256", _SPLIT),
    ),
}  # fmt: skip

#: A kernel without any of them, which fills its target.
HEALTHY = _document("gemm", _FULL, _GEMM)

#: A kernel whose zeros no rule explains: the comparison alone tells them.
CLEARED_LATE = _document(
    "gemm", _SMALL, _GEMM,
    ("            T.copy(c, C[by", "            T.clear(c)\n            T.copy(c, C[by"),
)  # fmt: skip
