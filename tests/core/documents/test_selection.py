"""What is chosen to run, with which arguments, and what is said where the choice is wrong."""

from __future__ import annotations

import math
from typing import Any

import pytest

from workbench.core.documents.model import Document
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import Selection, SelectionError, parse_value, select

KERNEL = """
@tilelang.jit
def {name}({signature}):
    @T.prim_func
    def main(A: T.Tensor((8,), "float16")):
        with T.Kernel(1):
            T.clear(A)
    return main
"""
IMPORTS = "import tilelang\nimport tilelang.language as T\n"
MATMUL = KERNEL.format(name="matmul", signature="M, N, block=128, dtype=T.float16, tile=(1, 2)")
COPY = KERNEL.format(name="copy", signature="N=8")
CASES = """\
# [[case]]
# name = "square"
# args = { M = 64, N = 64 }
# [[case]]
# name = "tall"
# args = { M = 512, N = 16, block = 64 }
"""


def document(toml: str, *kernels: str) -> Document:
    block = f"# /// workbench\n{toml}# ///\n" if toml else ""
    return parse_document(block + IMPORTS + "".join(kernels))


def only(selections: tuple[Selection, ...]) -> Selection:
    (selection,) = selections
    return selection


def refusal(document: Document, **choice: Any) -> str:
    with pytest.raises(SelectionError) as caught:
        select(document, **choice)
    return str(caught.value)


def test_the_first_case_is_chosen_and_filled_with_literal_defaults() -> None:
    selection = only(select(document(CASES, MATMUL)))
    assert selection.case.name == "square"
    assert selection.args == {"M": 64, "N": 64, "block": 128, "tile": (1, 2)}


def test_all_chooses_every_case() -> None:
    selections = select(document(CASES, MATMUL), case="all")
    assert [s.case.name for s in selections] == ["square", "tall"]


def test_overrides_win_over_the_case_which_wins_over_defaults() -> None:
    selection = only(select(document(CASES, MATMUL), None, "tall", {"M": "7", "dtype": "bfloat16"}))
    assert selection.args == {
        "M": 7,
        "N": 16,
        "block": 64,
        "dtype": "bfloat16",
        "tile": (1, 2),
    }


def test_without_cases_there_is_a_default_one() -> None:
    for case in (None, "default", "all"):
        selection = only(select(document("", COPY), case=case))
        assert (selection.case.name, selection.args) == ("default", {"N": 8})


def test_missing_arguments_are_named_with_the_option_to_give() -> None:
    message = refusal(document("", MATMUL), overrides={"N": "4"})
    assert message == ("`matmul` needs M, which the case `default` does not give. Add --set M=...")


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"kernel": "matmull"}, "has no kernel `matmull`; did you mean `matmul`?"),
        ({"case": "squre"}, "has no case `squre`; did you mean `square`?"),
        ({"case": "default"}, "has no case `default`"),
        ({"overrides": {"blok": "3"}}, "`matmul` has no parameter `blok` (--set); did you mean"),
    ],
)
def test_a_wrong_name_is_refused_with_the_nearest(choice: dict[str, Any], message: str) -> None:
    assert message in refusal(document(CASES, MATMUL), **choice)


def test_a_wrong_argument_of_a_case_is_refused() -> None:
    toml = '# [[case]]\n# name = "x"\n# args = { blck = 1 }\n'
    assert "no parameter `blck` (the case `x`)" in refusal(document(toml, MATMUL))


def test_several_kernels_want_a_choice() -> None:
    two = document("", MATMUL, COPY)
    assert "has 2 kernels: matmul, copy. Choose one with --kernel." in refusal(two)
    assert only(select(two, "copy")).kernel.name == "copy"


def test_the_blocks_kernel_is_the_choice() -> None:
    assert only(select(document('# kernel = "copy"\n', MATMUL, COPY))).kernel.name == "copy"


def test_a_factory_that_wraps_the_one_kernel_leaves_no_doubt() -> None:
    wrapped = document("", COPY, "\ndef build():\n    return copy(4)\n")
    assert [k.name for k in wrapped.kernels] == ["copy", "build"]
    assert only(select(wrapped)).kernel.name == "copy"


def test_a_cases_own_kernel_counts() -> None:
    toml = '# kernel = "copy"\n' + CASES.replace("# args", '# kernel = "matmul"\n# args')
    both = document(toml, MATMUL, COPY)
    assert only(select(both, case="tall")).kernel.name == "matmul"
    assert [s.kernel.name for s in select(both, case="all")] == ["matmul", "matmul"]
    assert only(select(both)).case.name == "default"
    assert "is for `matmul`, not for `copy`" in refusal(both, kernel="copy", case="tall")


def test_a_kernel_with_open_arguments_takes_any() -> None:
    loose = document("", KERNEL.format(name="loose", signature="a=1, **more"))
    assert only(select(loose, overrides={"b": "2"})).args == {"a": 1, "b": 2}


def test_an_eager_kernels_dimensions_may_come_from_dims() -> None:
    eager = """
@tilelang.jit
def scale(A, block=4):
    M, N = T.const("M, N")
    A: T.Tensor[[M, N], "float16"]
    with T.Kernel(1):
        T.clear(A)
"""
    toml = '# [[case]]\n# name = "x"\n# args = { M = 2 }\n# dims = { N = 3 }\n'
    assert only(select(document(toml, eager))).args == {"M": 2, "N": 3, "block": 4}


def test_a_document_that_cannot_be_read_is_refused_with_its_fault() -> None:
    assert "line 2: The workbench block is not valid TOML" in refusal(document("# a\n", COPY))
    assert "line 3: This is not valid Python" in refusal(document("", "def f(:\n"))
    assert "no `tilelang.jit` function" in refusal(document(""))
    assert "defines no kernel" in refusal(document("", "def main(): ...\n"))


def test_the_reference_comes_along() -> None:
    with_reference = document("", COPY, "\ndef ref_program(A):\n    return A\n")
    assert only(select(with_reference)).reference == "ref_program"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("64", 64),
        ("-1", -1),
        ("0x10", 16),
        ("1e-2", 0.01),
        ("true", True),
        ("False", False),
        ("None", None),
        ("inf", math.inf),
        ("[1, 2]", [1, 2]),
        ("(1, 2)", (1, 2)),
        ("{'a': 1}", {"a": 1}),
        ("'64'", "64"),
        ("float16", "float16"),
        ("2024-01-01", "2024-01-01"),
        ("08", "08"),
        ("", ""),
        ("b'x'", "b'x'"),
        ("1j", "1j"),
        ("{1: 2}", "{1: 2}"),
        ("{[]: 2}", "{[]: 2}"),
        ("(" * 9000, "(" * 9000),
        ("a\0b", "a\0b"),
    ],
)
def test_an_override_is_a_literal_or_a_text(text: str, value: object) -> None:
    assert parse_value(text) == value
    assert type(parse_value(text)) is type(value)
