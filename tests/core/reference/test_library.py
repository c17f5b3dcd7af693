from __future__ import annotations

from collections.abc import Iterator

import pytest

from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.symptoms_table import SYMPTOMS
from workbench.core.reference import inline
from workbench.core.reference.api_model import Api, ApiEntry
from workbench.core.reference.guide_pages import PANEL
from workbench.core.reference.library import HOME, Library, Shipped, build_library
from workbench.core.reference.model import (
    Bullets,
    CodeBlock,
    Page,
    PageKind,
    Paragraph,
    Section,
    Table,
    Tone,
)
from workbench.core.reference.texts import read_texts


def texts_of(page: Page) -> Iterator[str]:
    for section in page.sections:
        for block in section.blocks:
            if isinstance(block, Paragraph):
                yield block.text
            elif isinstance(block, Bullets):
                yield from block.items
            elif isinstance(block, Table):
                yield from (cell for row in block.rows for cell in row)


def section(page: Page | None, title: str) -> Section:
    assert page is not None
    return next(s for s in page.sections if s.title == title)


def test_every_link_leads_to_a_page(library: Library) -> None:
    dead = {
        (page.slug, slug)
        for page in library.pages
        for text in texts_of(page)
        for slug in inline.slugs(text)
        if not slug.startswith(PANEL) and library.page(slug) is None
    }
    assert not dead


def test_related_pages_of_our_own_texts_exist(library: Library, shipped: Shipped) -> None:
    texts = shipped.resources / "reference"
    dead = {
        (name, slug)
        for folder in ("rules", "guide", "signatures")
        for name, text in read_texts(texts / folder).items()
        for slug in text.words("related")
        if not slug.startswith("api/") and library.page(slug) is None
    }
    assert not dead


def test_links_to_names_wait_until_these_are_read(shipped: Shipped, library: Library) -> None:
    slug = "rules/gemm-uninitialized-accumulator"
    without = build_library(shipped, None).page(slug)
    page = library.page(slug)
    assert page is not None
    assert without is not None
    assert "T.gemm" in [link.title for link in page.links]
    assert not [link for link in without.links if link.slug.startswith("api/")]
    assert not build_library(shipped, None).of_kind(PageKind.API)


def test_a_rule_has_its_facts_and_an_example_wrong_and_right(library: Library) -> None:
    page = library.page("bank-conflict")
    assert page is not None
    assert [code.tone for code in page.codes] == [Tone.WRONG, Tone.RIGHT]
    (facts,) = page.sections[0].blocks
    assert isinstance(facts, Table)
    assert ("Severity", "Warning") in facts.rows
    assert ("Fix", "offered at the line, where it can be told what to change") in facts.rows


def test_a_guideline_says_how_its_hints_are_left_out(library: Library) -> None:
    page = library.page("pipeline-depth")
    assert page is not None
    (facts,) = page.sections[0].blocks
    assert isinstance(facts, Table)
    assert any("check --without pipeline-depth" in row[1] for row in facts.rows)


def test_a_safe_fix_is_made_by_the_check(library: Library) -> None:
    page = library.page("gemm-uninitialized-accumulator")
    assert page is not None
    (facts,) = page.sections[0].blocks
    assert isinstance(facts, Table)
    assert ("Fix", "offered at the line, and made by `check --fix`") in facts.rows


@pytest.mark.parametrize("code", [rule.code for rule in RULES])
def test_each_rule_has_a_page_of_its_title(library: Library, code: str) -> None:
    page = library.for_code(code)
    assert page is not None
    assert page.slug == f"rules/{code}"


def test_the_page_of_removed_names_lists_them(library: Library) -> None:
    (table,) = section(library.page("removed-api"), "Names").blocks
    assert isinstance(table, Table)
    assert any(row[0] == "`T.gemm_v2`" and "T.gemm" in row[2] for row in table.rows)


def test_every_architecture_is_on_one_hardware_page(library: Library, shipped: Shipped) -> None:
    labels = [n for p in library.of_kind(PageKind.HARDWARE) for n in p.label.split(", ")]
    assert sorted(labels) == sorted(arch.name for arch in shipped.targets.architectures)


