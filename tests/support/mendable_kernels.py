"""Small kernels with one mistake each, which a fix by its title's beginning makes right."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Mendable:
    """A document; `until` is the stage that shows the mistake, `fixes` begin the titles to try."""

    code: str
    text: str
    fixes: tuple[str, ...]
    until: str = "lint"


def _document(body: str, args: str, kernel: str, reference: str, inputs: str = "") -> str:
    return (
        f'# /// workbench\n# kernel = "{kernel}"\n# [[case]]\n# name = "small"\n'
        f'# args = {{ {args} }}\n# targets = ["sm_80"]\n# rtol = 0.02\n# atol = 0.02\n# ///\n'
        "import tilelang\nimport tilelang.language as T\nimport torch\n\n\n"
        f"{body.strip()}\n\n\n{inputs.strip()}\n\n\n{reference.strip()}\n"
    )


_PRODUCT = """
@tilelang.jit(out_idx=[2])
def product(M, N, K, rows=32, columns=32, depth=32, threads=128, stages=2):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), "float16"),
        B: T.Tensor((K, N), "float16"),
        C: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(N, columns), T.ceildiv(M, rows), threads=threads) as (bx, by):
            left = T.alloc_shared((rows, depth), "float16")
            right = T.alloc_shared((depth, columns), "float16")
            total = T.alloc_fragment((rows, columns), "float32")
            T.clear(total)  # from nothing
            for k in T.Pipelined(T.ceildiv(K, depth), num_stages=stages):
                T.copy(A[by * rows, k * depth], left)
                T.copy(B[k * depth, bx * columns], right)
                T.gemm(left, right, total)
            T.copy(total, C[by * rows, bx * columns])

    return main
