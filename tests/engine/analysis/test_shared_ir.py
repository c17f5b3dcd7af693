from __future__ import annotations

import itertools

from workbench.core.analysis.shared_sites import Level, SharedKind, SharedSite

from .conftest import Analyze

TRANSPOSE = """
import tilelang
import tilelang.language as T

@tilelang.jit
def transpose():
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
        with T.Kernel(2, 2, threads=256) as (bx, by):
            S = T.alloc_shared((32, 32), "float32")
            for i, j in T.Parallel(32, 32):
                S[i, j] = A[by * 32 + i, bx * 32 + j]
            for i, j in T.Parallel(32, 32):
                B[bx * 32 + i, by * 32 + j] = S[j, i]
    return main
"""
COUNTING = """
import tilelang
import tilelang.language as T

@tilelang.jit
def counting():
    @T.prim_func
    def main(Y: T.Tensor((4, 64), "int32")):
        with T.Kernel(4, threads=64) as bx:
            H = T.alloc_shared((64,), "int32")
            tx = T.get_thread_binding(0)
            H[tx] = 0
            T.sync_threads()
            T.atomic_add(H[tx // 4], 1)
            T.atomic_add(H[tx // 4], 3)
            T.sync_threads()
            Y[bx, tx] = H[tx]
    return main
"""
MACRO = """
import tilelang
import tilelang.language as T

@T.macro
def put(S, tx):
    S[tx * 2] = 1.0

@tilelang.jit
def through_macros():
    @T.prim_func
    def main(X: T.Tensor((8, 128), "float32"), Y: T.Tensor((8,), "float32")):
        with T.Kernel(8, threads=128) as bx:
            S = T.alloc_shared((256,), "float32")
            x = T.alloc_fragment((1, 128), "float32")
            y = T.alloc_fragment((1,), "float32")
            put(S, T.get_thread_binding(0))
            T.copy(X[bx, 0], x)
            T.reduce_sum(x, y, dim=1)
            Y[bx] = y[0] + S[0]
    return main
"""


def line_of(text: str, part: str) -> int:
    return next(n for n, line in enumerate(text.splitlines(), 1) if part in line)


def only(sites: tuple[SharedSite, ...], kind: SharedKind) -> SharedSite:
    (found,) = [site for site in sites if site.kind is kind]
    return found


def test_a_column_of_a_row_major_tile_conflicts_on_its_line(analyze: Analyze) -> None:
    report = analyze(TRANSPOSE, "h200").report
    assert (report.level, report.lacks) == (Level.IR, "not compiled")
    load = only(report.sites, SharedKind.LOAD)
    assert (load.line, load.buffer) == (line_of(TRANSPOSE, "S[j, i]"), "S")
    assert (load.instructions, load.wavefronts, load.ideal) == (128, 4096, 128)
    assert (load.conflicts, load.ways, load.width_bytes) == (3968, 32, 4)
    assert load.pattern is not None
    steps = {b - a for a, b in itertools.pairwise(load.pattern.addresses)}
    assert steps == {128}
    line = next(each for each in report.lines if each.line == load.line)
    assert (line.wavefronts, line.conflicts, line.differs) == (4096, 3968, False)


def test_counting_by_one_is_joined_and_adding_more_is_not(analyze: Analyze) -> None:
    sites = analyze(COUNTING, "h200").report.sites
    atomics = {s.line: s for s in sites if s.kind is SharedKind.INTEGER_ATOMIC}
    assert atomics[line_of(COUNTING, "], 1)")].wavefronts == 8
    assert atomics[line_of(COUNTING, "], 3)")].wavefronts == 32


def test_what_a_macro_does_is_told_at_the_persons_line(analyze: Analyze) -> None:
    sites = analyze(MACRO, "h200").report.sites
    own = [site for site in sites if site.buffer == "S" and site.kind is SharedKind.STORE]
    assert [site.line for site in own] == [line_of(MACRO, "S[tx * 2]")]
    reduced = [site for site in sites if site.operation == "AllReduce"]
    assert {site.line for site in reduced} == {line_of(MACRO, "reduce_sum")}
    assert sum(site.wavefronts or 0 for site in reduced) == 8 * 4 * 2 * 2


def test_an_architecture_without_measurements_says_so(analyze: Analyze) -> None:
    measured = only(analyze(TRANSPOSE, "h200").report.sites, SharedKind.LOAD)
    other = only(analyze(TRANSPOSE, "a100").report.sites, SharedKind.LOAD)
    assert (measured.measured_on is None, other.measured_on) == (False, None)
    assert other.wavefronts == measured.wavefronts


def test_amd_has_64_lanes_and_no_measurement(analyze: Analyze) -> None:
    load = only(analyze(TRANSPOSE, "mi300x").report.sites, SharedKind.LOAD)
    assert (load.instructions, load.measured_on) == (64, None)
    assert load.wavefronts == 64 * 2 * 32
