"""Every lens has a picture, or a reason in words, of each usual kernel on each usual target."""

from __future__ import annotations

import dataclasses
import json
import re
from collections.abc import Callable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.data_files import find_data
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import (
    AnalyzeRequest,
    KernelChoice,
    LinkedRequest,
    Source,
    VerifyRequest,
)
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.session.lenses.banks.detail import site_detail
from workbench.session.lenses.banks.picture import banks_picture
from workbench.session.lenses.banks.what_ifs import what_ifs
from workbench.session.lenses.explain.page import explanation
from workbench.session.lenses.layouts.conflict import Conflict, conflict_conclusion
from workbench.session.lenses.layouts.fragment import Fragment, fragment_conclusion
from workbench.session.lenses.layouts.picture import layouts_picture
from workbench.session.lenses.layouts.shared import SharedTile, shared_conclusion
from workbench.session.lenses.linked import linked_picture
from workbench.session.lenses.memory import memory_picture
from workbench.session.lenses.memory.model import Level
from workbench.session.lenses.occupancy.picture import occupancy_picture
from workbench.session.lenses.operations import operations_picture
from workbench.session.lenses.pipeline.picture import pipeline_picture
from workbench.session.lenses.roofline.picture import roofline_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.session.lenses.tiles.figures import tile_figures
from workbench.session.lenses.tiles.picture import block_walk, tile_map, tiles_at
from workbench.session.linking import LinkedCode

pytestmark = pytest.mark.slow
DATA = Path(__file__).parents[2] / "data"
KIB = 1024
TARGETS = ("h100", "a100", "rtx4090", "mi300x")
# Lowering for the others takes most of the time, and they have no memory of another kind.
UNLIKE = [
    pytest.param(name, marks=pytest.mark.thorough) if name in ("a100", "rtx4090") else name
    for name in TARGETS
]
# The documents, and of each target the case where it is not the first of the document.
KERNELS: Mapping[str, tuple[Path, Mapping[str, str]]] = {
    "gemm": (find_data("kernels") / "gemm.py", {"mi300x": "mi300x"}),
    "softmax": (find_data("kernels") / "softmax.py", {}),
    "attention": (DATA / "explain" / "attention.py", {}),
    "transpose": (DATA / "lenses" / "transpose.py", {}),
    "mla": (DATA / "lenses" / "mla_decode.py", {name: name for name in TARGETS}),
    "ascend": (DATA / "lenses" / "ascend_gemm.py", {}),
}
Picture = object
Told = tuple[Picture, str]


