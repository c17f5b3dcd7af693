"""Each sentence of the page comes from a fact; what is not known is said."""

from __future__ import annotations

from typing import Any

from tests.support.analysis_results import COPY, GEMM, estimate
from tests.support.lens_subjects import lens_subject, lens_target
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.core.analysis.operations import Operation
from workbench.core.analysis.rasterization import Rasterization
from workbench.core.analysis.tile_regions import GlobalTensor, TileAccess, TileLoop, TileRegions
from workbench.core.diagnostics import Diagnostic, Fix, Severity, TextRange
from workbench.core.jobs import Resources
from workbench.session.lenses.explain.model import Bars, Explanation, Sentence, Tone
from workbench.session.lenses.explain.page import explanation
from workbench.session.lenses.subject import LensTarget

A = GlobalTensor("A", "float16", 16, (256, 512))
C = GlobalTensor("C", "float16", 16, (256, 384))
READ = TileAccess("A", True, False, COPY, (0,), ("by * 128", "k * 32"), ("128", "32"), into="A_s")
WRITE = TileAccess("C", False, True, 6, (), ("by * 128", "bx * 128"), ("128", "128"))


def regions(stages: int = 3, **changes: Any) -> TileRegions:
    loop = TileLoop("k", "k", "0", "16", stages, 3)
    fields = {"accesses": (READ, WRITE), "loops": (loop,), "line": 2, **changes}
    return TileRegions((2, 3, 1), ("bx", "by"), (A, C), **fields)


def lifetimes(size: int) -> Lifetimes:
    buffer = Lifetime("A_s", "float16", 0, size, COPY, GEMM, ())
    return Lifetimes((buffer,), size, size, COPY, ("A_s",))


def page(**parts: Any) -> Explanation:
    return page_of(lens_target("h100", **parts))


def page_of(target: LensTarget) -> Explanation:
    made = explanation(lens_subject(target), target)
    assert made is not None
    return made


def sentences(made: Explanation, key: str) -> list[str]:
    return [each.text for each in made.section(key).sentences]


def about(made: Explanation, key: str, word: str) -> Sentence:
    return next(each for each in made.section(key).sentences if word in each.text)


def test_without_an_analysis_there_is_no_page() -> None:
    nothing = LensTarget(lens_target("h100").target, 0)
    assert explanation(lens_subject(nothing), nothing) is None


def test_it_opens_on_what_blocks_make_and_what_bounds_them() -> None:
    assert page(tiles=regions()).conclusion == (
        "matmul on H100: 6 blocks, each making a 128 × 128 tile of C in 16 turns; "
        "predicted to take 12.3 µs, bound by shared memory."
    )


def test_the_launch_its_tiles_and_its_loop() -> None:
    made = page(tiles=regions())
    assert sentences(made, "computes")[:3] == [
        "matmul launches 2 × 3 = 6 blocks of 128 threads.",
        "Each block writes a 128 × 128 tile of C (256 × 384 float16).",
        "The loop over k takes 16 turns; each reads a 128 × 32 tile of A.",
    ]
    assert [each.line for each in made.section("computes").sentences[:3]] == [2, 6, 3]


def test_a_region_that_is_not_known_is_said_to_be_so() -> None:
    lost = TileAccess("A", True, False, COPY, unknown="the index depends on data")
    told = about(page(tiles=regions(accesses=(lost,))), "computes", "Which part of A")
    assert told.text == "Which part of A a block touches is unknown: the index depends on data."
    assert told.tone is Tone.UNKNOWN


def test_missing_parts_are_told_with_their_reasons() -> None:
    target = lens_target("h100", estimate=None, shared=None, global_memory=None, work=None)
    target.analysis.missing["estimate"] = "no clock"  # type: ignore[union-attr, index]
    made = page_of(target)
    assert "What bounds its time is unknown: no clock." in sentences(made, "limits")
    assert "Whether banks conflict is unknown: it was not computed." in sentences(made, "limits")
    assert "How many bytes move is unknown: it was not computed." in sentences(made, "moves")
    assert "How much it computes is unknown: it was not computed." in sentences(made, "computes")
    assert "its time is not estimated" in made.conclusion


