"""Two warpgroups that take turns: one multiplies while the other computes what comes next."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator.teams import Barrier

HOPPER = {"kind": "cuda", "arch": "sm_90a"}
ROWS, COLUMNS, DEPTH, STEPS = 128, 32, 32, 4


def values(*shape, seed=6):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(torch.float16)


def scored(
    first=True,
    passes=True,
    late=False,
    arrivals=256,
    free=256,
    kind="named",
    policy="FullRow",
):
    """Row sums of exp(A @ B * S) where B comes in steps; the groups multiply by turns.

    `first` has one of them begin, `passes` the turn on (`late`: once it has its sums); `arrivals`
    lets it go, `free` B be overwritten. `kind` tells barriers by number from those in memory.
    """
    freed_by = 128 if free == 128 else 256

    @tilelang.jit
    def kernel():
        @T.prim_func
        def main(
            A: T.Tensor((ROWS, DEPTH), "float16"),
            B: T.Tensor((DEPTH, COLUMNS * STEPS), "float16"),
            S: T.Tensor((COLUMNS * STEPS,), "float32"),
            Out: T.Tensor((ROWS,), "float32"),
        ):
            with T.Kernel(1, threads=384):
                a = T.alloc_shared((ROWS, DEPTH), "float16")
                b = T.alloc_shared((DEPTH, COLUMNS), "float16")
                scores = T.alloc_fragment((ROWS, COLUMNS), "float32")
                scale = T.alloc_fragment((COLUMNS,), "float32")
                total = T.alloc_fragment((ROWS,), "float32")
                part = T.alloc_fragment((ROWS,), "float32")
                a_here = T.alloc_barrier(128)
                b_here = T.alloc_barrier(128)
                b_free = T.alloc_barrier(free)
                turn = T.alloc_barrier([128, 128])
                tx = T.get_thread_binding()
                group = tx // 128
                if tx >= 256:
                    T.tma_copy(A[0, 0], a, barrier=a_here)
                    T.barrier_arrive(a_here)
                    for k in T.serial(STEPS):
                        T.barrier_wait(b_free, 1 - k % 2)
                        T.tma_copy(B[0, k * COLUMNS], b, barrier=b_here)
                        T.barrier_arrive(b_here)
                else:
                    T.clear(total)
                    if first and tx >= 128:
                        if kind == "named":
                            T.named_barrier_arrive(8, 256)
                        else:
                            T.barrier_arrive(turn[0])
                    T.barrier_wait(a_here, 0)
                    for k in T.serial(STEPS):
                        T.barrier_wait(b_here, k % 2)
                        if kind == "named":
                            T.sync_threads(8 + group, arrivals)
                        else:
                            T.barrier_wait(turn[group], k % 2)
                        T.gemm(
                            a,
                            b,
                            scores,
                            policy=getattr(T.GemmWarpPolicy, policy),
                            clear_accum=True,
                        )
                        if passes and not late:
                            if kind == "named":
                                T.named_barrier_arrive(9 - group, 256)
                            else:
                                T.barrier_arrive(turn[1 - group])
                        if freed_by == 256 or tx < 128:
                            T.barrier_arrive(b_free)
                        # With rows divided, each group has all of this for itself.
                        T.copy(S[k * COLUMNS : (k + 1) * COLUMNS], scale)
                        for i, j in T.Parallel(ROWS, COLUMNS):
                            scores[i, j] = T.exp(scores[i, j] * scale[j])
                        T.reduce_sum(scores, part, dim=1)
                        if late:
                            T.named_barrier_arrive(9 - group, 256)
                        for i in T.Parallel(ROWS):
                            total[i] += part[i]
                    T.copy(total, Out)

        return main

    return kernel


def run(build, simulate, checks=True, a=None, **how):
    """Return the greatest error of the sums, relative to each, and the findings."""
    a = values(ROWS, DEPTH) if a is None else a
    b = values(DEPTH, COLUMNS * STEPS, seed=7) / 8
    s = torch.linspace(0.5, 1.5, COLUMNS * STEPS)
    outcome = simulate(build(scored(**how), lowering=HOPPER, checks=checks), a, b, s)
    want = (a.double() @ b.double() * s.double()).exp().sum(1)
    error = ((outcome.tensors[3].double() - want).abs() / want).max().item()
    return error, outcome.report.findings


@pytest.mark.parametrize("kind", ["named", "memory"])
def test_groups_take_turns(build, simulate, kind):
    error, findings = run(build, simulate, kind=kind)
    assert error < 1e-3
    assert findings == ()


def lines_of(text):
    with open(__file__, encoding="utf-8") as source:
        return {number for number, line in enumerate(source, 1) if text in line}


@pytest.mark.parametrize(
    ("how", "waits"),
    [
        ({"first": False}, "T.sync_threads(8 + group"),
        ({"passes": False}, "T.sync_threads(8 + group"),
        ({"arrivals": 384}, "T.sync_threads(8 + group"),
        ({"first": False, "kind": "memory"}, "T.barrier_wait(turn[group]"),
        ({"passes": False, "kind": "memory"}, "T.barrier_wait(turn[group]"),
        ({"free": 384}, "T.barrier_wait(b_free"),
    ],
    ids=["nobody-begins", "not-passed", "count", "begin-memory", "pass-memory", "never-free"],
)
def test_turns_that_nobody_gives_are_a_deadlock(build, simulate, how, waits):
    _, findings = run(build, simulate, checks=False, **how)
    assert {each.code for each in findings} == {"barrier-deadlock"}
    assert lines_of(waits) & {each.line for each in findings}


def test_what_one_group_frees_is_overwritten_under_the_other(build, simulate):
    error, _ = run(build, simulate, checks=False, free=128)
    assert error > 1e-2


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("policy", ["FullRow", "FullCol"])
def test_sum_across_the_groups_needs_both_of_them(build, simulate, policy, late):
    """With columns divided a row's sum is of both groups: inside of a turn that cannot be."""
    error, findings = run(build, simulate, checks=False, policy=policy, late=late)
    if policy == "FullCol" and late:
        assert {each.code for each in findings} == {"barrier-deadlock"}
    else:
        assert error < 1e-3
        assert findings == ()


