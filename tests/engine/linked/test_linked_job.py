from __future__ import annotations

from typing import Any

import pytest

from workbench.core.jobs import KernelChoice, LinkedRequest, Source
from workbench.core.linked_code import STAGES, LinkedResult, LinkedText
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.engine import environment, jobs
from workbench.engine.linked.job import linked_code

KERNEL = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, N, block=64):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, block), "float32")):
        with T.Kernel(T.ceildiv(M, block), threads=128) as by:
            held = T.alloc_shared((block, block), "float32")
            total = T.alloc_fragment((block, block), "float32")
            T.clear(total)
            for k in T.Pipelined(T.ceildiv(N, block), num_stages=2):
                T.copy(A[by * block, k * block], held)
                for i, j in T.Parallel(block, block):
                    total[i, j] += held[i, j] * 2.0
            T.copy(total, B[by * block, 0])

    return main
"""
COPY, SCALE, ALLOC = 15, 17, 11


def request(target: str, text: str = KERNEL) -> LinkedRequest:
    source = Source("/documents/scale.py", text, "/documents", True)
    plain = load_targets().resolve(target).to_json()
    return LinkedRequest(source, KernelChoice("scale", "lazy", {"M": 128, "N": 256}, 1), plain)


def quiet(*_: object) -> None:
    pass


def rows(text: LinkedText | None, line: int) -> list[str]:
    assert text is not None
    written = text.text.splitlines()
    assert len(written) == len(text.lines)
    return [row.strip() for row, own in zip(written, text.lines, strict=True) if own == line]


@pytest.fixture(scope="module")
def h100() -> LinkedResult:
    toolkit = environment.cuda_toolkit()
    if toolkit is None or "nvdisasm" not in toolkit.tools:
        pytest.skip("no compiler of machine code here")
    return linked_code(request("h100"), quiet)


def test_every_stage_has_its_text_in_their_order(h100: Any) -> None:
    assert h100.failure is None
    assert [each.stage for each in h100.texts] == list(STAGES)
    assert h100.missing == {}


def test_a_statement_is_found_in_every_stage(h100: Any) -> None:
    assert rows(h100.text("tir"), COPY)[0].startswith("T.copy(")
    assert any("total" in row for row in rows(h100.text("lowered"), SCALE))
    assert all(rows(h100.text(stage), SCALE) for stage in STAGES)


def test_a_bulk_copy_has_the_line_of_its_copy_though_it_lost_its_own(h100: Any) -> None:
    assert any("T.tma_load(" in row for row in rows(h100.text("lowered"), COPY))
    assert any("tl::tma_load(" in row for row in rows(h100.text("source"), COPY))
    assert any(row.startswith("cp.async.bulk") for row in rows(h100.text("ptx"), COPY))
    assert any("UTMALDG" in row for row in rows(h100.text("sass"), COPY))


def test_an_allocation_has_the_line_of_its_name(h100: Any) -> None:
    assert any("held" in row for row in rows(h100.text("tir"), ALLOC))


def test_ptx_is_shown_without_the_directives_of_lines(h100: Any) -> None:
    text = h100.text("ptx").text
    assert ".loc" not in text
    assert ".debug" not in text
    assert text.rstrip().endswith("}")


def test_sass_has_the_live_registers_of_its_instructions(h100: Any) -> None:
    sass = h100.text("sass")
    known = [live for live in sass.live if live >= 0]
    assert len(sass.live) == len(sass.lines)
    assert max(known) > 1
    assert sass.live[0] == -1


def test_the_answer_survives_the_wire(h100: Any) -> None:
    assert from_plain(LinkedResult, to_plain(h100)) == h100


def test_a_target_without_a_compiler_has_its_source_and_says_why_no_more() -> None:
    found, _ = jobs.run("linked", to_plain(request("mi300x")), quiet)
    assert [each.stage for each in found.texts] == ["tir", "lowered", "source"]
    assert "no compiler here" in found.missing["sass"]
    assert rows(found.text("source"), SCALE)


def test_a_kernel_that_does_not_lower_says_why() -> None:
    broken = KERNEL.replace("held[i, j] * 2.0", "missing[i, j]")
    found = linked_code(request("a100", broken), quiet)
    assert found.failure is not None
    assert found.texts == ()
