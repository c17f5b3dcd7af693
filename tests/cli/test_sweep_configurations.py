"""`sweep --configs`: what a kernel's `@autotune` decorator tries, by its source or a run."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.conftest import Finished

DOCUMENT = '''
"""A matrix multiplication as TileLang's own examples are written."""

import itertools

import tilelang
import tilelang.language as T


def get_configs():
    iter_params = dict(
        block_M=[64, 128],
        block_N=[128, 256],
        block_K=[32, 64],
        num_stages=[2, 3, {stages}],
        thread_num=[128, 2048],
    )
    return [dict(zip(iter_params, values)) for values in itertools.product(*iter_params.values())]


@tilelang.autotune(configs=get_configs(), warmup=10, rep=10)
@tilelang.jit(out_idx=[-1])
def matmul(
    M=1024, N=1024, K=1024, block_M=None, block_N=None, block_K=None, num_stages=2, thread_num=None
):
    @T.prim_func
    def main(
        A: T.Tensor((M, K), T.float16),
        B: T.Tensor((K, N), T.float16),
        C: T.Tensor((M, N), T.float16),
    ):
        with T.Kernel(T.ceildiv(N, block_N), T.ceildiv(M, block_M), threads=thread_num) as (bx, by):
            A_shared = T.alloc_shared((block_M, block_K), T.float16)
            B_shared = T.alloc_shared((block_K, block_N), T.float16)
            C_local = T.alloc_fragment((block_M, block_N), T.float32)
            T.clear(C_local)
            for k in T.Pipelined(T.ceildiv(K, block_K), num_stages=num_stages):
                T.copy(A[by * block_M, k * block_K], A_shared)
                T.copy(B[k * block_K, bx * block_N], B_shared)
                T.gemm(A_shared, B_shared, C_local)
            T.copy(C_local, C[by * block_M, bx * block_N])

    return main
'''
Cli = Callable[..., Finished]


def written(folder: Path, stages: str = "4") -> str:
    path = folder / "matmul.py"
    path.write_text(DOCUMENT.replace("{stages}", stages))
    return str(path)


def swept(cli: Cli, path: str, *words: str) -> Finished:
    return cli("sweep", path, "--configs", "--target", "h200", "--on", "none", "--dry-run", *words)


def test_a_decorators_configurations_are_sifted_as_any_space(cli: Cli, tmp_path: Path) -> None:
    found = swept(cli, written(tmp_path), "--when", "num_stages < 4", "--json").json
    assert len(found["configurations"]) == len(found["points"]) == 48
    assert found["axes"] == {}
    assert found["configurations"][0] == {
        "block_M": 64, "block_N": 128, "block_K": 32, "num_stages": 2, "thread_num": 128,
    }  # fmt: skip
    assert found["points"][0]["args"] == found["configurations"][0]
    out = {each["code"]: len(each["points"]) for each in found["fell_out"]}
    assert out["condition"] == 16
    assert out["threads-over-limit"] == 16
    assert found["counts"]["open"] == 48 - sum(out.values())


def test_they_are_crossed_with_what_is_varied_beside_them(cli: Cli, tmp_path: Path) -> None:
    found = swept(cli, written(tmp_path), "--vary", "M=1024,4096", "--json").json
    assert len(found["points"]) == 96
    assert {point["args"]["M"] for point in found["points"]} == {1024, 4096}


def test_what_the_source_does_not_tell_is_told_by_running_it(cli: Cli, tmp_path: Path) -> None:
    path = written(tmp_path, 'int(tilelang.__version__.split(".")[0]) + 4')
    found = swept(cli, path, "--json").json
    assert {each["num_stages"] for each in found["configurations"]} == {2, 3, 4}


@pytest.mark.parametrize(
    ("stages", "said"),
    [
        ("int([][0])", "running it failed: IndexError"),
        ("T.Tensor", "gives `num_stages` a"),
    ],
)
def test_what_cannot_be_told_is_said_with_what_to_do(
    cli: Cli, tmp_path: Path, stages: str, said: str
) -> None:
    ended = swept(cli, written(tmp_path, stages))
    assert ended.status == 2
    assert said in ended.stderr
    assert "--vary" in ended.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--vary", "block_M=64"], "block_M is varied, and the decorator's configurations give it"),
        (["--set", "block_M=64"], '--when "block_M == 64"'),
    ],
)
def test_an_argument_is_given_by_one_alone(
    cli: Cli, tmp_path: Path, words: list[str], said: str
) -> None:
    ended = swept(cli, written(tmp_path), *words)
    assert ended.status == 2
    assert said in ended.stderr


def test_the_decorator_is_named_where_nothing_is_varied(cli: Cli, tmp_path: Path) -> None:
    ended = cli("sweep", written(tmp_path), "--target", "h200", "--dry-run")
    assert ended.status == 2
    assert "--configs for those of its @autotune decorator" in ended.stderr
