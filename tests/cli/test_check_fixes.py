"""Each fix is applied: what it is for is gone, nothing new has come, and the kernel verifies."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from mendable_kernels import MENDABLE, Mendable

from workbench.core.diagnostics import Fix
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.plain import from_plain

SEED = Path(__file__).parents[3] / "shared" / "faults" / "00-seed-kernel.py"


def offered(diagnostics: list[dict[str, Any]], code: str) -> list[Fix]:
    return [from_plain(Fix, f) for d in diagnostics if d["code"] == code for f in d["fixes"]]


def errors(diagnostics: list[dict[str, Any]]) -> set[str]:
    return {d["code"] for d in diagnostics if d["severity"] == "error"}


# What is compiled and verified in little time; the others are tried by the thorough tests.
QUICK = (
    "wrong result",
    "one argument too many",
    "no epsilon",
    "sum in 16 bits",
    "column of a tile",
)


@pytest.mark.parametrize(
    ("name", "title"),
    [
        pytest.param(name, title, marks=() if name in QUICK else pytest.mark.thorough)
        for name, m in MENDABLE.items()
        for title in m.fixes
    ],
)
def test_a_fix_mends_what_it_is_for(cli: Any, tmp_path: Path, name: str, title: str) -> None:
    mendable: Mendable = MENDABLE[name]
    file = tmp_path / "mine.py"
    file.write_text(mendable.text)
    before = cli("check", file, "--until", mendable.until, "--json").json["diagnostics"]
    fixes = offered(before, mendable.code)
    (fix,) = [f for f in fixes if f.title.startswith(title)] or [None]
    assert fix is not None, [f.title for f in fixes]
    file.write_text(apply_fix(mendable.text, fix))
    until = "lower" if mendable.until == "lint" else mendable.until
    after = cli("check", file, "--until", until, "--json").json["diagnostics"]
    assert mendable.code not in {d["code"] for d in after}
    assert errors(after) <= errors(before) - {mendable.code}
    verified = cli("verify", file, "--json")
    assert verified.status == 0, verified.stdout


def test_safe_fixes_of_later_stages_are_made_by_the_command(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MENDABLE["two layouts"].text)
    done = cli("check", file, "--until", "lower", "--fix", "--json")
    assert [f["code"] for f in done.json["fixed"]] == ["layout-conflict"]
    assert done.status == 0
    assert "threads=128" in file.read_text()
    assert "+def chain(S, D, threads=128):" in done.json["change"]


def test_fixes_that_change_numbers_are_left_to_the_person(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    text = MENDABLE["tiles of blocks"].text
    file.write_text(text)
    done = cli("check", file, "--fix", "--json")
    assert done.json["fixed"] == []
    assert offered(done.json["diagnostics"], "block-race")
    assert file.read_text() == text


GUIDE = """# The first kernel of an old tutorial, in one piece.
import torch
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2])
def multiply(M=128, N=128, K=64, tile=64, depth=32):
    @T.prim_func
    def run(
        left: T.Buffer((M, K), "float16"),
        right: T.Buffer((K, N), "float16"),
        out: T.Buffer((M, N), "float16"),
    ):
        with T.Kernel(T.ceildiv(N, tile), T.ceildiv(M, tile), threads=128) as (bx, by):
            a = T.alloc_shared((tile, depth), "float16")
            b = T.alloc_shared((depth, tile), "float16")
            sums = T.alloc_fragment((tile, tile), "float32")
            T.annotate_layout({
                a: T.make_swizzled_layout(a),
                b: T.make_swizzled_layout(b),
            })
            T.clear(sums)
            for k in T.Pipelined(T.ceildiv(K, depth), num_stages=3):
                T.copy(left[by * tile, k * depth], a)
                T.copy(right[k * depth, bx * tile], b)
                T.gemm_v2(a, b, sums, k_pack=1)
            T.copy(sums, out[by * tile, bx * tile])

    return run


def ref_program(left, right):
    return (left.float() @ right.float()).half()


if __name__ == "__main__":
    kernel = multiply()
    x = torch.randn(128, 64, dtype=torch.float16, device="cuda")
    y = torch.randn(64, 128, dtype=torch.float16, device="cuda")
    z = torch.empty(128, 128, dtype=torch.float16, device="cuda")
    kernel(x, y, z)
    torch.testing.assert_close(z, ref_program(x, y), rtol=1e-2, atol=1e-2)
"""


def mended(cli: Any, file: Path, *targets: str) -> None:
    done = cli("check", file, "--fix", "--until", "lint", "--json")
    assert done.json["fixed"]
    assert errors(done.json["diagnostics"]) == set()
    words = [word for name in targets for word in ("--target", name)]
    compiled = cli("compile", file, *words, "--json")
    assert compiled.status == 0, compiled.stdout


def test_an_old_tutorial_compiles_and_verifies_once_it_is_fixed(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "tutorial.py"
    file.write_text(GUIDE)
    mended(cli, file, "a100")
    text = file.read_text()
    assert "# The first kernel of an old tutorial, in one piece.\n" in text
    assert "    z = kernel(x, y)\n" in text
    verified = cli("verify", file, "--target", "a100", "--json")
    assert verified.status == 0, verified.stdout


@pytest.mark.thorough  # for two targets what the old tutorial above is for one
@pytest.mark.skipif(not SEED.is_file(), reason="the corpus of faults is not here")
def test_the_guides_own_kernel_compiles_and_verifies_once_it_is_fixed(
    cli: Any, tmp_path: Path
) -> None:
    file = tmp_path / SEED.name
    file.write_bytes(SEED.read_bytes())
    mended(cli, file, "a100", "h100")
    assert cli("verify", file, "--json").status == 0
