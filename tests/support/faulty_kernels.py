"""Kernels with one mistake each, in unlike forms: its line ends in the comment `# <- code`."""

FAULTY: dict[str, str] = {}


def faulty(name: str, source: str) -> None:
    FAULTY[name] = source


# Pieces that many kernels share. ------------------------------------------------------------
_EAGER = """
import tilelang
from tilelang import language as TL

@tilelang.jit
def gemm(A, B, bm: int = 64, bn: int = 64, bk: int = 32):
    M, N, K = TL.const("M, N, K")
    A: TL.Tensor[[M, K], TL.float16]
    B: TL.Tensor[[K, N], TL.float16]
    C = TL.empty([M, N], TL.float16)
    with TL.Kernel(TL.ceildiv(N, bn), TL.ceildiv(M, bm), threads=128) as (bx, by):
        a = TL.alloc_shared((bm, bk), TL.float16)
        b = TL.alloc_shared((bk, bn), TL.float16)
        acc = TL.alloc_fragment((bm, bn), TL.float32)
        TL.clear(acc)
        for ko in TL.Pipelined(TL.ceildiv(K, bk), num_stages=3):
            TL.copy(A[by * bm, ko * bk], a)
            TL.copy(B[ko * bk, bx * bn], b)
            TL.gemm(a, b, acc)
        TL.copy(acc, C[by * bm, bx * bn])
    return C
"""
_FACTORY = """
import tilelang
import tilelang.language as T

BM, BN, BK = 128, 64, 64
THREADS = 4 * 32
half = T.float16

def build(M=1024, N=1024, K=512):
    @T.macro
    def step(A, B, As, Bs, acc, by, bx, k):
        T.copy(A[by * BM, k * BK], As)
        T.copy(B[k * BK, bx * BN], Bs)
        T.gemm(As, Bs, acc)

    @T.prim_func
    def kernel(A: T.Tensor((M, K), half), B: T.Tensor((K, N), half), C: T.Tensor((M, N), half)):
        with T.Kernel(T.ceildiv(N, BN), T.ceildiv(M, BM), threads=THREADS) as (bx, by):
            As = T.alloc_shared((BM, BK), half)
            Bs = T.alloc_shared((BK, BN), half)
            acc = T.alloc_fragment((BM, BN), "float")
            T.fill(acc, 0)
            for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):
                step(A, B, As, Bs, acc, by, bx, k)
            T.copy(acc, C[by * BM : (by + 1) * BM, bx * BN : (bx + 1) * BN])

    return tilelang.compile(kernel, out_idx=[-1])
"""
HEALTHY = {"eager": _EAGER, "factory": _FACTORY}


def _changed(source: str, old: str, new: str) -> str:
    assert old in source, old
    return source.replace(old, new, 1)


def _eager(name: str, old: str, new: str) -> None:
    faulty(f"{name} (eager)", _changed(_EAGER, old, new))


def _factory(name: str, old: str, new: str) -> None:
    faulty(f"{name} (factory)", _changed(_FACTORY, old, new))


