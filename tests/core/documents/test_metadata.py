"""What is read from a document's block, and what is said of a bad one."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from workbench.core.diagnostics import Severity
from workbench.core.documents.model import Case, Document, Metadata
from workbench.core.documents.reading import parse_document

BODY = """
import tilelang
import tilelang.language as T

@tilelang.jit
def matmul(M, N=64, block_M=128):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16")):
        with T.Kernel(1):
            T.clear(A)
    return main

def ref_program(A):
    return A
"""
FULL = """\
kernel = "matmul"
reference = "ref_program"
[[case]]
name = "square"
args = { M = 1024, N = 1024 }
targets = ["h100", "a100"]
dims = { m = 300 }
rtol = 1e-2
atol = 1
seed = 3
flops = "2 * M * N"
baseline = "ref_program"
[[case]]
name = "tall"
"""


def block(toml: str) -> str:
    lines = "".join(f"# {line}".rstrip() + "\n" for line in toml.splitlines())
    return f"# /// workbench\n{lines}# ///\n"


def parse(toml: str, body: str = BODY) -> Document:
    return parse_document(block(toml) + body)


def findings(document: Document) -> list[tuple[str, int]]:
    return [(d.code, d.range.line if d.range else 0) for d in document.diagnostics]


def test_every_key_is_read() -> None:
    document = parse(FULL)
    square = Case(
        "square",
        args={"M": 1024, "N": 1024},
        targets=("h100", "a100"),
        dims={"m": 300},
        rtol=1e-2,
        atol=1.0,
        seed=3,
        flops="2 * M * N",
        baseline="ref_program",
    )
    assert document.metadata == Metadata("matmul", "ref_program", (square, Case("tall")))
    assert document.diagnostics == ()


def test_a_case_knows_its_line() -> None:
    metadata = parse(FULL).metadata
    assert metadata is not None
    assert [case.line for case in metadata.cases] == [4, 14]


def test_a_file_without_a_block_has_no_metadata() -> None:
    document = parse_document(BODY)
    assert document.metadata is None
    assert document.kernels[0].reference == "ref_program"


@pytest.mark.parametrize(
    ("toml", "code", "line"),
    [
        ("kernel = ", "metadata-syntax", 2),
        ('kernel = "matmul"\n[[case]\n', "metadata-syntax", 3),
        ("a = 1\na = 2", "metadata-syntax", 3),
        ('kernel = "matmul', "metadata-syntax", 2),
        ("a = [1,", "metadata-syntax", 3),
        ("a = " + "9" * 5000, "metadata-syntax", 3),
        ("a = " + "[" * 5000, "metadata-syntax", 3),
        ("kernel = 3", "metadata-type", 2),
        ('kernel = ""', "metadata-type", 2),
        ("case = 3", "metadata-type", 2),
        ('[case]\nname = "x"', "metadata-type", 2),
        ("[[case]]\nrtol = 1", "metadata-type", 2),
        ('[[case]]\nname = "all"', "metadata-type", 3),
        ('[[case]]\nname = "x"\nrtol = "1"', "metadata-type", 4),
        ('[[case]]\nname = "x"\nrtol = true', "metadata-type", 4),
        ('[[case]]\nname = "x"\nrtol = -1', "metadata-type", 4),
        ('[[case]]\nname = "x"\natol = nan', "metadata-type", 4),
        ('[[case]]\nname = "x"\nseed = 1.0', "metadata-type", 4),
        ('[[case]]\nname = "x"\nargs = 1', "metadata-type", 4),
        ('[[case]]\nname = "x"\ndims = { m = "1" }', "metadata-type", 4),
        ('[[case]]\nname = "x"\ntargets = "h100"', "metadata-type", 4),
        ('[[case]]\nname = "x"\ntargets = [\n1]', "metadata-type", 4),
        ('kernle = "matmul"', "metadata-unknown-key", 2),
        ('[[case]]\nname = "x"\n\n"tol" = 1', "metadata-unknown-key", 5),
        ('[[case]]\nname = "x"\n[[case]]\nname = "x"', "metadata-repeated-case", 5),
        ('kernel = "matmull"', "metadata-unknown-kernel", 2),
        ('[[case]]\nname = "x"\nkernel = "other"', "metadata-unknown-kernel", 4),
        ('reference = "reference"', "metadata-unknown-function", 2),
        ('[[case]]\nname = "x"\nbaseline = "torch"', "metadata-unknown-function", 4),
        ('[[case]]\nname = "x"\nargs = { block_m = 1 }', "metadata-unknown-argument", 4),
        ('[[case]]\nname = "x"\n[case.args]\nM = 1\nK = 1', "metadata-unknown-argument", 6),
        ('[[case]]\nname = "x"\nargs.M = 1\nargs.K = 1', "metadata-unknown-argument", 5),
    ],
)
def test_a_fault_in_the_block_is_a_diagnostic_at_its_line(toml: str, code: str, line: int) -> None:
    document = parse(toml)
    assert findings(document) == [(code, line)]
    assert [k.name for k in document.kernels] == ["matmul"]


def test_a_bad_entry_costs_that_entry_alone() -> None:
    metadata = parse('[[case]]\nname = "x"\nseed = "a"\nrtol = 0.5\n[[case]]\nname = "y"').metadata
    assert metadata is not None
    assert [(c.name, c.seed, c.rtol) for c in metadata.cases] == [("x", 0, 0.5), ("y", 0, None)]


def test_a_nearest_name_is_suggested() -> None:
    messages = [
        parse(toml).diagnostics[0].message for toml in ('kernle = "m"', 'kernel = "matmuk"')
    ]
    assert [message.split("; ")[1] for message in messages] == [
        "did you mean `kernel`?",
        "did you mean `matmul`?",
    ]


def test_unknown_keys_are_kept() -> None:
    document = parse('colour = "red"\n[[case]]\nname = "x"\nweight = 2')
    assert document.metadata is not None
    assert document.metadata.extra == {"colour": "red"}
    assert document.metadata.cases[0].extra == {"weight": 2}
    assert {d.severity for d in document.diagnostics} == {Severity.WARNING}


def test_the_column_of_a_toml_error_is_the_files() -> None:
    (diagnostic,) = parse("kernel = @").diagnostics
    assert diagnostic.range is not None
    assert diagnostic.range.column == len("# kernel = @")


def test_a_key_in_a_multiline_string_is_no_key() -> None:
    toml = 'note = """\nkernel = 1\n[[case]]\n"""\nkernel = 3'
    assert ("metadata-type", 6) in findings(parse(toml))


def test_a_block_without_end_is_reported() -> None:
    document = parse_document('# /// workbench\n# kernel = "x"\n' + BODY)
    assert findings(document) == [("metadata-unclosed-block", 1)]
    assert document.metadata is None


def test_a_second_block_is_reported_and_not_read() -> None:
    document = parse_document(block('kernel = "matmul"') + BODY + block('kernel = "x"'))
    assert [code for code, _ in findings(document)] == ["metadata-repeated-block"]
    assert document.metadata == Metadata("matmul")


def test_a_block_in_a_string_is_not_the_files() -> None:
    document = parse_document(
        f'"""\n{block("kernel = 3")}"""\n' + BODY + block('kernel = "matmul"')
    )
    assert document.metadata == Metadata("matmul")
    assert document.diagnostics == ()


@pytest.mark.parametrize("other", ["# /// script\n# dependencies = []\n# ///\n", "# note\n"])
def test_comments_beside_the_block_are_not_of_it(other: str) -> None:
    for text in (other + block('kernel = "matmul"'), block('kernel = "matmul"') + other):
        assert parse_document(text + BODY).metadata == Metadata("matmul")


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
def test_any_line_end_will_do(line_end: str) -> None:
    document = parse_document((block(FULL) + BODY).replace("\n", line_end))
    assert document.metadata == parse(FULL).metadata
    assert document.diagnostics == ()


def test_a_block_is_read_beside_a_syntax_error() -> None:
    document = parse(FULL, BODY + "def f(:\n")
    assert document.metadata == parse(FULL).metadata
    assert [code for code, _ in findings(document)] == ["python-error"]


@pytest.mark.parametrize(
    ("toml", "reference"),
    [
        ("", "ref_program"),
        ('reference = "main"', "main"),
        ('kernel = "matmul"\nreference = "main"', "main"),
        ('kernel = "other"\nreference = "main"', "ref_program"),
    ],
)
def test_the_reference_is_the_blocks_else_the_default(toml: str, reference: str) -> None:
    assert parse(toml, BODY + "def main(): ...\n").kernels[0].reference == reference


def test_a_kernel_without_reference_has_none() -> None:
    assert parse("", BODY.replace("ref_program", "other")).kernels[0].reference is None


def test_an_imported_reference_counts() -> None:
    body = BODY.replace("def ref_program(A):\n    return A", "from refs import ref_program")
    assert parse('reference = "ref_program"', body).diagnostics == ()


def test_with_an_import_of_everything_no_function_is_called_unknown() -> None:
    assert parse('reference = "somewhere"', "from refs import *\n" + BODY).diagnostics == ()


TOML_ROWS = st.sampled_from(
    [
        'kernel = "matmul"',
        "kernel = 3",
        "[[case]]",
        "[case]",
        'name = "x"',
        "args = { M = 1 }",
        "args.N = 2",
        "[case.args]",
        "[[case.args]]",
        "[[]]",
        '[["a.b".c]]',
        'note = """',
        "targets = [",
        "]",
        "\ttargets = ['a']",
        "seed = -1",
        "# comment",
        "/// ",
        "///",
        "/// workbench",
        "é = '\u2028'",
    ]
)


@settings(max_examples=150, deadline=None)
@given(st.lists(TOML_ROWS, max_size=8))
def test_no_block_whatever_raises(rows: list[str]) -> None:
    document = parse("\n".join(rows))
    lines = document.text.count("\n")
    assert [k.name for k in document.kernels] == ["matmul"]
    assert all(d.range and 1 <= d.range.line <= lines for d in document.diagnostics)


@settings(max_examples=150, deadline=None)
@given(st.text())
def test_no_text_whatever_raises(text: str) -> None:
    parse_document(text)
