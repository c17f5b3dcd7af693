from __future__ import annotations

from workbench.core.documents.reading import parse_document
from workbench.core.portability.asks import KernelAsks, asks_of

KERNEL = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def product(M=64, dtype="bfloat16", threads=128):
    @T.prim_func
    def main(A: T.Tensor((M, M), dtype), C: T.Tensor((M, M), "float32")):
        with T.Kernel(1, threads=threads) as bx:
            tx = T.get_thread_binding()
            tile = T.alloc_shared((M, M), dtype)
            total = T.alloc_fragment((M, M), "float32")
            T.clear(total)
            for k in T.Pipelined(4, num_stages=2):
                T.copy(A, tile)
                T.gemm(tile, tile, total)
            if tx % 32 == 0:
                total[0, 0] = T.shfl_down(total[0, 0], 1)
            T.copy(total, C)

    return main
"""


def asks(text: str = KERNEL, **args: object) -> KernelAsks:
    document = parse_document(text)
    return asks_of(text, document.kernels[0], args)


def test_products_types_and_threads_follow_the_arguments() -> None:
    found = asks(threads=256, dtype="float16")
    (product,) = found.products
    assert (product.line, product.a_dtype, product.c_dtype) == (16, "float16", "float32")
    assert {place.name for place in found.dtypes} == {"float16", "float32"}
    assert (found.threads, found.threads_line, found.pipelined_line) == (256, 9, 14)


def test_lines_that_hold_for_warps_of_32_alone() -> None:
    assert [(p.name, p.line) for p in asks().warps] == [("tx % 32", 17), ("T.shfl_down", 18)]
    sizes = KERNEL.replace("tx % 32 == 0", "bx % 32 == 0").replace(
        "T.shfl_down(total[0, 0], 1)", "1.0"
    )
    assert asks(sizes).warps == ()


def test_the_dialect_is_the_module_of_the_operations() -> None:
    assert asks().dialect == "tilelang.language"
    ascend = KERNEL.replace("import tilelang.language as T", "import tilelang.ascend.language as T")
    assert asks(ascend).dialect == "tilelang.ascend.language"


def test_nothing_is_asked_by_a_text_that_python_cannot_read() -> None:
    document = parse_document(KERNEL)
    assert asks_of("def (:", document.kernels[0], {}) == KernelAsks()
