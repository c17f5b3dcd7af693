"""What the source tells of changed arguments is what lowering then tells, where it tells at all."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.tile_regions import TileRegions
from workbench.core.analysis.tile_steps import box_at, steps_of
from workbench.core.data_files import find_data
from workbench.core.doctor.values import Form
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.session.analyzed import Made
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.memory.model import Level
from workbench.session.lenses.quick.followed import FAILED, followed, with_tiles
from workbench.session.lenses.quick.forms import Names, UntoldError, span_of_form
from workbench.session.lenses.quick.source import SourceTile, source_launch
from workbench.session.lenses.subject import LensSubject, LensTarget

DATA = Path(__file__).parents[2] / "data"
KERNELS = {
    "gemm": find_data("kernels") / "gemm.py",
    "softmax": find_data("kernels") / "softmax.py",
    "attention": DATA / "explain" / "attention.py",
    "mla": DATA / "lenses" / "mla_decode.py",
}
GEMM = KERNELS["gemm"].read_text(encoding="utf-8")
TEXT = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, N, rows=4, columns=64, threads=128, stages=2):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16"), B: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(N, columns), M // rows, threads=threads) as (bx, by):
            T.use_swizzle(10)
            held = T.alloc_shared((rows, columns), "float16")
            for k in T.Pipelined(1, num_stages=stages):
                T.copy(A[by * rows : (by + 1) * rows, bx * columns : (bx + 1) * columns], held)
                for i, j in T.Parallel(rows, columns):
                    B[by * rows + i, bx * columns + j] = held[i, j] * 2

    return main
"""


# -- from the source alone ------------------------------------------------------------------


def test_grid_threads_and_stages_of_a_launch() -> None:
    found = source_launch(TEXT, "scale", {"M": 64, "N": 1000, "stages": 3, "rows": 8})
    assert found.grid == (16, 8, 1)
    assert found.threads == 128
    assert found.shared == {"held": SourceTile(8 * 64 * 2, 3)}


def test_regions_of_copies_and_elements() -> None:
    """Block (2, 1) reads and writes rows 4 to 7 of columns 128 to 191."""
    tiles = source_launch(TEXT, "scale", {"M": 64, "N": 1000}).tiles
    assert tiles is not None
    (step,) = steps_of(tiles, (2, 1, 0))
    boxes = [box_at(tiles, place, (2, 1, 0), step.turns) for place in step.accesses]
    assert [(b.start, b.stop) for b in boxes if b is not None] == [((4, 128), (8, 192))] * 2
    assert tiles.swizzle is not None
    assert (tiles.swizzle.order, tiles.swizzle.panel) == ("row", 10)


@pytest.mark.parametrize(
    ("was", "now"),
    [
        (
            "A[by * rows : (by + 1) * rows, bx * columns : (bx + 1) * columns]",
            "A[by // 2, bx * columns]",
        ),
        ("for k in T.Pipelined(1, num_stages=stages)", "for k in T.serial(by)"),
        (
            "T.copy(A[by * rows : (by + 1) * rows, bx * columns : (bx + 1) * columns], held)",
            "other(A, held)",
        ),
    ],
)
def test_what_is_not_read_for_sure_is_not_told(was: str, now: str) -> None:
    assert was in TEXT
    assert source_launch(TEXT.replace(was, now), "scale", {"M": 64, "N": 1000}).tiles is None


@pytest.mark.parametrize("arguments", [{}, {"M": 64, "N": 1000, "rows": 0}])
def test_a_grid_that_is_not_known_is_not_told(arguments: Mapping[str, Any]) -> None:
    with pytest.raises(UntoldError):
        source_launch(TEXT, "scale", arguments)


def test_an_index_over_a_parallel_loop_spans_it() -> None:
    names = Names({"b": "bx"}, {"i@1": 8})
    form = Form((("b", 64), ("i@1", 2)), 3, frozenset({"i@1"}))
    assert span_of_form(form, names).low == "bx * 64 + 3"
    assert span_of_form(form, names).extent == 15
    with pytest.raises(UntoldError):
        span_of_form(Form.atom("thread"), names)


# -- against lowering -----------------------------------------------------------------------


