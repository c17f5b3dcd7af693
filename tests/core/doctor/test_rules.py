"""Each kind of mistake is found in several forms at its line, and nothing else is said."""

import re

import pytest
from faulty_kernels import FAULTY, HEALTHY

from workbench.core.diagnostics import Severity
from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.rules import Group, Stage

_TARGETS = ("a100", "h100")
_INCIDENTAL = {rule.code for rule in RULES if rule.group is Group.GUIDELINE}


def _marked(source: str) -> set[tuple[str, int]]:
    return {
        (code, number)
        for number, line in enumerate(source.split("\n"), 1)
        if (match := re.search(r"# <- (.*)", line))
        for code in match.group(1).split()
    }


@pytest.mark.parametrize("name", FAULTY)
def test_mistake_is_found_at_its_line_and_nothing_else(name, linted):
    wanted = _marked(FAULTY[name])
    found = {(d.code, d.range.line) for d in linted(FAULTY[name], _TARGETS)}
    assert wanted
    assert wanted <= found
    assert {code for code, _ in found - wanted} <= _INCIDENTAL


@pytest.mark.parametrize("name", HEALTHY)
def test_same_kernels_without_mistakes_are_clean(name, linted):
    found = linted(HEALTHY[name], _TARGETS)
    assert [d for d in found if d.severity is not Severity.INFO] == []


def test_codes_are_unique_and_explained():
    codes = [rule.code for rule in RULES]
    assert len(codes) == len(set(codes))
    assert all(rule.explanation and rule.source and rule.title for rule in RULES)


def test_every_check_belongs_to_the_lint_stage():
    checked = [rule for rule in RULES if rule.check or rule.document_check]
    assert len(checked) >= 20
    assert {rule.stage for rule in checked} == {Stage.LINT}


_GEMM = """
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[2])
def build(M=512, N=512, K=512):
    @T.prim_func
    def main(A: T.Tensor((M, K), "{dtype}"), B: T.Tensor((N, K), "{dtype}"),
             C: T.Tensor((M, N), "float32")):
        with T.Kernel(N // 64, M // 64, threads={threads}) as (bx, by):
            a = T.alloc_shared((64, 64), "{dtype}")
            b = T.alloc_shared((64, 64), "{dtype}")
            c = T.alloc_fragment((64, 64), "float32")
            T.clear(c)
            for k in T.Pipelined(K // 64, num_stages=2):
                T.copy(A[by * 64, k * 64], a)
                T.copy(B[bx * 64, k * 64], b)
                T.gemm(a, b, c, transpose_B=True)
            T.copy(c, C[by * 64, bx * 64])
    return main
"""


def _unsupported(linted, dtype, *targets):
    found = linted(_GEMM.format(dtype=dtype, threads=128), targets)
    return [d for d in found if d.code == "target-unsupported"]


def test_a_format_is_told_for_the_targets_that_lack_it(linted):
    (found,) = _unsupported(linted, "float8_e5m2", "a100", "h100", "sm_86")
    assert found.targets == ("a100", "sm_86")
    assert found.severity is Severity.ERROR


def test_a_format_that_is_only_slow_is_a_warning(linted):
    (found,) = _unsupported(linted, "bfloat16", "t4")
    assert found.severity is Severity.WARNING


def test_formats_of_other_vendors_are_told_apart(linted):
    assert not _unsupported(linted, "float8_e4m3fnuz", "mi300x")
    assert _unsupported(linted, "float8_e4m3fn", "mi300x")


def test_threads_fill_wavefronts_of_64(linted):
    text = _GEMM.format(dtype="float16", threads=96)
    found = [d for d in linted(text, ["mi300x", "h100"]) if d.code == "block-smaller-than-warp"]
    assert [d.targets for d in found] == [("mi300x",)]
    assert "threads=128" in found[0].message


def _partition(linted, threads):
    found = linted(_GEMM.format(dtype="float16", threads=threads), ["a100"])
    return [d for d in found if d.code == "warp-partition-illegal"]