"""
_PRODUCT_REFERENCE = "def ref_program(A, B):\n    return A.float() @ B.float()\n"
_SIZES = "M = 64, N = 64, K = 64"


def _product(*changes: tuple[str, str], args: str = _SIZES, more: str = "") -> str:
    body = _PRODUCT
    for old, new in changes:
        assert old in body, old
        body = body.replace(old, new)
    return _document(body, args, "product", _PRODUCT_REFERENCE, more)


def _rows(body: str, reference: str, inputs: str = "", args: str = "M = 8, N = 64") -> str:
    head = (
        "@tilelang.jit(out_idx=[1])\ndef rows(M, N):\n    @T.prim_func\n"
        '    def main(X: T.Tensor((M, N), "float32"), Y: T.Tensor((M, {0}), "float32")):\n'
        "        with T.Kernel(1, threads=64) as bx:\n"
    )
    width = "1" if "Y[i, 0]" in body or "T.copy(s, Y)" in body else "N"
    inner = "\n".join(f"            {line}" if line else "" for line in body.strip().split("\n"))
    text = head.replace("{0}", width) + inner + "\n\n    return main\n"
    return _document(text, args, "rows", reference, inputs)


_SHARED = {
    "block_M": "M = 128, N = 128, K = 256, rows = 128, columns = 128, depth = 128, stages = 3"
}
_CLEAR = ("            T.clear(total)  # from nothing\n", "")

MENDABLE: dict[str, Mendable] = {
    "never cleared": Mendable(
        "gemm-uninitialized-accumulator", _product(_CLEAR), ("Clear total",), "lint"
    ),
    "sum in 16 bits": Mendable(
        "low-precision-accumulator",
        _product(('total = T.alloc_fragment((rows, columns), "float32")',
                  'total = T.alloc_fragment((rows, columns), "float16")')),
        ("Make total float32",),
    ),
    "wrong result": Mendable("out-idx-misuse", _product(("out_idx=[2]", "out_idx=[1]")), ("Set",)),
    "one argument too many": Mendable(
        "out-idx-misuse",
        _product(more="def example():\n    kernel = product(64, 64, 64)\n"
                 "    a = torch.rand(64, 64)\n"
                 "    out = kernel(a, a, a)\n    return out\n"),
        ("Use the tensor",),
    ),
    "serial product": Mendable(
        "missing-pipelining",
        _product(("T.Pipelined(T.ceildiv(K, depth), num_stages=stages)",
                  "range(T.ceildiv(K, depth))")),
        ("Pipeline with 2 stages: 4 KiB of shared memory → 8 KiB", "Pipeline with 3"),
    ),
    "tile never used": Mendable(
        "unused-buffer",
        _product(("            total = T.alloc",
                  "            spare = T.alloc_fragment(\n"
                  "                (rows, columns),  # same\n"
                  '                "float32",\n            )\n            total = T.alloc')),
        ("Delete spare",),
    ),
    "too many warps": Mendable(
        "warp-partition-illegal",
        _product(args=f"{_SIZES}, rows = 16, columns = 16, threads = 256"),
        ("Use 64 threads", "Use 32 threads", "Use a tile of"),
    ),
    "too much shared memory": Mendable(
        "shared-memory-over-limit",
        _product(args=_SHARED["block_M"]),
        ("Use num_stages=2", "Use depth=64"),
        "lower",
    ),
    "serial sum": Mendable(
        "fragment-serial-access",
        _document(
            _PRODUCT.replace("C: T.Tensor((M, N)", "C: T.Tensor((M,)")
            .replace("            T.copy(total, C[by * rows, bx * columns])\n",
                     '            sums = T.alloc_fragment((rows,), "float32")\n'
                     "            T.clear(sums)\n"
                     "            for i in T.Parallel(rows):\n"
                     "                for j in range(columns):\n"
                     "                    sums[i] = total[i, j] + sums[i]\n"
                     "            T.copy(sums, C[by * rows])\n"),
            "M = 32, N = 32, K = 64",
            "product",
            "def ref_program(A, B):\n    return (A.float() @ B.float()).sum(1)\n",
        ),
        ("Reduce with", "Read total from a copy"),
    ),
    "result keeps its dimension": Mendable(
        "rank-mismatch",
        _rows(
            'x = T.alloc_fragment((M, N), "float32")\n'
            's = T.alloc_fragment((M, 1), "float32")\n'
            "T.copy(X, x)\nT.reduce_max(x, s, dim=1)\nT.copy(s, Y)",
            "def ref_program(X):\n    return X.max(1, keepdim=True).values\n",
        ),
        ("Allocate s as (M,)",),
        "lower",
    ),
    "no epsilon": Mendable(
        "epsilon-missing",
        _rows(
            'x = T.alloc_fragment((M, N), "float32")\nq = T.alloc_fragment((M, N), "float32")\n'
            's = T.alloc_fragment((M,), "float32")\n'
            "T.copy(X, x)\nfor i, j in T.Parallel(M, N):\n    q[i, j] = x[i, j] * x[i, j]\n"
            "T.reduce_sum(q, s, dim=1)\n"
            "for i, j in T.Parallel(M, N):\n    x[i, j] = x[i, j] * T.rsqrt(s[i] / N)\n"
            "T.copy(x, Y)",
            "def ref_program(X):\n    return X * torch.rsqrt(X.square().mean(1, True) + 1e-6)\n",
            "def make_inputs(M, N):\n    X = torch.randn(M, N)\n    X[3] = 0\n    return (X,)\n",
        ),
        ("Add 1e-6 under the root",),
        "simulate",
    ),
    "softmax overflows": Mendable(
        "nan-source",
        _rows(
            'x = T.alloc_fragment((M, N), "float32")\ns = T.alloc_fragment((M,), "float32")\n'
            "T.copy(X, x)\nfor i, j in T.Parallel(M, N):\n    x[i, j] = T.exp(x[i, j])\n"
            "T.reduce_sum(x, s, dim=1)\n"
            "for i, j in T.Parallel(M, N):\n    Y[i, j] = x[i, j] / s[i]",
            "def ref_program(X):\n    return X.softmax(1)\n",
            "def make_inputs(M, N):\n    return (torch.randn(M, N) * 90,)\n",
        ),
        ("Subtract the maximum",),
        "simulate",
    ),
    "column of a tile": Mendable(
        "bank-conflict",
        _rows(
            's = T.alloc_shared((M, N), "float32")\n'
            "T.copy(X, s)\n"
            "for i, j in T.Parallel(N, M):\n    Y[j, i] = s[j, i]",
            "def ref_program(X):\n    return X.clone()\n",
            args="M = 32, N = 32",
        ),
        ("Pad s by 1: ",),
        "lower",
    ),
}  # fmt: skip

_SPLIT = """
@tilelang.jit
def halves(M, N, parts=2):
    @T.prim_func
    def main(X: T.Tensor((parts, M, N), "float32"), Y: T.Tensor((M, N), "float32")):
        with T.Kernel(parts, threads=64) as part:
            x = T.alloc_fragment((M, N), "float32")
            T.copy(X[part, 0, 0], x)
            {0}

    return main