@lru_cache(maxsize=32)
def analyzed(kernel: str, target: str) -> tuple[str, str, str, dict[str, Any], AnalyzeResult]:
    """The text, kernel, case and arguments, and what was found, as it comes over the wire."""
    from workbench.engine.analysis.job import analyze_kernel

    path, cases = KERNELS[kernel]
    document = read_document(path)
    case = cases.get(target, document.metadata.cases[0].name if document.metadata else None)
    chosen = select(document, None, case, {})[0]
    own = chosen.kernel
    choice = KernelChoice(own.name, own.style.value, chosen.args, own.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    lowered = load_targets().resolve(target).to_json()
    result = analyze_kernel(AnalyzeRequest(source, choice, lowered, 1), lambda *_: None)
    assert result.failure is None
    plain = from_plain(AnalyzeResult, json.loads(json.dumps(to_plain(result))))
    return document.text, own.name, chosen.case.name, dict(chosen.args), plain


def subject(kernel: str, *targets: str) -> LensSubject:
    found = [analyzed(kernel, name) for name in targets]
    text, name, case, args, _ = found[0]
    shown = tuple(
        LensTarget(load_targets().resolve(each), mark, made[-1], level=1)
        for mark, (each, made) in enumerate(zip(targets, found, strict=True))
    )
    path = KERNELS[kernel][0]
    return LensSubject(str(path), path.name, text, name, case, args, shown)


# -- what each lens shows and says ----------------------------------------------------------


def told_or_why(target: LensTarget, picture: Any, part: str) -> Told:
    return (picture, picture.conclusion) if picture is not None else (None, why(target, part))


def why(target: LensTarget, part: str) -> str:
    return f"It is unknown: {target.why_missing(part)}."


def memory(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    yield told_or_why(target, memory_picture(shown, target), "lifetimes")


def tiles(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    """The map, and the first, a middle and the last step of the first block."""
    found = tile_map(target, shown.text)
    yield told_or_why(target, found, "tiles")
    if found is None:
        return
    walk = block_walk(found, (0, 0, 0))
    for step in (0, len(walk.steps) // 2, len(walk.steps) - 1):
        at = tiles_at(found, walk, step, 0, False)
        yield (at, tile_figures(found, at)), at.step_text


def layouts(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    """The layout of every buffer."""
    first = layouts_picture(shown, target)
    if first is None:
        yield None, why(target, "layouts")
        return
    for each in first.buffers:
        found = layouts_picture(shown, target, each.name)
        assert found is not None
        match found.drawing:
            case Fragment() as fragment:
                yield found.buffers, fragment_conclusion(fragment)
            case SharedTile() as tile:
                yield found.buffers, shared_conclusion(tile, tile.rows - 1, tile.parts - 1)
            case Conflict() as conflict:
                yield found.buffers, conflict_conclusion(conflict)
            case _:
                yield found.buffers, f"It cannot be drawn: {found.lacks}."


def banks(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    """The sites, and what each does and would do."""
    found = banks_picture(shown, target)
    yield told_or_why(target, found, "shared")
    for row in found.rows if found is not None else ():
        detail = site_detail(target, row)
        yield (detail.unknown, what_ifs(shown, target, detail)), detail.unknown or "Its steps."


def occupancy(shown: LensSubject, _target: LensTarget) -> Iterator[Told]:
    found = occupancy_picture(shown)
    yield (
        (None, f"The occupancy is unknown: {found}.")
        if isinstance(found, str)
        else (found, found.conclusion)
    )


def pipeline(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    yield told_or_why(target, pipeline_picture(target, shown.text), "pipeline")


def roofline(shown: LensSubject, _target: LensTarget) -> Iterator[Told]:
    found = roofline_picture(shown)
    yield (None, f"{found}.") if isinstance(found, str) else (found, found.conclusion)


def explain(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    """The page, sentence by sentence."""
    page = explanation(shown, target)
    assert page is not None
    yield page, page.conclusion
    yield from ((None, each.text) for part in page.sections for each in part.sentences)


def operations(shown: LensSubject, target: LensTarget) -> Iterator[Told]:
    yield told_or_why(target, operations_picture(shown), "operations")


LENSES: tuple[Callable[[LensSubject, LensTarget], Iterator[Told]], ...] = (
    memory,
    tiles,
    layouts,
    banks,
    occupancy,
    pipeline,
    roofline,
    explain,
    operations,
)


def texts(value: object) -> Iterator[str]:
    """All texts of a picture, however deep."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        yield from (text for each in value.values() for text in texts(each))
    elif isinstance(value, (tuple, list)):
        yield from (text for each in value for text in texts(each))
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        own = dataclasses.fields(value)
        yield from (text for each in own for text in texts(getattr(value, each.name)))


# A value of Python's in a text; a sentence; and what no good sentence has: a doubled word or stop,
# a wrong article or plural, a list without commas.
NOT_WORDS = re.compile(r"\b(None|nan)\b|<\w+\.\w+: ")
SENTENCE = re.compile(r"[^\s].*[^\s.:,][.]", re.DOTALL)
GRAMMAR = re.compile(
    r"  |\b(\w+) \1\b|\b1 \w+s are\b|\ba [aeio]|\(\)| [.,:;]|\.:|: *\.| and \S+ and "
)


def faults(lens: Callable[..., Iterator[Told]], shown: LensSubject) -> Iterator[str]:
    """What is wrong with what a lens says and shows for each target of a subject."""
    for target in shown.targets:
        for picture, told in lens(shown, target):
            where = f"{lens.__name__} on {target.target.name}"
            if lens is not tiles and not SENTENCE.fullmatch(told):
                yield f"{where} is no sentence: {told!r}"
            if GRAMMAR.search(told):
                yield f"{where} is no good sentence: {told!r}"
            for text in (told, *texts(picture)):
                if NOT_WORDS.search(text):
                    yield f"{where} has {text!r}"


def check(kernel: str, *targets: str) -> None:
    shown = subject(kernel, *targets)
    found = [fault for lens in LENSES for fault in faults(lens, shown)]
    assert not found, "\n".join(found)


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
def test_latent_attention_in_every_lens(target: str) -> None:
    """Its sizes differ between targets, so each is a subject of its own."""
    check("mla", target)


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
def test_gemm_in_every_lens(target: str) -> None:
    """MI300X has a case of its own."""
    check("gemm", target)


@pytest.mark.thorough
@pytest.mark.parametrize("kernel", ["softmax", "attention", "transpose"])
def test_a_kernel_with_all_targets_beside_each_other_in_every_lens(kernel: str) -> None:
    check(kernel, *TARGETS)


def test_ascend_in_the_lenses_of_memory_and_tiles() -> None:
    """8 by 8 blocks of 128 by 128 as one row of 64; two stages of 128 by 64 bfloat16 twice."""
    shown = subject("ascend", "ascend910b")
    assert not [fault for lens in LENSES for fault in faults(lens, shown)]
    found = memory_picture(shown, shown.targets[0])
    assert found is not None
    own = {each.name: each.weight for each in found.lane(Level.L1).blocks}
    assert own == {"a": 2 * 16 * KIB, "b": 2 * 16 * KIB}
    kernel = shown.targets[0].kernel
    assert kernel is not None
    assert kernel.tiles is not None
    assert kernel.tiles.grid == (64, 1, 1)
    blocks = tile_map(shown.targets[0], shown.text)
    assert blocks is not None
    assert (blocks.panel.wrapped, blocks.panel.rows, blocks.panel.columns) == (True, 8, 8)
    told = [text for _, text in explain(shown, shown.targets[0])]
    assert "matmul launches 64 blocks." in told
    assert (
        "T.Pipelined asks for 2 stages: room for 2 tiles of each operand in a core's buffers."
        in told
    )
    assert (
        "How many bytes move is unknown: what an Ascend core's copies move is not counted." in told
    )


# What moves between a tensor and the block, or multiplies.
WORKING = re.compile(r"T\.copy\((Q|Q_rope|KV|K_rope|result)\b|T\.gemm\(|(held|Y)\[.*\] = ")


# -- latent attention, worked by hand -------------------------------------------------------

# Heads of a block, tokens of a tile, stages, threads: 2 bytes an element of 512 + 64 columns for
# the queries and for each stage of the tile, 2 bytes a weight, and 4 bytes a thread for each of
# the two reductions over the warps, which have the columns of a row between them.
HAND = {
    "h100": (64, 64, 2, 256, (72 + 2 * 72 + 8 + 2) * KIB),
    "a100": (16, 32, 2, 128, (18 + 2 * 36 + 1 + 1) * KIB),
    "rtx4090": (16, 64, 1, 128, (18 + 72 + 2 + 1) * KIB),
    "mi300x": (16, 32, 1, 128, (18 + 36 + 1 + 1) * KIB),
}


@pytest.mark.parametrize("target", UNLIKE)
def test_shared_memory_of_latent_attention(target: str) -> None:
    """What lies in shared memory at once, of each buffer and in all."""
    heads, tokens, stages, _, peak = HAND[target]
    shown = subject("mla", target)
    found = memory_picture(shown, shown.targets[0])
    kernel = shown.targets[0].kernel
    assert found is not None
    assert kernel is not None
    assert kernel.lifetimes is not None
    own = {each.name: each.weight for each in found.lane(Level.SHARED).blocks}
    made = [name for name in own if name.startswith(("workspace", "mbarrier"))]
    assert {name: size for name, size in own.items() if name not in made} == {
        "queries": heads * 512 * 2,
        "rotated_queries": heads * 64 * 2,
        "latents": stages * tokens * 512 * 2,
        "rotated_keys": stages * tokens * 64 * 2,
        "weights": heads * tokens * 2,
    }
    assert kernel.lifetimes.peak_bytes == peak


@pytest.mark.parametrize("target", UNLIKE)
def test_tiles_of_latent_attention(target: str) -> None:
    """2 groups of heads of 2 sequences are 4 blocks; a turn reads latents and rotated keys."""
    heads, tokens, *_ = HAND[target]
    shown = subject("mla", target)
    found = tile_map(shown.targets[0], shown.text)
    assert found is not None
    assert found.regions.grid == (2, 2, 1)
    walk = block_walk(found, (1, 1, 0))
    turns = [step for step in range(len(walk.steps)) if walk.steps[step].turns]
    assert len(turns) == 256 // tokens
    at = tiles_at(found, walk, turns[1], 3, False)
    assert dict(at.reads) == {"KV": tokens * 512 * 2, "K_rope": tokens * 64 * 2}
    assert found.reuse is not None
    queries, cache = 2 * 2 * heads * 576, 2 * 256 * 576  # elements of two sequences
    assert found.reuse.factor == pytest.approx((queries + 2 * cache) / (queries + cache))
    last = tiles_at(found, walk, len(walk.steps) - 1, 3, False)
    assert dict(last.writes) == {"Y": heads * 512 * 2}


def test_what_is_unknown_of_latent_attention_on_amd_is_told() -> None:
    """Its products read 8 bytes a lane, for which AMD tells no groups; three in a turn."""
    shown = subject("mla", "mi300x")
    found = banks_picture(shown, shown.targets[0])
    ordered = pipeline_picture(shown.targets[0], shown.text)
    assert found is not None
    assert ordered is not None
    first = next(n for n, line in enumerate(shown.text.splitlines(), 1) if "T.gemm(" in line)
    assert f"sites are unknown, such as line {first}: AMD documents no groups" in found.conclusion
    products = "queries·latents, rotated_queries·rotated_keys and weights·latents"
    assert f"Each turn multiplies {products}; loads are" in ordered.conclusion


@lru_cache(maxsize=16)
def linked(kernel: str, target: str) -> LensTarget:
    """A target with the texts of a kernel."""
    from workbench.engine.linked.job import linked_code

    path, cases = KERNELS[kernel]
    document = read_document(path)
    case = cases.get(target, document.metadata.cases[0].name if document.metadata else None)
    chosen = select(document, None, case, {})[0]
    own = chosen.kernel
    choice = KernelChoice(own.name, own.style.value, chosen.args, own.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    resolved = load_targets().resolve(target)
    result = linked_code(LinkedRequest(source, choice, resolved.to_json()), lambda *_: None)
    assert result.failure is None
    return LensTarget(resolved, 0, linked=LinkedCode(0, document.text, result))


@pytest.mark.thorough
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("kernel", ["mla", "transpose"])
def test_what_moves_and_multiplies_is_found_in_every_text(kernel: str, target: str) -> None:
    """Products, and copies and elements of the tensors, have rows in each text that is made."""
    shown = linked(kernel, target)
    assert shown.linked is not None
    text = shown.linked.text
    picture = linked_picture(LensSubject("k", "k", text, kernel, None, {}, (shown,)), shown)
    assert picture is not None
    assert SENTENCE.fullmatch(picture.conclusion)
    assert not GRAMMAR.search(picture.conclusion)
    made = {stage for stage, column in picture.columns.items() if column.rows} - {"python"}
    is_nvidia = target != "mi300x"
    assert made == {"tir", "lowered", "source", *(("ptx", "sass") if is_nvidia else ())}
    working = [n for n, row in enumerate(text.splitlines(), 1) if WORKING.search(row)]
    assert len(working) == {"mla": 8, "transpose": 2}[kernel]
    lacking = {
        (line, stage)
        for line in working
        for stage, count in picture.counts(line).items()
        if not count
    }
    assert not lacking


def test_linked_code_of_ascend_ends_with_its_source() -> None:
    shown = linked("ascend", "ascend910b")
    assert shown.linked is not None
    subject_shown = LensSubject("k", "k", shown.linked.text, "matmul", None, {}, (shown,))
    picture = linked_picture(subject_shown, shown)
    assert picture is not None
    assert picture.column("sass").missing == (
        "no compiler here makes machine code for Huawei Ascend 910B2"
    )
    assert "rows of Lowered IR for Ascend 910B2 come from line" in picture.conclusion
    assert picture.conclusion.endswith("No row of Source tells its line.")


@pytest.mark.parametrize("target", TARGETS)
def test_latent_attention_is_right(target: str) -> None:
    """In the simulator, against torch."""
    from workbench.engine.verify.job import verify

    path, cases = KERNELS["mla"]
    document = read_document(path)
    chosen = select(document, None, cases[target], {})[0]
    choice = KernelChoice(
        chosen.kernel.name, chosen.kernel.style.value, chosen.args, chosen.kernel.line
    )
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    lowered = load_targets().resolve(target).to_json()
    request = VerifyRequest(source, choice, lowered, chosen.reference)
    result, _ = verify(request, lambda *_: None)
    assert result.failure is None
    assert [(each.seed, each.passed) for each in result.seeds] == [(0, True)]
