from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.reference.inline import Piece, Style, pieces, plain, slugs
from workbench.core.reference.model import (
    Bullets,
    CodeBlock,
    Paragraph,
    Section,
    Table,
    Tone,
)
from workbench.core.reference.texts import TextError, parse_text, read_text

SOURCE = """\
title: A page
names: one two

First line
goes on.

- a point
  that goes on
- another

## Code

```wrong
## no heading
x = 1
```

| A | B |
|---|---|
| `x` | y |
"""


def test_a_text_has_a_head_and_sections_of_blocks() -> None:
    text = parse_text(SOURCE)
    assert text.head == {"title": "A page", "names": "one two"}
    assert text.words("names") == ("one", "two")
    assert text.sections == (
        Section(
            "",
            (
                Paragraph("First line goes on."),
                Bullets(("a point that goes on", "another")),
            ),
        ),
        Section(
            "Code",
            (
                CodeBlock("## no heading\nx = 1", Tone.WRONG, "Wrong"),
                Table(("A", "B"), (("`x`", "y"),)),
            ),
        ),
    )


def test_a_text_without_a_head_begins_with_an_empty_line() -> None:
    assert parse_text("\nWords.\n").sections == (Section("", (Paragraph("Words."),)),)


@pytest.mark.parametrize(
    ("source", "message"),
    [("no head\n\ntext", "line 1: the head"), ("\n```\nx\n", "has no end")],
)
def test_what_cannot_be_read_names_file_and_reason(
    tmp_path: Path, source: str, message: str
) -> None:
    path = tmp_path / "page.md"
    path.write_text(source)
    with pytest.raises(TextError, match=f"page.md.*{message}"):
        read_text(path)


def test_marks_within_a_line() -> None:
    text = "see `T.gemm`, **now**, at [the page](api/T.gemm)"
    assert list(pieces(text)) == [
        Piece("see "),
        Piece("T.gemm", Style.CODE),
        Piece(", "),
        Piece("now", Style.STRONG),
        Piece(", at "),
        Piece("the page", Style.LINK, "api/T.gemm"),
    ]
    assert plain(text) == "see T.gemm, now, at the page"
    assert list(slugs(text)) == ["api/T.gemm"]
