"""Kernels with a mistake that shows only where warps of their own copy, and how each is right.

Every text is a kernel `build(M, K, N)`; what is wrong ends in the comment `# <- code`.
"""

from __future__ import annotations

_HEAD = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2]{configs})
def build(M=256, K=256, N=256, dtype="float16"):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), dtype),
        W: T.Tensor((K, N), dtype),
        C: T.Tensor((M, N), dtype),
        S: T.Tensor((N,), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, 128), 4, threads=128) as (bx, by):
            a = T.alloc_shared((64, 64), dtype)
            w = T.alloc_shared((64, 128), dtype)
            c = T.alloc_fragment((64, 128), "float32")
            s = T.alloc_shared((128,), "float32")
            tx = T.get_thread_binding()
{body}
            for i, j in T.Parallel(64, 128):
                c[i, j] = c[i, j] * s[j]
            T.copy(c, C[by * 64, bx * 128])

    return main
"""
_LOOP = """\
for k in T.Pipelined(T.ceildiv(K, 64), num_stages=3):
    T.copy(A[first, k * 64], a)
    T.copy(W[k * 64, bx * 128], w)
    T.gemm(a, w, c)
"""
_SCALES = """\
for j in T.Parallel(128):
    s[j] = S[bx * 128 + j]
"""
ALL_COPY = ", pass_configs={tilelang.PassConfigKey.TL_DISABLE_WARP_SPECIALIZED: True}"


def _kernel(before: str, after: str = "", around: str = "", configs: str = "") -> str:
    """A product with what is around it; `first` is the row where a block of A begins."""
    loop = _LOOP if "first" in before else _LOOP.replace("first", "by * 64")
    if around:
        *outer, opener = around.strip("\n").split("\n")
        inner = _indented(loop + after, 4)
        loop, after = "\n".join([*outer, opener, inner]), ""
    scales = "" if "s[" in before else _SCALES
    body = _indented(
        "\n".join(filter(None, [scales.rstrip(), before.strip("\n"), loop, after])), 12
    )
    return _HEAD.format(configs=configs, body=body)


def _indented(text: str, width: int) -> str:
    return "\n".join(" " * width + line for line in text.split("\n") if line.strip())


_CODE = "  # <- initialization-moved"
_BY_THREAD = "  # <- thread-index-too-large"
_SUM = """
sums = T.alloc_fragment((64, 128), "float32")
T.clear(sums){code}
"""
_TURN = """
for t in T.serial(2):
    T.clear(c)
"""
_ADD = """\
for i, j in T.Parallel(64, 128):
    sums[i, j] += c[i, j]
"""

SPLIT: dict[str, tuple[str, str]] = {
    "variable set before the swizzle": (
        _kernel(
            f'first = T.alloc_var("int32", init=0){_CODE}\n'
            "T.use_swizzle(8)\nfirst = by * 64\nT.clear(c)"
        ),
        _kernel(
            'T.use_swizzle(8)\nfirst = T.alloc_var("int32", init=0)\nfirst = by * 64\nT.clear(c)'
        ),
    ),
    "fragment cleared before the swizzle": (
        _kernel(
            f"T.clear(c){_CODE}\nT.use_swizzle(8)\n"
            "for i, j in T.Parallel(64, 128):\n    c[i, j] = c[i, j] + S[bx * 128 + j]"
        ),
        _kernel(
            "T.use_swizzle(8)\nT.clear(c)\n"
            "for i, j in T.Parallel(64, 128):\n    c[i, j] = c[i, j] + S[bx * 128 + j]"
        ),
    ),
    "sum over an outer loop": (
        _kernel(_SUM.format(code=_CODE), _ADD, _TURN),
        _kernel(_SUM.format(code=""), _ADD, _TURN, ALL_COPY),
    ),
    "product over an outer loop": (
        _kernel(f"T.clear(c){_CODE}", around="for t in T.serial(2):"),
        _kernel("T.clear(c)", around="for t in T.serial(2):", configs=ALL_COPY),
    ),
    "loop under a condition": (
        _kernel(f"T.clear(c){_CODE}", around="if by < 3:"),
        _kernel("T.clear(c)").replace(
            "T.ceildiv(K, 64), n", "T.if_then_else(by < 3, T.ceildiv(K, 64), 0), n"
        ),
    ),
    "shared store by thread": (
        _kernel(f"s[tx] = S[bx * 128 + tx]{_BY_THREAD}\nT.clear(c)"),
        _kernel("T.clear(c)"),
    ),
    "global store by thread": (
        _kernel(f"S[bx * 128 + tx] = 1.0{_BY_THREAD}\nT.clear(c)"),
        _kernel("for j in T.Parallel(128):\n    S[bx * 128 + j] = 1.0\nT.clear(c)"),
    ),
}
"""A kernel with the mistake and one without it, by what is done wrong."""

GATHER = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def build(N=2, H=16, W=16, C=64, F=128, taps=3, pad={pad}, rows={rows}, dtype="float16"):
    OH, OW = H + 2 * pad - taps + 1, W + 2 * pad - taps + 1

    @T.prim_func
    def main(
        X: T.Tensor((N, H, W, C), dtype),
        Filters: T.Tensor((taps * taps * C, F), dtype),
        Y: T.Tensor((N * OH * OW, F), dtype),
    ):
        with T.Kernel(T.ceildiv(F, 128), T.ceildiv(N * OH * OW, rows), threads=128) as (bx, by):
            a = T.alloc_shared((rows, 64), dtype)
            w = T.alloc_shared((64, 128), dtype)
            c = T.alloc_fragment((rows, 128), "float32")
            T.clear(c)
            for k in T.Pipelined(taps * taps * C // 64, num_stages=3):
                T.im2col(X, a, by, k, taps, 1, 1, pad)
                T.copy(Filters[k * 64, bx * 128], w)
                T.gemm(a, w, c)
            T.copy(c, Y[by * rows, bx * 128])

    return main
"""
