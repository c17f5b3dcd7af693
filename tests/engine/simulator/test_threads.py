"""Kernels that tell their threads apart: a lane axis, and masks where they diverge."""

# ruff: noqa: N803, N812, SIM108 - kernels are written in TileLang's own style

import tilelang
import tilelang.language as T
import torch


def values(*shape, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(4)).to(dtype)


def test_each_thread_has_its_element(build, simulate):
    @tilelang.jit
    def doubled(N=256):
        @T.prim_func
        def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
            with T.Kernel(N // 64, threads=64) as bx:
                tx = T.get_thread_binding(0)
                B[bx * 64 + tx] = A[bx * 64 + tx] * 2.0

        return main

    a = values(256)
    assert torch.equal(simulate(build(doubled), a).tensors[1], a * 2)


def test_two_thread_dimensions(build, simulate):
    @tilelang.jit
    def transposed():
        @T.prim_func
        def main(A: T.Tensor((8, 16), "float32"), B: T.Tensor((16, 8), "float32")):
            with T.Kernel(1, threads=(16, 8)):
                tx = T.get_thread_binding(0)
                ty = T.get_thread_binding(1)
                B[tx, ty] = A[ty, tx]

        return main

    a = values(8, 16)
    assert torch.equal(simulate(build(transposed), a).tensors[1], a.T)


def test_divergent_branches(build, simulate):
    @tilelang.jit
    def branches():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                if tx % 2 == 0:
                    B[tx] = A[tx]
                else:
                    B[tx] = -A[tx]

        return main

    a = values(64)
    sign = torch.tensor([1.0, -1.0] * 32)
    assert torch.equal(simulate(build(branches), a).tensors[1], a * sign)


def test_tree_reduction_in_shared_memory(build, simulate):
    @tilelang.jit
    def tree():
        @T.prim_func
        def main(A: T.Tensor((4, 128), "float32"), B: T.Tensor((4,), "float32")):
            with T.Kernel(4, threads=128) as bx:
                s = T.alloc_shared((128,), "float32")
                tx = T.get_thread_binding(0)
                s[tx] = A[bx, tx]
                T.sync_threads()
                for step in T.serial(7):
                    if tx < (64 >> step):
                        s[tx] = s[tx] + s[tx + (64 >> step)]
                    T.sync_threads()
                if tx == 0:
                    B[bx] = s[0]

        return main

    a = values(4, 128)
    outcome = simulate(build(tree), a)
    torch.testing.assert_close(outcome.tensors[1].double(), a.double().sum(1), rtol=1e-5, atol=1e-5)
    assert outcome.report.findings == ()


def test_local_memory_is_per_thread(build, simulate):
    @tilelang.jit
    def local_sums():
        @T.prim_func
        def main(A: T.Tensor((64, 4), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                own = T.alloc_local((4,), "float32")
                total = T.alloc_local((1,), "float32")
                for k in T.serial(4):
                    own[k] = A[tx, k]
                total[0] = 0.0
                for k in T.serial(4):
                    total[0] += own[k]
                B[tx] = total[0]

        return main

    a = values(64, 4)
    torch.testing.assert_close(simulate(build(local_sums), a).tensors[1], a.sum(1))


def test_trip_count_that_differs_between_threads(build, simulate):
    @tilelang.jit
    def counts():
        @T.prim_func
        def main(N: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                total = T.alloc_var("int32", init=0)
                for k in T.serial(N[tx]):
                    total = total + k
                B[tx] = total

        return main

    n = torch.arange(32, dtype=torch.int32) % 7
    assert torch.equal(simulate(build(counts), n).tensors[1], n * (n - 1) // 2)


def test_while_runs_until_each_thread_is_done(build, simulate):
    @tilelang.jit
    def collatz():
        @T.prim_func
        def main(N: T.Tensor((32,), "int32"), B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                x = T.alloc_var("int32", init=0)
                steps = T.alloc_var("int32", init=0)
                x = N[tx]
                while x > 1:
                    if x % 2 == 0:
                        x = x // 2
                    else:
                        x = 3 * x + 1
                    steps = steps + 1
                B[tx] = steps

        return main

    def reference(x):
        steps = 0
        while x > 1:
            x, steps = (x // 2 if x % 2 == 0 else 3 * x + 1), steps + 1
        return steps

    n = torch.arange(1, 33, dtype=torch.int32)
    expected = torch.tensor([reference(int(x)) for x in n], dtype=torch.int32)
    assert torch.equal(simulate(build(collatz), n).tensors[1], expected)


def test_break_leaves_single_threads(build, simulate):
    @tilelang.jit
    def first_zero():
        @T.prim_func
        def main(A: T.Tensor((32, 8), "int32"), B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                found = T.alloc_var("int32", init=8)
                for k in T.serial(8):
                    if A[tx, k] == 0:
                        found = k
                        T.loop_break()
                B[tx] = found

        return main

    a = torch.randint(0, 4, (32, 8), generator=torch.Generator().manual_seed(5), dtype=torch.int32)
    a[:, 7] = 0
    expected = (a == 0).int().argmax(1).int()
    assert torch.equal(simulate(build(first_zero), a).tensors[1], expected)


def test_early_return(build, simulate):
    @tilelang.jit
    def guarded():
        @T.prim_func
        def main(A: T.Tensor((50,), "float32"), B: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                B[tx] = 0.0
                if tx >= 50:
                    T.thread_return()
                B[tx] = A[tx]

        return main

    a = values(50)
    assert torch.equal(simulate(build(guarded), a).tensors[1], torch.cat([a, torch.zeros(14)]))


def test_copies_of_a_thread_into_its_registers(build, simulate):
    @tilelang.jit
    def vectors():
        @T.prim_func
        def main(A: T.Tensor((256,), "float16"), B: T.Tensor((256,), "float16")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                own = T.alloc_local((4,), "float16")
                T.copy(A[tx * 4 : tx * 4 + 4], own)
                for k in T.vectorized(4):
                    own[k] = own[k] + own[k]
                T.copy(own, B[tx * 4 : tx * 4 + 4])

        return main

    a = values(256, dtype=torch.float16)
    assert torch.equal(simulate(build(vectors), a).tensors[1], a * 2)


def test_continue_skips_the_rest_in_single_threads(build, simulate):
    @tilelang.jit
    def odd_sums():
        @T.prim_func
        def main(A: T.Tensor((32, 8), "int32"), B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                total = T.alloc_var("int32", init=0)
                for k in T.serial(8):
                    if A[tx, k] % 2 == 0:
                        continue
                    total = total + A[tx, k]
                B[tx] = total

        return main

    a = torch.randint(0, 9, (32, 8), generator=torch.Generator().manual_seed(5), dtype=torch.int32)
    expected = torch.where(a % 2 == 1, a, 0).sum(1).int()
    assert torch.equal(simulate(build(odd_sums), a).tensors[1], expected)


def test_return_out_of_a_loop_that_others_break(build, simulate):
    @tilelang.jit
    def leaving():
        @T.prim_func
        def main(B: T.Tensor((32,), "int32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding(0)
                B[tx] = 0
                for k in T.serial(8):
                    if tx == k:
                        T.thread_return()
                    if tx > 16:
                        T.loop_break()
                B[tx] = 1

        return main

    expected = [0] * 8 + [1] * 24
    assert simulate(build(leaving)).tensors[0].tolist() == expected


def test_variable_that_is_the_same_in_all_threads_steers_tiles(build, simulate):
    @tilelang.jit
    def alternating():
        @T.prim_func
        def main(A: T.Tensor((2, 64), "float32"), B: T.Tensor((4, 64), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding(0)
                s = T.alloc_shared((64,), "float32")
                phase = T.alloc_var("int32", init=0)
                for k in T.serial(4):
                    T.copy(A[phase, :], s)
                    for i in T.Parallel(64):
                        s[i] = s[i] + T.Cast("float32", phase)
                    B[k, tx] = s[tx]
                    phase = 1 - phase

        return main

    a = values(2, 64)
    expected = torch.stack([a[0], a[1] + 1, a[0], a[1] + 1])
    assert torch.equal(simulate(build(alternating), a).tensors[1], expected)