_eager("never cleared", "        TL.clear(acc)\n", "")
FAULTY["never cleared (eager)"] = _changed(
    FAULTY["never cleared (eager)"],
    "TL.gemm(a, b, acc)", "TL.gemm(a, b, acc)  # <- gemm-uninitialized-accumulator",
)  # fmt: skip
_factory(
    "clear after the loop", "            T.fill(acc, 0)\n",
    "",
)  # fmt: skip
FAULTY["clear after the loop (factory)"] = _changed(
    FAULTY["clear after the loop (factory)"],
    "T.gemm(As, Bs, acc)", "T.gemm(As, Bs, acc)  # <- gemm-uninitialized-accumulator",
)  # fmt: skip
_eager(
    "half accumulator", "TL.alloc_fragment((bm, bn), TL.float32)",
    "TL.alloc_fragment((bm, bn), TL.float16)  # <- low-precision-accumulator",
)  # fmt: skip
_factory(
    "bfloat16 accumulator", 'T.alloc_fragment((BM, BN), "float")',
    'T.alloc_fragment((BM, BN), T.bfloat16)  # <- low-precision-accumulator',
)  # fmt: skip
_eager(
    "result never stored", "    C = TL.empty([M, N], TL.float16)",
    "    C = TL.empty([M, N], TL.float16)  # <- output-not-covered",
)  # fmt: skip
FAULTY["result never stored (eager)"] = _changed(
    FAULTY["result never stored (eager)"], "        TL.copy(acc, C[by * bm, bx * bn])\n", ""
)
_factory(
    "stored back into the input",
    "T.copy(acc, C[by * BM : (by + 1) * BM, bx * BN : (bx + 1) * BN])",
    "T.copy(acc, As)",
)  # fmt: skip
FAULTY["stored back into the input (factory)"] = _changed(
    FAULTY["stored back into the input (factory)"],
    "C: T.Tensor((M, N), half)):",
    "C: T.Tensor((M, N), half)):  # <- output-not-covered unused-buffer",
)
_eager("K disagrees", "a = TL.alloc_shared((bm, bk)", "a = TL.alloc_shared((bm, 2 * bk)")
FAULTY["K disagrees (eager)"] = _changed(
    FAULTY["K disagrees (eager)"],
    "TL.gemm(a, b, acc)",
    "TL.gemm(a, b, acc)  # <- gemm-shape-mismatch",
)
_factory(
    "A stored transposed",
    "As = T.alloc_shared((BM, BK), half)",
    "As = T.alloc_shared((BK, BM), half)",
)
FAULTY["A stored transposed (factory)"] = _changed(
    FAULTY["A stored transposed (factory)"],
    "T.gemm(As, Bs, acc)",
    "T.gemm(As, Bs, acc)  # <- gemm-shape-mismatch wrong-transpose",
)
_factory("output in the middle", "out_idx=[-1]", "out_idx=1")
FAULTY["output in the middle (factory)"] = _changed(
    FAULTY["output in the middle (factory)"], "return tilelang.compile", "return tilelang.compile"
).replace("out_idx=1)", "out_idx=1)  # <- out-idx-misuse")
_factory("output beyond", "out_idx=[-1])", "out_idx=[3])  # <- out-idx-misuse")
faulty(
    "argument too many (factory)",
    _FACTORY + "\nfn = build(256, 256, 256)\nfn(a, b, c)  # <- out-idx-misuse\n",
)
_eager("64 rows on 16 warps", "threads=128", "threads=16 * 32")
FAULTY["64 rows on 16 warps (eager)"] = _changed(
    _changed(FAULTY["64 rows on 16 warps (eager)"], "bm: int = 64", "bm: int = 16"),
    "TL.gemm(a, b, acc)", "TL.gemm(a, b, acc)  # <- warp-partition-illegal",
)  # fmt: skip
_factory("48 rows on 4 warps", "BM, BN, BK = 128, 64, 64", "BM, BN, BK = 48, 8, 64")
FAULTY["48 rows on 4 warps (factory)"] = _changed(
    FAULTY["48 rows on 4 warps (factory)"],
    "T.gemm(As, Bs, acc)",
    "T.gemm(As, Bs, acc)  # <- warp-partition-illegal",
)
_eager("rows of 24", "bm: int = 64", "bm: int = 24")
FAULTY["rows of 24 (eager)"] = _changed(
    FAULTY["rows of 24 (eager)"],
    "TL.gemm(a, b, acc)",
    "TL.gemm(a, b, acc)  # <- tensor-core-shape-illegal",
)
_factory("columns of 4", "BM, BN, BK = 128, 64, 64", "BM, BN, BK = 128, 4, 64")
FAULTY["columns of 4 (factory)"] = _changed(
    FAULTY["columns of 4 (factory)"],
    "T.gemm(As, Bs, acc)",
    "T.gemm(As, Bs, acc)  # <- tensor-core-shape-illegal",
)
_eager("K of 40", "bk: int = 32", "bk: int = 40")
FAULTY["K of 40 (eager)"] = _changed(
    FAULTY["K of 40 (eager)"], "TL.gemm(a, b, acc)", "TL.gemm(a, b, acc)  # <- unaligned-block-k"
)
FAULTY["K of 16 in int8 (factory)"] = _changed(
    _FACTORY.replace("T.float16", "T.int8")
    .replace('"float"', '"int32"')
    .replace("128, 64, 64", "128, 64, 16"),
    "T.gemm(As, Bs, acc)", "T.gemm(As, Bs, acc)  # <- unaligned-block-k",
)  # fmt: skip
_eager(
    "scratch forgotten",
    "        TL.clear(acc)\n",
    "        TL.clear(acc)\n        scratch = TL.alloc_local([4], 'int32')  # <- unused-buffer\n",
)
_factory(
    "parameter forgotten",
    "C: T.Tensor((M, N), half)):",
    "bias: T.Tensor((N,), half), C: T.Tensor((M, N), half)):  # <- unused-buffer",
)
_eager(
    "serial loop",
    "for ko in TL.Pipelined(TL.ceildiv(K, bk), num_stages=3):",
    "for ko in range(TL.ceildiv(K, bk)):  # <- missing-pipelining",
)
FAULTY["serial loop (macro)"] = _changed(
    _FACTORY,
    "for k in T.Pipelined(T.ceildiv(K, BK), num_stages=2):",
    "for k in T.serial(K // BK):  # <- missing-pipelining",
)
_factory("row by row", "as (bx, by):", "as (bx, by):  # <- missing-swizzle-l2")
_eager(
    "48 threads",
    "threads=128) as (bx, by):",
    "threads=24) as (bx, by):  # <- block-smaller-than-warp",
)
_factory("100 threads", "THREADS = 4 * 32", "THREADS = 100")
FAULTY["100 threads (factory)"] = _changed(
    FAULTY["100 threads (factory)"], "as (bx, by):", "as (bx, by):  # <- block-smaller-than-warp"
)
_factory("2048 threads", "THREADS = 4 * 32", "THREADS = 1 << 11")
FAULTY["2048 threads (factory)"] = _changed(
    FAULTY["2048 threads (factory)"], "as (bx, by):", "as (bx, by):  # <- threads-over-limit"
)