def test_finding_names_the_iteration_in_the_whole_loop(build, simulate):
    """Row 100 is of the second group, whose part of the loop has 64 rows."""
    a = torch.zeros(ROWS, DEPTH, dtype=torch.float16)
    a[100] = 1000
    _, findings = run(build, simulate, a=a)
    found = next(each for each in findings if each.code == "nan-source")
    assert found.index[0] == found.loops["i"] == 100
    assert "place" not in found.message


def test_what_both_groups_write_to_shared_memory_is_done_together(build, simulate):
    """TileLang has them wait for each other there, where nobody's turn is in the way."""

    @tilelang.jit
    def reversed_sums():
        @T.prim_func
        def main(A: T.Tensor((ROWS,), "float32"), Out: T.Tensor((ROWS,), "float32")):
            with T.Kernel(1, threads=256):
                own = T.alloc_fragment((ROWS,), "float32")
                sums = T.alloc_shared((ROWS,), "float32")
                group = T.get_thread_binding() // 128
                if group == 1:
                    T.named_barrier_arrive(8, 256)
                for k in T.serial(STEPS):
                    T.sync_threads(8 + group, 256)
                    T.copy(A, own)
                    # In a turn there is nobody to wait for.
                    T.copy(own, sums)
                    T.named_barrier_arrive(9 - group, 256)
                    T.copy(sums, own)
                    for i in T.Parallel(ROWS):
                        own[i] += k
                T.copy(own, sums)
                for i in T.Parallel(ROWS):
                    Out[i] = sums[ROWS - 1 - i]

        return main

    a = torch.arange(ROWS, dtype=torch.float32)
    outcome = simulate(build(reversed_sums, lowering=HOPPER, checks=True), a)
    assert torch.equal(outcome.tensors[1], a.flip(0) + STEPS - 1)
    assert outcome.report.findings == ()


def test_barrier_waits_for_the_greatest_number_that_threads_name():
    barrier = Barrier("number 8", 256)
    barrier.arrive(128)
    barrier.expect(384)
    barrier.arrive(128)
    assert barrier.phases == 0
    barrier.arrive(128)
    assert barrier.phases == 1
