from __future__ import annotations

from exported_kernels import item_of, request_of

from workbench.engine import compiling, lowering

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1]{decorated})
def scale(N=256):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        T.annotate_pass_configs({{tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: True}})
        T.annotate_compile_flags(["-DBODY"])
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                B[i] = A[i] * 2

    return main
"""
FAST = "tl.enable_fast_math"


def options(decorated: str = "") -> tuple[object, tuple[str, ...]]:
    item = item_of(KERNEL.format(decorated=decorated), "sm_80")
    built = compiling.build(request_of(item), item.target)
    return lowering.pass_config(built).get(FAST), built.compile_flags


def test_a_kernels_own_annotations_count() -> None:
    assert options() == (True, ("-DBODY",))


def test_the_decorators_configuration_wins_and_its_flags_follow() -> None:
    decorated = f', pass_configs={{"{FAST}": False}}, compile_flags="-DDECORATOR"'
    assert options(decorated) == (False, ("-DBODY", "-DDECORATOR"))