@lru_cache(maxsize=32)
def lowered(kernel: str, target: str, changes: tuple[tuple[str, Any], ...]) -> LensTarget:
    from workbench.engine.analysis.job import analyze_kernel

    path = KERNELS[kernel]
    document = read_document(path)
    case = target if kernel == "mla" or target == "mi300x" else None
    chosen = select(document, None, case, {})[0]
    arguments = {**chosen.args, **dict(changes)}
    own = chosen.kernel
    choice = KernelChoice(own.name, own.style.value, arguments, own.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    resolved = load_targets().resolve(target)
    request = AnalyzeRequest(source, choice, resolved.to_json(), 1)
    result = analyze_kernel(request, lambda *_: None)
    assert result.failure is None
    plain = from_plain(AnalyzeResult, json.loads(json.dumps(to_plain(result))))
    made = Made(document.text, own.name, arguments)
    return LensTarget(resolved, 0, plain, level=1, made=made)


def quick(was: LensTarget, arguments: Mapping[str, Any]) -> LensTarget:
    """What is told of a target as soon as its arguments are others."""
    assert was.made is not None
    stale = replace(was, stale=True)
    subject = LensSubject("k.py", "k.py", was.made.text, was.made.kernel, None, arguments, (stale,))
    return with_tiles(followed(subject), subject).targets[0]


def walked(tiles: TileRegions | None, block: tuple[int, int, int]) -> object:
    assert tiles is not None
    return [
        [box_at(tiles, place, block, step.turns) for place in step.accesses]
        for step in steps_of(tiles, block)
    ]


def kernel_of(target: LensTarget) -> KernelAnalysis:
    assert target.kernel is not None
    return target.kernel


@pytest.mark.slow
@pytest.mark.parametrize(
    ("kernel", "target", "changes"),
    [
        ("gemm", "h100", {"block_N": 64, "block_K": 64, "num_stages": 2}),
        pytest.param("gemm", "a100", {"block_M": 64}, marks=pytest.mark.thorough),
        ("softmax", "h100", {"block_N": 1024}),
        pytest.param("attention", "a100", {"block": 128}, marks=pytest.mark.thorough),
        pytest.param("mla", "a100", {"block_N": 64, "stages": 1}, marks=pytest.mark.thorough),
        ("gemm", "mi300x", {"block_M": 64, "num_stages": 2}),
    ],
)
def test_what_is_told_at_once_is_what_lowering_tells(
    kernel: str, target: str, changes: Mapping[str, Any]
) -> None:
    was, then = lowered(kernel, target, ()), lowered(kernel, target, tuple(changes.items()))
    assert then.made is not None
    found = quick(was, then.made.arguments)
    assert found.quick.endswith("lowering follows.")
    now, exact = kernel_of(found), kernel_of(then)
    assert now.grid == exact.grid
    assert now.block_resources is not None
    assert exact.block_resources is not None
    assert now.block_resources.threads == exact.block_resources.threads
    assert now.block_resources.shared_bytes == pytest.approx(
        exact.block_resources.shared_bytes, abs=1024
    )
    for block in ((0, 0, 0), (1, 0, 0), (0, exact.grid[1] or 1, 0)):
        assert walked(now.tiles, block) == walked(exact.tiles, block)


@pytest.mark.slow
def test_shared_buffers_follow_with_their_stages() -> None:
    """128 by 32 and 32 by 64 half floats, four times each."""
    was = lowered("gemm", "h100", ())
    assert was.made is not None
    found = quick(was, {**was.made.arguments, "block_N": 64, "num_stages": 4})
    subject = LensSubject(
        "k.py", "k.py", GEMM, "matmul", None, {**was.made.arguments, "block_N": 64}, (found,)
    )
    picture = memory_picture(subject, found)
    assert picture is not None
    own = {each.name: each.weight for each in picture.lane(Level.SHARED).blocks}
    assert own["A_shared"] == 4 * 128 * 32 * 2
    assert own["B_shared"] == 4 * 32 * 64 * 2
    assert found.quick == (
        "Read off the source, with the 128 threads and 48 B that lowering added last time; "
        "lowering follows."
    )


@pytest.mark.slow
def test_where_lowering_failed_that_is_told() -> None:
    was = lowered("gemm", "h100", ())
    assert was.made is not None
    found = quick(replace(was, failed=True), {**was.made.arguments, "block_M": 4096})
    assert found.quick.endswith(f"{FAILED}.")


@pytest.mark.slow
def test_another_text_is_left_to_lowering() -> None:
    was = lowered("gemm", "h100", ())
    assert was.made is not None
    other = replace(was, made=replace(was.made, text="# another"))
    assert not quick(replace(other, stale=True), was.made.arguments).quick
