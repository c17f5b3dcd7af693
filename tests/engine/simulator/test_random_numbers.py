"""cuRAND's Philox generator: published test vectors, and the order in which threads draw."""

# ruff: noqa: N803, N812 - kernels are written in TileLang's own style

import numpy as np
import pytest
import tilelang
import tilelang.language as T
import torch

from workbench.engine.simulator.random_numbers import Generator, philox

HOPPER = {"kind": "cuda", "arch": "sm_90a"}
ONES = 0xFFFFFFFF


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        (0, [0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8]),
        (ONES, [0x408F276D, 0x41C83B0E, 0xA20BC7C6, 0x6D5451FD]),
    ],
)
def test_philox_gives_the_published_vectors(word, expected):
    """From the known-answer tests of the Random123 library (philox4x32, 10 rounds)."""
    words = [np.array(word)] * 4
    assert philox(words, words[:2]).tolist() == expected


def drawn(seed, sequence, offset, count):
    states = Generator(seed, sequence, offset)
    return [int(states.draw(None)) for _ in range(count)]


def test_offset_skips_numbers():
    assert drawn(42, 0, 6, 3) == drawn(42, 0, 0, 9)[6:]


def test_each_thread_draws_from_its_own_sequence(build, simulate):
    @tilelang.jit
    def draws():
        @T.prim_func
        def main(A: T.Tensor((32, 3), "uint32")):
            with T.Kernel(1, threads=32):
                tx = T.get_thread_binding()
                T.rng_init(42, tx, 0)
                for k in T.serial(3):
                    A[tx, k] = T.rng_rand()

        return main

    got = simulate(build(draws, lowering=HOPPER)).tensors[0]
    for lane in (0, 1, 31):
        assert got[lane].tolist() == drawn(42, lane, 0, 3)


def test_uniform_numbers_lie_in_the_unit_interval(build, simulate):
    @tilelang.jit
    def draws():
        @T.prim_func
        def main(A: T.Tensor((64,), "float32")):
            with T.Kernel(1, threads=64):
                tx = T.get_thread_binding()
                T.rng_init(7, tx, 0)
                A[tx] = T.rng_rand_float()

        return main

    got = simulate(build(draws, lowering=HOPPER)).tensors[0]
    words = np.array([drawn(7, lane, 0, 1)[0] for lane in range(64)], np.float64)
    torch.testing.assert_close(got.double(), torch.from_numpy((words + 0.5) / 2**32))
