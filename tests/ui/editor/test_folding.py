from __future__ import annotations

from workbench.ui.editor.folding import (
    Region,
    enclosing_header,
    folded_text,
    is_header,
    region_at,
    regions,
)

TEXT = '''\
# /// workbench
# kernel = "main"
# ///
def matmul(
    M,
):
    """Text
at the edge
    """
    def main():
        with T.Kernel(1):
            for i in x:
                # the sum
                y

# a remark at the edge
            z
    return main

x = 1'''
KERNEL = TEXT.splitlines()
STRING_LINES = (7, 8)


def in_string(line: int) -> bool:
    return line in STRING_LINES


def line_of(text: str) -> int:
    return next(index for index, line in enumerate(KERNEL) if text in line)


def test_the_metadata_block_folds() -> None:
    assert region_at(KERNEL, 0, in_string) == Region(0, 2)


def test_an_unclosed_block_does_not_fold() -> None:
    assert region_at(["# /// workbench", "# x", "y"], 0, in_string) is None


def test_a_function_folds_with_its_signature_and_strings_at_the_edge() -> None:
    start = line_of("def matmul")
    assert region_at(KERNEL, start, in_string) == Region(start, line_of("return main"))


def test_blank_lines_and_comments_do_not_end_a_region() -> None:
    start = line_of("with T.Kernel")
    assert region_at(KERNEL, start, in_string) == Region(start, line_of("            z"))


def test_headers_are_what_has_a_region() -> None:
    heads = [i for i in range(len(KERNEL)) if is_header(KERNEL, i, in_string)]
    assert heads == [region.start for region in regions(KERNEL, in_string)]
    assert line_of("):") not in heads


def test_the_enclosing_header_is_the_innermost_function_or_with() -> None:
    assert enclosing_header(KERNEL, line_of("                y"), in_string) == line_of("with T.")
    assert enclosing_header(KERNEL, line_of("return main"), in_string) == line_of("def matmul")
    assert enclosing_header(KERNEL, line_of("    M,"), in_string) == line_of("def matmul")
    assert enclosing_header(KERNEL, line_of("x = 1"), in_string) is None


def test_a_folded_region_says_its_first_comment_or_its_length() -> None:
    loop = line_of("for i in")
    assert folded_text(KERNEL, Region(loop, loop + 2)) == "the sum"
    assert folded_text(KERNEL, Region(0, 2)) == "2 lines"
    assert folded_text(["if x:", "    y"], Region(0, 1)) == "1 line"
