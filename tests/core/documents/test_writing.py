"""That writing the block changes the block, and no other byte."""

from __future__ import annotations

import codecs
import math
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.documents.encoding import decode
from workbench.core.documents.model import Case, DocumentError, Metadata
from workbench.core.documents.reading import parse_document
from workbench.core.documents.toml_text import same
from workbench.core.documents.writing import write_metadata

COMMENTED = b"""\
#!/usr/bin/env python
# -*- coding: utf-8 -*-
# /// workbench
# # what this is
# kernel   =   "matmul"   # the one
#
# [[case]]
# name = "square"
# args = { M = 1024,   N = 1024 }  # big
#\ttargets = ["h100"]
#rtol = 1e-2
#
# # the second case
# [[case]]
# name = "tall"
# args = { M = 4096, N = 16 }
# ///
import tilelang\t
"""


def read(source: bytes) -> Metadata | None:
    return parse_document(decode(source).text).metadata


def metadata_in(source: bytes) -> Metadata:
    metadata = read(source)
    assert metadata is not None
    return metadata


def changed_lines(before: bytes, after: bytes) -> tuple[set[bytes], set[bytes]]:
    old, new = set(before.splitlines()), set(after.splitlines())
    return old - new, new - old


def test_the_same_metadata_gives_the_same_bytes() -> None:
    assert write_metadata(COMMENTED, metadata_in(COMMENTED)) == COMMENTED


def test_a_changed_argument_changes_its_line_alone() -> None:
    metadata = metadata_in(COMMENTED)
    square = replace(metadata.cases[0], args={"M": 512, "N": 1024})
    after = write_metadata(COMMENTED, replace(metadata, cases=(square, metadata.cases[1])))
    assert changed_lines(COMMENTED, after) == (
        {b"# args = { M = 1024,   N = 1024 }  # big"},
        {b"# args = { M = 512,   N = 1024 }  # big"},
    )


def test_an_added_case_changes_no_line_there_is() -> None:
    metadata = metadata_in(COMMENTED)
    wide = Case("wide", args={"M": 16}, targets=("a100",), atol=0.5, seed=2)
    after = write_metadata(COMMENTED, replace(metadata, cases=(*metadata.cases, wide)))
    removed, added = changed_lines(COMMENTED, after)
    assert removed == set()
    assert added == {
        b'# name = "wide"',
        b"# args = { M = 16 }",
        b'# targets = ["a100"]',
        b"# atol = 0.5",
        b"# seed = 2",
    }


def test_a_removed_case_takes_its_own_lines_only() -> None:
    metadata = metadata_in(COMMENTED)
    after = write_metadata(COMMENTED, replace(metadata, cases=metadata.cases[:1]))
    removed, added = changed_lines(COMMENTED, after)
    assert added == set()
    assert removed == {b'# name = "tall"', b"# args = { M = 4096, N = 16 }"}


def test_cases_in_another_order_keep_their_comments() -> None:
    metadata = metadata_in(COMMENTED)
    after = write_metadata(COMMENTED, replace(metadata, cases=metadata.cases[::-1]))
    assert metadata_in(after).cases == metadata.cases[::-1]
    assert b"# args = { M = 1024,   N = 1024 }  # big" in after


def test_a_bad_entry_stays_for_the_person_to_mend() -> None:
    source = b'# /// workbench\n# reference = 3\n# [[case]]\n# name = "x"\n# seed = "y"\n# ///\n'
    after = write_metadata(source, replace(metadata_in(source), kernel="matmul"))
    assert changed_lines(source, after) == (set(), {b'# kernel = "matmul"'})


def test_unknown_keys_are_written_back() -> None:
    source = b'# /// workbench\n# colour = "red"\n# [[case]]\n# name = "x"\n# weight = 2\n# ///\n'
    metadata = metadata_in(source)
    after = write_metadata(source, replace(metadata, cases=(replace(metadata.cases[0], seed=1),)))
    assert changed_lines(source, after) == (set(), {b"# seed = 1"})


def test_invalid_toml_is_replaced() -> None:
    source = b"# /// workbench\n# kernel = \n# ///\nx = 1\n"
    assert write_metadata(source, Metadata("k")) == (
        b'# /// workbench\n# kernel = "k"\n# ///\nx = 1\n'
    )


BLOCK = b'# /// workbench\n# kernel = "k"\n# ///\n'


@pytest.mark.parametrize(
    ("source", "written"),
    [
        (b"", BLOCK),
        (b"x = 1", BLOCK + b"x = 1"),
        (b"x = 1\n", BLOCK + b"x = 1\n"),
        (b"\n\nx = 1\n", BLOCK + b"\n\nx = 1\n"),
        (b"x = 1\r\n", BLOCK.replace(b"\n", b"\r\n") + b"x = 1\r\n"),
        (b"#!python\nx = 1\n", b"#!python\n" + BLOCK + b"x = 1\n"),
        (b"#!python", b"#!python\n" + BLOCK[:-1]),
        (b"# note\nx = 1\n", BLOCK + b"\n# note\nx = 1\n"),
        (b"# coding: latin-1\nx = '\xe9'\n", b"# coding: latin-1\n" + BLOCK + b"x = '\xe9'\n"),
        (b"#!p\n# coding: latin-1\n", b"#!p\n# coding: latin-1\n" + BLOCK),
        (b"# a\n# vim: coding=latin-1\n#b\n", b"# a\n# vim: coding=latin-1\n" + BLOCK + b"\n#b\n"),
        (b"\n# coding: latin-1\n", b"\n# coding: latin-1\n" + BLOCK),
        (b"x = 1\n# coding: latin-1\n", BLOCK + b"x = 1\n# coding: latin-1\n"),
        (codecs.BOM_UTF8 + b"x = 1\n", codecs.BOM_UTF8 + BLOCK + b"x = 1\n"),
        (codecs.BOM_UTF8 + b"#!p\nx\n", codecs.BOM_UTF8 + b"#!p\n" + BLOCK + b"x\n"),
        (b"def f(:\n", BLOCK + b"def f(:\n"),
    ],
)
def test_a_block_is_inserted_below_what_must_stay_first(source: bytes, written: bytes) -> None:
    assert write_metadata(source, Metadata("k")) == written
    assert read(written) == Metadata("k")