def test_limits_of_a_family_have_their_sources(library: Library, shipped: Shipped) -> None:
    page = library.page("hardware/ampere")
    (limits,) = section(page, "Limits").blocks
    assert isinstance(limits, Table)
    assert limits.header == ("Limit", "sm_80", "sm_86", "Source")
    row = next(r for r in limits.rows if r[0] == "Shared memory of a block, opted in")
    assert row[1:3] == ("163 KiB", "99 KiB")
    (sources,) = section(page, "Sources").blocks
    assert isinstance(sources, Bullets)
    cited = shipped.targets.architecture("sm_80").sources["shared_bytes_per_block_opt_in"]
    number = row[3].split()[0]
    assert f"{number} {cited}" in sources.items


def test_each_symptom_leads_to_its_causes(library: Library) -> None:
    for symptom in SYMPTOMS:
        page = library.page(symptom.help_page)
        (table,) = section(page, "What can cause it").blocks
        assert isinstance(table, Table)
        assert len(table.rows) == len(symptom.causes)


def test_a_name_tells_signature_parameters_dialects_and_source(library: Library) -> None:
    page = library.page("T.gemm")
    assert page is not None
    assert page.codes[0].text.startswith("T.gemm(\n    A: Buffer,\n")
    assert section(page, "Parameters")
    (form,) = section(page, "Dialects").blocks
    assert isinstance(form, CodeBlock)
    assert form.caption == "In tilelang.ascend.language"
    assert page.source == ("/p/site-packages/tilelang/language/gemm_op.py", 3)


def test_examples_and_the_names_that_they_use_lead_to_each_other(library: Library) -> None:
    page, example = library.page("T.gemm"), library.page("examples/gemm")
    assert page is not None
    assert example is not None
    assert "examples/gemm" in [link.slug for link in page.links]
    assert "api/T.gemm" in [link.slug for link in example.links]
    assert example.opens is not None
    assert example.opens.endswith("gemm.py")


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("T.gemm", "api/T.gemm"),
        ("gemm", "api/T.gemm"),
        ("L.gemm", "api/T.gemm"),
        ("T.GemmWarpPolicy.FullRow", "api/T.GemmWarpPolicy"),
        ("tilelang.jit", "api/tilelang.jit"),
        ("half", "api/T.float16"),
        ("job-timeout", "rules/job-failed"),
        ("k-step", "signatures/k-step"),
    ],
)
def test_what_is_written_in_code_leads_to_its_page(library: Library, name: str, slug: str) -> None:
    page = library.page(name)
    assert page is not None
    assert page.slug == slug


def test_an_unknown_name_has_no_page(library: Library) -> None:
    assert library.page("my_buffer") is None


@pytest.mark.parametrize(
    ("query", "slug"),
    [
        ("gemm", "api/T.gemm"),
        ("alloc shared", "api/T.alloc_shared"),
        ("alloc_shred", "api/T.alloc_shared"),
        ("piplined", "api/T.Pipelined"),
        ("bank conflicts", "symptoms/bank-conflicts"),
        ("H100", "hardware/hopper"),
        ("my kernel returns only zeros", "symptoms/all-zeros"),
        ("removed-api", "rules/removed-api"),
        ("NaN", "symptoms/nan-or-inf"),
        ("softmax.py", "examples/softmax"),
    ],
)
def test_the_page_that_is_meant_is_found_first(library: Library, query: str, slug: str) -> None:
    assert library.search(query)[0].page.slug == slug


def test_a_parameter_is_found_among_the_first(library: Library) -> None:
    assert "api/T.gemm" in [hit.page.slug for hit in library.search("policy")[:5]]


def test_nonsense_finds_nothing(library: Library) -> None:
    assert library.search("zzqqxx") == ()
    assert library.search("  ") == ()


def test_the_first_page_is_there(library: Library) -> None:
    assert library.page(HOME) is not None


def test_points_of_a_docstring_are_points_of_its_page(shipped: Shipped) -> None:
    entry = ApiEntry("T.x", "function", "tilelang", "()", "X.", "Modes:\n- one\n- ``two``")
    page = build_library(shipped, Api("1", (entry,))).page("T.x")
    assert page is not None
    assert page.sections[0].blocks[1:] == (Paragraph("Modes:"), Bullets(("one", "`two`")))


def test_a_kind_of_wrong_result_says_what_it_is_and_where_to_look(library: Library) -> None:
    for page in library.of_kind(PageKind.SIGNATURE):
        hint = section(page, "Where to look").blocks[0]
        assert isinstance(hint, Paragraph)
        assert hint.text != page.summary