def test_a_tile_may_have_one_instruction_a_warp(linted):
    assert _partition(linted, 1024) == []  # 32 warps of 16 x 8 are a tile of 64 x 64


def test_illegal_partition_names_the_legal_thread_counts(linted):
    (found,) = _partition(linted, 96)
    assert "threads=64" in found.message
    assert 128 in found.evidence["legal_threads"]


def test_warpgroups_with_roles_of_their_own_do_not_share_a_tile(linted):
    text = _GEMM.format(dtype="float16", threads=384)
    assert "warp-partition-illegal" in [d.code for d in linted(text, ["h100"])]
    product = "T.gemm(a, b, c, transpose_B=True)"
    role = f"if T.get_thread_binding() < 128:\n                    {product}"
    asynchronous = text.replace(product, role.replace("T.gemm", "T.wgmma_gemm"))
    assert "warp-partition-illegal" not in [d.code for d in linted(asynchronous, ["h100"])]
    waiting = text.replace(
        product, role.replace("T.gemm", f"T.set_max_nreg(240, 1)\n{' ' * 20}T.gemm")
    )
    assert "warp-partition-illegal" not in [d.code for d in linted(waiting, ["h100"])]


def test_square_tiles_are_told_apart_by_their_names(linted):
    text = _GEMM.format(dtype="float16", threads=128).replace('64, 64), "float16', 'X), "float16')
    names = text.replace("a = T.alloc_shared((X)", "a = T.alloc_shared((bm, bk)")
    names = names.replace("b = T.alloc_shared((X)", "b = T.alloc_shared((bn, bk)")
    names = names.replace("T.alloc_fragment((64, 64)", "T.alloc_fragment((bm, bn)")
    names = names.replace("K=512)", "K=512, bm=64, bn=64, bk=64)")
    assert not linted(names, ["a100"])
    found = linted(names.replace(", transpose_B=True", ""), ["a100"])
    assert [d.code for d in found] == ["wrong-transpose"]


def test_accumulator_of_a_loop_over_tiles_is_cleared_in_it(linted):
    text = """
import tilelang.language as T

@T.prim_func
def kernel(A: T.Tensor((64, 256), "float16"), B: T.Tensor((256, 256), "float16"),
           C: T.Tensor((64, 256), "float32")):
    with T.Kernel(1, threads=128) as _:
        a = T.alloc_shared((64, 32), "float16")
        b = T.alloc_shared((32, 64), "float16")
        c = T.alloc_fragment((64, 64), "float32")
        T.clear(c)
        for tile in T.serial(4):
            for k in T.Pipelined(8, num_stages=2):
                T.copy(A[0, k * 32], a)
                T.copy(B[k * 32, tile * 64], b)
                T.gemm(a, b, c)
            T.copy(c, C[0, tile * 64])
"""
    (found,) = linted(text, ["a100"])
    assert (found.code, found.severity) == ("gemm-uninitialized-accumulator", Severity.WARNING)
    cleared = text.replace(
        "        T.clear(c)\n        for tile in T.serial(4):\n",
        "        for tile in T.serial(4):\n            T.clear(c)\n",
    )
    assert linted(cleared, ["a100"]) == []


_STRANGE = """
import tilelang.language as T

@T.prim_func
def kernel(A: T.Tensor(), *b, **c):
    with T.Kernel(*b, **c) as x:
        T.copy(*b)
        A[()] = A[...]
        A[:, ::2, None] += 1
        for i, (j, k) in T.Parallel(-1):
            T.reduce_sum(A, A, dim=A)
        T.annotate_layout({A: T.Layout((0,), lambda: 1 // 0), **c})
        T.gemm()
"""


@pytest.mark.parametrize("text", ["", "x = 1", "def f(:", _STRANGE])
def test_strange_sources_raise_nothing(text, linted):
    assert isinstance(linted(text, ["a100"]), list)