def test_another_blocks_reader_still_finds_its_own() -> None:
    script = b"# /// script\n# dependencies = []\n# ///\n"
    assert write_metadata(script, Metadata("k")) == BLOCK + b"\n" + script


def test_nothing_to_say_inserts_nothing() -> None:
    assert write_metadata(b"x = 1\n", Metadata()) == b"x = 1\n"


def test_what_the_encoding_lacks_is_escaped() -> None:
    source = b"# coding: latin-1\nx = '\xe9'\n"
    metadata = Metadata("矩é", cases=(Case("𝛼", args={"ü字": "—"}),))
    written = write_metadata(source, metadata)
    assert written.endswith(b"x = '\xe9'\n")
    assert read(written) == metadata


def test_an_array_of_inline_cases_can_be_changed() -> None:
    source = b'# /// workbench\n# case = [ { name = "x" }, { name = "y" } ]\n# ///\n'
    metadata = Metadata(cases=(Case("x", seed=1), Case("y")))
    assert read(write_metadata(source, metadata)) == metadata


@pytest.mark.parametrize("value", [None, object(), {"a": None}, "\ud800"])
def test_a_value_that_toml_lacks_is_refused(value: object) -> None:
    with pytest.raises(DocumentError):
        write_metadata(b"", Metadata(cases=(Case("x", args={"a": value}),)))


NAMES = st.text(min_size=1, max_size=12).filter(lambda text: bool(text.strip()) and text != "all")
SCALARS = (
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats()
    | st.text(max_size=12)
    | st.dates()
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)
    ),
    max_leaves=6,
)
TABLES = st.dictionaries(st.text(max_size=8), VALUES, max_size=4)
TOLERANCES = st.none() | st.floats(min_value=0, allow_nan=False)
UNKNOWN = st.dictionaries(st.sampled_from(["x-colour", "ünknown", "a b", "z"]), VALUES, max_size=2)
CASES = st.builds(
    Case,
    name=NAMES,
    args=TABLES,
    targets=st.lists(NAMES, max_size=3).map(tuple),
    dims=st.dictionaries(st.text(max_size=5), st.integers(0, 2**40), max_size=2),
    rtol=TOLERANCES,
    atol=TOLERANCES,
    seed=st.integers(0, 2**32),
    flops=st.none() | NAMES,
    baseline=st.none() | NAMES,
    kernel=st.none() | NAMES,
    extra=UNKNOWN,
)
METADATA = st.builds(
    Metadata,
    kernel=st.none() | NAMES,
    reference=st.none() | NAMES,
    cases=st.lists(CASES, max_size=3).map(tuple),
    extra=UNKNOWN,
)
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
# Lines of a program, some valid and some not; none opens a block.
ROWS = st.sampled_from(
    [
        "import tilelang\t",
        "",
        "   ",
        "# note",
        "#",
        "x = 'é—'",
        "def f(:",
        "\ty = 1  ",
        "# ///",
        "\x0c",
    ]
)


@st.composite
def sources(draw: st.DrawFn) -> tuple[bytes, bytes]:
    """Parts of a source before and after the place of its block."""
    rows = draw(st.lists(ROWS, max_size=6))
    text = "".join(row + draw(LINE_ENDS) for row in rows)
    last = draw(st.sampled_from(["", "z = 1", "# end"]))
    head = draw(
        st.sampled_from(
            [b"", b"#!/bin/python\n", b"# coding: cp1252\r\n", b"#!x\n# coding=cp1252\n"]
        )
    )
    mark = b"" if b"coding" in head else draw(st.sampled_from([b"", codecs.BOM_UTF8]))
    encoding = "cp1252" if b"coding" in head else "utf-8"
    return mark + head, (text + last).encode(encoding)


@settings(max_examples=60, deadline=None)
@given(sources(), METADATA)
def test_inserting_keeps_every_byte_and_reads_back(
    parts: tuple[bytes, bytes], metadata: Metadata
) -> None:
    head, tail = parts
    written = write_metadata(head + tail, metadata)
    assert written.startswith(head)
    assert written.endswith(tail)
    assert same(read(written) or Metadata(), metadata)


@settings(max_examples=60, deadline=None)
@given(sources(), METADATA, METADATA)
def test_replacing_keeps_every_byte_outside_the_block(
    parts: tuple[bytes, bytes], old: Metadata, new: Metadata
) -> None:
    old, new = replace(old, kernel="before"), replace(new, kernel="after")
    head, tail = parts
    first = write_metadata(head + tail, old)
    second = write_metadata(first, new)
    assert second.startswith(head)
    assert second.endswith(tail)
    assert same(read(second), new)
    assert same(read(write_metadata(second, old)), old)


@settings(max_examples=60, deadline=None)
@given(METADATA)
def test_writing_what_is_there_changes_nothing(metadata: Metadata) -> None:
    written = write_metadata(b"x = 1\n", metadata)
    assert write_metadata(written, read(written) or Metadata()) == written


def test_nan_and_type_count_when_metadata_is_compared() -> None:
    assert same(Case("x", args={"a": math.nan}), Case("x", args={"a": math.nan}, line=3))
    assert not same(Case("x", args={"a": 1}), Case("x", args={"a": True}))
