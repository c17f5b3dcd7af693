"""Threads that go their own way and wait for each other: barriers, grids, and deadlocks."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import pytest
import tilelang
import tilelang.language as T
import torch

HOPPER = {"kind": "cuda", "arch": "sm_90a"}
BLACKWELL = {"kind": "cuda", "arch": "sm_100a"}


def values(*shape, dtype=torch.float16, seed=6):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(dtype)


def close(got, expected, tolerance=1e-2):
    torch.testing.assert_close(got.double(), expected, rtol=tolerance, atol=tolerance)


def produced(wait_parity):
    """A GEMM whose warp group 1 copies what warp group 0 multiplies."""

    @tilelang.jit
    def gemm(K=128):
        @T.prim_func
        def main(
            A: T.Tensor((128, K), "float16"),
            B: T.Tensor((K, 64), "float16"),
            C: T.Tensor((128, 64), "float16"),
        ):
            with T.Kernel(2, threads=256) as bx:
                a = T.alloc_shared((64, 32), "float16")
                b = T.alloc_shared((32, 64), "float16")
                c = T.alloc_fragment((64, 64), "float32")
                ready = T.alloc_barrier(arrive_count=128)
                done = T.alloc_barrier(arrive_count=128)
                with T.ws(0):
                    T.clear(c)
                for ko in T.serial(K // 32):
                    with T.ws(1):
                        T.barrier_wait(done, (ko + wait_parity) % 2)
                        T.tma_copy(A[bx * 64, ko * 32], a, barrier=ready)
                        T.tma_copy(B[ko * 32, 0], b, barrier=ready)
                        T.barrier_arrive(ready)
                    with T.ws(0):
                        T.barrier_wait(ready, ko % 2)
                        T.gemm(a, b, c)
                        T.barrier_arrive(done)
                with T.ws(0):
                    T.copy(c, C[bx * 64, 0])

        return main

    return gemm


def test_producer_and_consumer(build, simulate):
    a, b = values(128, 128), values(128, 64, seed=7)
    outcome = simulate(build(produced(1), lowering=HOPPER), a, b)
    close(outcome.tensors[2], a.double() @ b.double())
    assert outcome.report.findings == ()


def test_wrong_parity_is_a_deadlock_at_its_line(build, simulate):
    program = build(produced(0), lowering=HOPPER)
    outcome = simulate(program, values(128, 128), values(128, 64))
    found = {each.buffer: each for each in outcome.report.findings}
    with open(__file__, encoding="utf-8") as source:
        lines = source.read().splitlines()
    assert set(found) == {"ready", "done"}
    assert all(each.code == "barrier-deadlock" for each in found.values())
    # TileLang gives what stands in `with T.ws(...)` the line of the `with`.
    assert "T.ws(1)" in lines[found["done"].line - 1]
    assert "parity 0 of done" in found["done"].message
    assert found["done"].count == 2


def test_pipeline_of_two_stages_runs_ahead(build, simulate):
    """The producer fills both stages before the consumer reads the first."""

    @tilelang.jit
    def staged(N=8):
        @T.prim_func
        def main(A: T.Tensor((N, 64), "float32"), B: T.Tensor((N, 64), "float32")):
            with T.Kernel(1, threads=256):
                s = T.alloc_shared((2, 64), "float32")
                own = T.alloc_fragment((64,), "float32")
                full = T.alloc_barrier(arrive_count=[128, 128])
                empty = T.alloc_barrier(arrive_count=[128, 128])
                tx = T.get_thread_binding()
                if tx < 128:
                    for k in T.serial(N):
                        T.mbarrier_wait_parity(empty[k % 2], (k // 2 + 1) % 2)
                        T.copy(A[k, :], s[k % 2, :])
                        T.mbarrier_arrive(full[k % 2])
                else:
                    for k in T.serial(N):
                        T.mbarrier_wait_parity(full[k % 2], (k // 2) % 2)
                        T.copy(s[k % 2, :], own)
                        for i in T.Parallel(64):
                            own[i] = own[i] * 2.0
                        T.copy(own, B[k, :])
                        T.mbarrier_arrive(empty[k % 2])

        return main

    a = values(8, 64, dtype=torch.float32)
    outcome = simulate(build(staged, lowering=HOPPER), a)
    assert torch.equal(outcome.tensors[1], a * 2)
    assert outcome.report.findings == ()


def test_roles_have_fragments_of_their_own(build, simulate):
    @tilelang.jit
    def halves():
        @T.prim_func
        def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((2, 64), "float32")):
            with T.Kernel(1, threads=256):
                own = T.alloc_fragment((64,), "float32")
                met = T.alloc_barrier(arrive_count=256)
                tx = T.get_thread_binding()
                if tx < 128:
                    T.copy(A[0, :], own)
                    T.barrier_arrive(met)
                    T.barrier_wait(met, 0)
                    T.copy(own, B[1, :])
                else:
                    T.copy(A[1, :], own)
                    T.barrier_arrive(met)
                    T.barrier_wait(met, 0)
                    T.copy(own, B[0, :])

        return main

    a = values(2, 64, dtype=torch.float32)
    outcome = simulate(build(halves, lowering=HOPPER), a)
    assert torch.equal(outcome.tensors[1], a.flip(0))


def test_one_elected_thread_copies_for_all(build, simulate):
    @tilelang.jit
    def elected():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=128):
                s = T.alloc_shared((64,), "float32")
                ready = T.alloc_barrier(arrive_count=1)
                tx = T.get_thread_binding()
                if tx == 0:
                    T.tma_copy(A[0:64], s, barrier=ready)
                    T.mbarrier_arrive(ready)
                T.mbarrier_wait_parity(ready, 0)
                T.copy(s, B)

        return main

    a = values(64, dtype=torch.float32)
    assert torch.equal(simulate(build(elected, lowering=HOPPER), a).tensors[1], a)


def test_named_barrier_among_some_threads(build, simulate):
    @tilelang.jit
    def turned():
        @T.prim_func
        def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float32")):
            with T.Kernel(1, threads=256):
                s = T.alloc_shared((128,), "float32")
                tx = T.get_thread_binding()
                if tx >= 128:
                    T.sync_threads(3, 256)
                    B[tx - 128] = s[255 - tx]
                else:
                    s[tx] = A[tx]
                    T.sync_threads(3, 256)

        return main

    a = values(128, dtype=torch.float32)
    assert torch.equal(simulate(build(turned, lowering=HOPPER), a).tensors[1], a.flip(0))


def test_blocks_wait_for_the_grid(build, simulate):
    @tilelang.jit
    def two_steps(N=4):
        @T.prim_func
        def main(
            A: T.Tensor((N,), "int32"), P: T.Tensor((N,), "int32"), B: T.Tensor((N,), "int32")
        ):
            with T.Kernel(N, threads=32) as bx:
                tx = T.get_thread_binding()
                if tx == 0:
                    P[bx] = A[bx] * 2
                T.sync_grid()
                if tx == 0:
                    B[bx] = P[(bx + 1) % N]

        return main

    a = torch.tensor([3, 1, 4, 1], dtype=torch.int32)
    outcome = simulate(build(two_steps), a, torch.zeros(4, dtype=torch.int32), sample=1)
    assert outcome.tensors[2].tolist() == [2, 8, 2, 6]
    assert outcome.report.blocks_run == 4


def spinning(released):
    """Each block waits for the flag of the one behind it; the last one raises its own."""

    @tilelang.jit
    def chain(N=4):
        @T.prim_func
        def main(F: T.Tensor((N + 1,), "int32"), B: T.Tensor((N,), "int32")):
            with T.Kernel(N, threads=32) as bx:
                tx = T.get_thread_binding()
                if tx == 0:
                    if bx == N - 1:
                        F[N] = released
                    while T.atomic_load(F[bx + 1]) == 0:
                        T.evaluate(0)
                    B[bx] = F[bx + 1] + 1
                    T.atomic_add(F[bx], F[bx + 1] + 1)

        return main

    return chain


def test_blocks_spin_on_flags(build, simulate):
    outcome = simulate(build(spinning(1)), torch.zeros(5, dtype=torch.int32))
    assert outcome.tensors[1].tolist() == [5, 4, 3, 2]
    assert outcome.report.findings == ()


def test_flag_that_nobody_raises_is_a_deadlock(build, simulate):
    outcome = simulate(build(spinning(0)), torch.zeros(5, dtype=torch.int32))
    found = outcome.report.findings[0]
    assert (found.code, found.severity, found.count) == ("barrier-deadlock", "error", 4)


def test_writes_of_interleaved_blocks_are_told_apart(build, simulate):
    outcome = simulate(build(spinning(1)), torch.zeros(5, dtype=torch.int32), record_writes=True)
    rows = outcome.report.writes[1]
    assert sorted(zip(rows.blocks[:, 0].tolist(), rows.starts[:, 0].tolist(), strict=True)) == [
        (0, 0),
        (1, 1),
        (2, 2),
        (3, 3),
    ]


@pytest.mark.parametrize("transposed", [False, True])
def test_tensor_memory_holds_the_accumulator(build, simulate, transposed):
    @tilelang.jit
    def gemm(K=64):
        b_shape = (128, K) if transposed else (K, 128)

        @T.prim_func
        def main(
            A: T.Tensor((128, K), "bfloat16"),
            B: T.Tensor(b_shape, "bfloat16"),
            C: T.Tensor((128, 128), "float32"),
        ):
            with T.Kernel(1, threads=128):
                a = T.alloc_shared((128, K), "bfloat16")
                b = T.alloc_shared(b_shape, "bfloat16")
                acc = T.alloc_tmem((128, 128), "float32")
                own = T.alloc_fragment((128, 128), "float32")
                done = T.alloc_barrier(1)
                T.copy(A, a)
                T.copy(B, b)
                for k in T.serial(2):
                    T.tcgen05_gemm(
                        a, b, acc, transpose_B=transposed, mbar=done, clear_accum=(k == 0)
                    )
                    T.mbarrier_wait_parity(done, k % 2)
                T.copy(acc, own)
                T.copy(own, C)

        return main

    a, b = values(128, 64, dtype=torch.bfloat16), values(64, 128, dtype=torch.bfloat16)
    given = b.T.contiguous() if transposed else b
    outcome = simulate(build(gemm, lowering=BLACKWELL), a, given)
    close(outcome.tensors[2], 2 * (a.double() @ b.double()), 1e-4)
    assert outcome.report.findings == ()


def test_two_blocks_multiply_together(build, simulate):
    """Each has its rows of A and half the columns of B; the first one issues for both."""

    @tilelang.jit
    def gemm(K=64):
        @T.prim_func
        def main(
            A: T.Tensor((256, K), "bfloat16"),
            B: T.Tensor((K, 128), "bfloat16"),
            C: T.Tensor((256, 128), "float32"),
        ):
            with T.ClusterKernel(2, threads=128, cluster_dims=2) as bx:
                a = T.alloc_shared((128, 32), "bfloat16")
                b = T.alloc_shared((32, 64), "bfloat16")
                acc = T.alloc_tmem((128, 128), "float32")
                own = T.alloc_fragment((128, 128), "float32")
                loaded = T.alloc_cluster_barrier([64])
                consumed = T.alloc_cluster_barrier([1])
                full = T.alloc_barrier([1])
                tx = T.get_thread_binding()
                rank = T.block_rank_in_cluster()
                if tx < 32:
                    for k in T.serial(K // 32):
                        T.mbarrier_wait_parity(consumed, (k & 1) ^ 1)
                        T.tma_copy(A[bx * 128, k * 32], a, barrier=loaded)
                        T.tma_copy(B[k * 32, rank * 64], b, barrier=loaded)
                        T.mbarrier_arrive(loaded, 0)
                elif rank == 0 and tx < 64:
                    for k in T.serial(K // 32):
                        T.mbarrier_wait_parity(loaded, k & 1)
                        T.tcgen05_gemm(a, b, acc, mbar=consumed, clear_accum=k == 0, use_2cta=True)
                    T.tcgen05_mma_arrive(full, arrive_2cta=True)
                T.mbarrier_wait_parity(full, 0)
                T.copy(acc, own)
                T.copy(own, C[bx * 128, 0])

        return main

    a, b = values(256, 64, dtype=torch.bfloat16), values(64, 128, dtype=torch.bfloat16)
    outcome = simulate(build(gemm, lowering=BLACKWELL), a, b)
    close(outcome.tensors[2], a.double() @ b.double(), 1e-4)
    assert outcome.report.findings == ()


def test_cluster_waits_for_all_its_blocks(build, simulate):
    @tilelang.jit
    def exchanged():
        @T.prim_func
        def main(P: T.Tensor((4,), "int32"), B: T.Tensor((4,), "int32")):
            with T.ClusterKernel(4, threads=32, cluster_dims=2) as bx:
                tx = T.get_thread_binding()
                if tx == 0:
                    P[bx] = bx * 10 + T.block_rank_in_cluster()
                T.cluster_sync()
                if tx == 0:
                    B[bx] = P[bx ^ 1]

        return main

    program = build(exchanged, lowering=HOPPER)
    outcome = simulate(program, torch.zeros(4, dtype=torch.int32))
    assert outcome.tensors[1].tolist() == [11, 0, 31, 20]
    assert simulate(program, torch.zeros(4, dtype=torch.int32), sample=1).report.blocks_run == 2


def test_multicast_gives_all_blocks_the_first_ones_tile(build, simulate):
    @tilelang.jit
    def multicast():
        @T.prim_func
        def main(A: T.Tensor((8, 64), "float16"), B: T.Tensor((8, 64), "float16")):
            with T.ClusterKernel(8, threads=128, cluster_dims=4) as bx:
                s = T.alloc_shared((64,), "float16")
                T.copy_cluster(A[bx, 0:64], s, cluster_mask=0b0011)
                T.copy(s, B[bx, 0:64])

        return main

    a = values(8, 64)
    outcome = simulate(build(multicast, lowering=HOPPER), a)
    assert torch.equal(outcome.tensors[1], a[[0, 0, 2, 3, 4, 4, 6, 7]])
