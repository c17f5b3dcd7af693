"""A generated document leads back to its choices, knows of edits, and can be ported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from generated_kernels import TABLE, generated

from workbench.core.documents.reading import parse_document, read_document
from workbench.core.documents.writing import write_metadata
from workbench.core.patterns.generating import generate
from workbench.core.patterns.model import Pattern, PatternError
from workbench.core.patterns.origin import origin_of
from workbench.core.patterns.reopening import (
    changed_values,
    port,
    require_origin,
    restored,
    setting_of,
)
from workbench.core.patterns.table import PATTERNS
from workbench.core.patterns.values import completed

ROOT = Path(__file__).resolve().parents[3]


def edited(text: str) -> bool:
    origin = origin_of(parse_document(text))
    assert origin is not None
    return origin.is_edited


def test_the_same_values_give_the_same_text() -> None:
    made = generated("gemm", "h200,a100", bias=True)
    origin, pattern = require_origin(parse_document(made.text))
    again = generate(pattern, restored(pattern, origin), setting_of(origin, TABLE))
    assert again.text == made.text


def test_what_a_document_leaves_unset_stays_so_whatever_is_recommended_now() -> None:
    plain = generated("flash-attention", schedule="turns", queries_in_registers=None)
    assert "queries_in_registers" in generated("flash-attention").text
    origin, pattern = require_origin(parse_document(plain.text))
    again = generate(pattern, restored(pattern, origin), setting_of(origin, TABLE))
    assert again.text == plain.text
    assert "queries_in_registers" not in again.text


def test_a_changed_line_is_an_edit() -> None:
    text = generated("gemm").text
    assert edited(text.replace("T.clear(C_local)", "T.fill(C_local, 0)"))


def test_other_line_ends_are_no_edit() -> None:
    text = generated("gemm").text.replace("\n", "\r\n")
    assert not edited(text)


def test_a_case_that_is_added_is_an_edit_and_keeps_the_origin() -> None:
    text = generated("gemm").text
    metadata = parse_document(text).metadata
    assert metadata is not None
    more = replace(metadata.cases[0], name="mine")
    written = write_metadata(
        text.encode(), replace(metadata, cases=(*metadata.cases, more))
    ).decode()
    origin = origin_of(parse_document(written))
    assert origin is not None
    assert origin.is_edited
    assert origin.values["block_N"] == 256


def test_a_document_without_a_record_has_no_origin() -> None:
    document = parse_document("import tilelang\n")
    assert origin_of(document) is None
    with pytest.raises(PatternError, match="was not generated"):
        require_origin(document)


def test_a_newer_version_names_both() -> None:
    text = generated("gemm").text.replace("# version = 1", "# version = 99")
    with pytest.raises(PatternError, match=r"version 99 of `gemm`; this workbench has version 1"):
        require_origin(parse_document(text))


def test_a_port_keeps_the_problem_and_changes_the_knobs() -> None:
    made = generated("gemm", "h200", M=300, bias=True, activation="silu")
    ported = port(parse_document(made.text), TABLE.resolve("mi300x"))
    changed = {name for name, _, _ in changed_values(made.pattern, made.values, ported.values)}
    assert "num_stages" in changed
    assert not {"M", "bias", "activation", "dtype"} & changed


def test_a_port_to_another_dialect_gives_up_what_it_lacks() -> None:
    made = generated("gemm", "h200")
    ported = port(parse_document(made.text), TABLE.resolve("ascend950pr"))
    assert (ported.values["layout_B"], ported.values["out_dtype"]) == ("column", "float32")
    assert "tilelang.ascend.language" in ported.text


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_each_pattern_tells_why(pattern: Pattern) -> None:
    made = generated(pattern.id, "h200")
    assert made.why
    assert all(why.text.endswith((".", "!")) for why in made.why)


@pytest.mark.parametrize(
    "path", sorted((ROOT / "kernels").glob("*.py")), ids=lambda path: path.stem
)
def test_a_shipped_document_restores_to_values_that_its_fields_take(path: Path) -> None:
    document = read_document(path)
    if origin_of(document) is None:
        return  # written by hand
    origin, pattern = require_origin(document)
    assert not origin.is_edited
    assert completed(pattern, restored(pattern, origin)) is not None