def test_stages_are_told_by_the_tiles_that_the_buffers_really_hold() -> None:
    tile = 128 * 32 * 2
    held = page(tiles=regions(), lifetimes=lifetimes(3 * tile))
    assert (
        "3 tiles of each operand lie in shared memory"
        in about(held, "optimisations", "T.Pipelined").text
    )
    alone = page(tiles=regions(), lifetimes=lifetimes(tile))
    told = about(alone, "optimisations", "T.Pipelined")
    assert "each operand has one tile, so none is loaded ahead" in told.text
    assert told.line == 3


def test_each_copy_says_by_what_it_goes_and_why_not_better() -> None:
    copy = Operation(COPY, "copy", "T.copy A -> A_s", "load 2 B from global", 2, "not aligned")
    made = page(operations=(copy,))
    assert sentences(made, "moves")[-2:] == [
        "A goes to A_s by loads of 2 B from global.",
        "Not aligned.",
    ]
    narrow = about(made, "limits", "only 2 B wide")
    assert narrow.text.endswith("with 16 B there would be 8 times fewer.")
    assert narrow.line == COPY


def test_use_swizzle_is_explained() -> None:
    made = page(tiles=regions(swizzle=Rasterization("row", 8)))
    assert "panels of 8" in about(made, "optimisations", "T.use_swizzle").text


def test_conflicts_and_spills_limit_it() -> None:
    target = lens_target("h100")
    resources = Resources(registers=255, spill_bytes=64)
    made = page_of(LensTarget(target.target, 0, _with_resources(target, resources), None, 2))
    conflict = about(made, "limits", "bank conflicts")
    assert (
        conflict.text == "4-way bank conflicts cost 600 of 800 wavefronts of shared memory there."
    )
    assert conflict.line == COPY
    assert "A thread spills 64 B of registers to memory." in sentences(made, "limits")


def _with_resources(target: LensTarget, resources: Resources) -> Any:
    from dataclasses import replace

    assert target.analysis is not None
    return replace(target.analysis, resources=resources)


def test_the_part_that_bounds_it_is_marked_among_the_bars() -> None:
    bars = next(each for each in page().section("limits").drawings if isinstance(each, Bars))
    assert [bar.name for bar in bars.bars if bar.is_limit] == ["Shared memory"]
    assert bars.bars == tuple(sorted(bars.bars, key=lambda bar: -(bar.share or 0)))


def test_findings_come_worst_first_with_their_edits() -> None:
    from dataclasses import replace

    hint = Diagnostic("b", Severity.INFO, "It could be wider", TextRange(4), help="Use 16 B")
    fault = Diagnostic(
        "a", Severity.ERROR, "It waits for ever", TextRange(5), fixes=(Fix("Add a barrier", ()),)
    )
    target = replace(lens_target("h100"), problems=(hint, fault, hint))
    assert sentences(page_of(target), "next") == [
        "It waits for ever. Ctrl+. offers: Add a barrier.",
        "It could be wider. Use 16 B.",
    ]


def test_a_clean_kernel_has_nothing_to_try() -> None:
    assert sentences(page(), "next") == ["No rule finds anything to mend or to try."]


def test_level_one_says_that_there_is_more() -> None:
    made = page_of(lens_target("h100", level=1))
    assert made.conclusion.endswith("F7 has the machine code analysed too.")


def test_the_time_of_an_unknown_part_is_a_least_one() -> None:
    from dataclasses import replace

    made = page(estimate=replace(estimate(shared=1000.0), leaves_out=("bytes from memory",)))
    assert "predicted to take at least 12.3 µs" in made.conclusion
    assert "What these take is unknown: bytes from memory." in sentences(made, "limits")