"""
_SPLIT_ENDS = {
    "tiles of blocks": "T.copy(x, Y[0, 0])  # all of it",
    "elements of blocks": "for i, j in T.Parallel(M, N):\n                Y[i, j] = x[i, j]",
}
for _name, _end in _SPLIT_ENDS.items():
    MENDABLE[_name] = Mendable(
        "block-race",
        _document(
            _SPLIT.replace("{0}", _end),
            "M = 8, N = 32",
            "halves",
            "def ref_program(X, Y):\n    return X.sum(0)\n",
            "def make_inputs(M, N):\n    return (torch.randn(2, M, N), torch.zeros(M, N))\n",
        ),
        ("Add with T.atomic_add",),
        "simulate",
    )

_CONFLICT = """
@tilelang.jit(out_idx=[3])
def chain(S, D, threads=256):
    @T.prim_func
    def main(
        A: T.Tensor((S, D), "float16"),
        B: T.Tensor((S, D), "float16"),
        V: T.Tensor((S, D), "float16"),
        O: T.Tensor((S, D), "float32"),
    ):
        with T.Kernel(1, threads=threads) as bx:
            a = T.alloc_shared((S, D), "float16")
            b = T.alloc_shared((S, D), "float16")
            v = T.alloc_shared((S, D), "float16")
            s = T.alloc_fragment((S, S), "float32")
            p = T.alloc_fragment((S, S), "float16")
            o = T.alloc_fragment((S, D), "float32")
            T.copy(A, a)
            T.copy(B, b)
            T.copy(V, v)
            T.clear(s)
            T.clear(o)
            T.gemm(a, b, s, transpose_B=True, policy=T.GemmWarpPolicy.FullRow)
            T.copy(s, p)
            T.gemm(p, v, o, policy=T.GemmWarpPolicy.FullRow)
            T.copy(o, O)

    return main
"""
MENDABLE["two layouts"] = Mendable(
    "layout-conflict",
    _document(
        _CONFLICT, "S = 64, D = 32", "chain",
        "def ref_program(A, B, V):\n"
        "    return (A.float() @ B.float().T).half().float() @ V.float()\n",
    ),
    ("Use 128 threads",),
    "lower",
)  # fmt: skip

_HINTED = """
@tilelang.jit(out_idx=[1])
def twice(M, N, threads=128):
    @T.prim_func
    def main(X: T.Tensor((M, N), "float16"), Y: T.Tensor((M, N), "float16")):
        with T.Kernel(M, threads=threads) as bx:
            row = T.alloc_shared((N,), "float16")
            here = T.alloc_barrier([threads])
            T.tma_copy(X[bx, 0:N], row, barrier=here[0], eviction_policy="evict_last")
            T.barrier_arrive(here[0])
            T.barrier_wait(here[0], 0)
            for j in T.Parallel(N):
                Y[bx, j] = row[j] * 2

    return main
"""
MENDABLE["hint of one run"] = Mendable(
    "bulk-copy-hint",
    _document(
        _HINTED, "M = 8, N = 512", "twice", "def ref_program(X):\n    return X * 2\n"
    ).replace("sm_80", "h200"),
    ("Copy without eviction_policy", "Bring the copy"),
    "lower",
)