def _elementwise(name: str, body: str, shapes: str = "X: T.Tensor((M, N), 'float32')") -> None:
    faulty(
        name,
        "import tilelang\nimport tilelang.language as T\n\nM, N = 64, 128\n\n@T.prim_func\n"
        f"def kernel({shapes}, Y: T.Tensor((M, N), 'float32')):\n"
        "    with T.Kernel(4, threads=128) as bx:\n" + body,
    )


_elementwise(
    "reversed row",
    """\
        f = T.alloc_fragment((N,), "float32")
        T.copy(X[bx, :], f)
        for j in T.Parallel(N):
            Y[bx, j] = f[j] - f[N - 1 - j]  # <- fragment-two-index-maps
""",
)
_elementwise(
    "neighbour by a name",
    """\
        f = T.alloc_fragment((M, N), "float32")
        T.copy(X, f)
        for i, j in T.Parallel(M, N):
            left = T.max(j - 1, 0)
            f[i, j] = f[i, j] + f[i, left]  # <- fragment-two-index-maps
        T.copy(f, Y)
""",
)
_factory(
    "columns added one by one",
    "            T.copy(acc, C",
    "            row = T.alloc_fragment((BM,), 'float32')\n"
    "            T.clear(row)\n"
    "            for j in range(BN):\n"
    "                for i in T.Parallel(BM):\n"
    "                    row[i] += acc[i, j]  # <- fragment-serial-access\n"
    "            T.copy(acc, C",
)
_elementwise(
    "serial prefix",
    """\
        f = T.alloc_fragment([N], "float32")
        T.copy(X[bx, 0], f)
        for j in T.unroll(1, N):
            f[j] = f[j] + f[j - 1]  # <- fragment-two-index-maps
        T.copy(f, Y[bx, 0])
""",
)
_elementwise(
    "modulo layout",
    """\
        s = T.alloc_shared((M, N), "float32")
        T.annotate_layout({
            s: T.Layout((M, N), lambda i, j: i * N + (j * 2) % N)  # <- layout-not-injective
        })
        T.copy(X, s)
        T.copy(s, Y)
""",
)
_elementwise(
    "layout of a function",
    """\
        def place(i, j):
            return [i & 31, j ^ (i % 8)]

        s = T.alloc_shared((M, N), "float32")
        T.annotate_layout({
            s: T.Layout(s.shape, place)  # <- layout-not-injective
        })
        T.copy(X, s)
        T.copy(s, Y)
""",
)
_elementwise(
    "maximum keeps its dimension",
    """\
        f = T.alloc_fragment((M, N), "float32")
        top = T.alloc_fragment((1, N), "float32")  # <- rank-mismatch
        T.copy(X, f)
        T.reduce_max(f, top, 0)
        T.copy(top, Y[bx, 0])
""",
)
_elementwise(
    "one index of two",
    """\
        s = T.alloc_shared((M, N), "float32")
        T.copy(X, s)
        for i in T.Parallel(M):
            s[i] = 0.0  # <- rank-mismatch
        T.copy(s, Y)
""",
)
_elementwise(
    "narrow sum",
    """\
        f = T.alloc_fragment((M, N), "float16")
        total = T.alloc_fragment((M,), "float16")  # <- low-precision-accumulator
        T.copy(X, f)
        T.reduce_sum(f, total)
        for i, j in T.Parallel(M, N):
            Y[i, j] = f[i, j] / total[i]
""",
)
faulty(
    "two depths",
    """
import tilelang.language as T

@T.prim_func
def kernel(
    A: T.Tensor((64, 256), "float16"),
    B: T.Tensor((256, 64), "float16"),
    C: T.Tensor((64, 64), "float32"),
):
    with T.Kernel(1) as _:
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        for k in T.Pipelined(4, num_stages=3):
            T.copy(A[0, k * 32], a)
            T.copy(B[k * 32, 0], b)
            T.gemm(a, b, c, clear_accum=k == 0)
        for k in T.Pipelined(4, 8, num_stages=2):  # <- sibling-pipelines-mismatch
            T.copy(A[0, k * 32], dst=a)
            T.copy(B[k * 32, 0], dst=b)
            T.gemm(a, b, c)
        T.copy(c, C)
""",
)
