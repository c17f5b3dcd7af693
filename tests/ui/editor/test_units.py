from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from workbench.ui.editor.line_ends import split_text
from workbench.ui.editor.units import UnitMap, to_index, to_units, units

TEXT = st.text(alphabet="aé€\U0001f600", max_size=20)


@given(TEXT)
def test_units_are_those_of_utf_16(text: str) -> None:
    assert units(text) == len(text.encode("utf-16-le")) // 2


@given(TEXT, st.integers(0, 20))
def test_an_index_comes_back(text: str, index: int) -> None:
    index = min(index, len(text))
    assert to_index(text, to_units(text, index)) == index
    assert UnitMap(text).to_units(index) == to_units(text, index)


@given(st.text(alphabet="ab\r\n\u2028\u2029\ufdd0\x0c"))
def test_lines_and_ends_make_the_text_again(text: str) -> None:
    split = split_text(text)
    ends = (*split.ends, "")
    assert "".join(line + end for line, end in zip(split.lines, ends, strict=True)) == text


def test_the_usual_end_is_that_of_most_lines() -> None:
    assert split_text("a\r\nb\r\nc\n").usual_end == "\r\n"
    assert split_text("a").usual_end == "\n"
