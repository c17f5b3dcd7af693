"""Names that nearly exist are written as they are, each where it stands and nowhere else."""

from __future__ import annotations

import pytest

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.lint import subjects_of
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document
from workbench.core.targets.table import load_targets

_HEAD = "import tilelang\nimport tilelang.language as T\n\n"


def _mended(body: str, line: int, name: str, nearest: str) -> tuple[str, ...]:
    """The texts that the fixes make, each with `!` before it where it is not safe."""
    document = parse_document(_HEAD + body)
    evidence = {"name": name, "nearest": nearest}
    found = Diagnostic(
        "removed-api", Severity.ERROR, "no such name", TextRange(3 + line), evidence=evidence
    )
    subjects = subjects_of(document, {}, [load_targets().resolve("h100")])
    (mended,) = with_fixes([found], document, subjects)
    texts = [(f.safe, apply_fix(document.text, f).removeprefix(_HEAD)) for f in mended.fixes]
    return tuple(text if safe else f"!{text}" for safe, text in texts)


@pytest.mark.parametrize(
    ("body", "name", "nearest", "mended"),
    [
        ("x = T.alloc_fragmnt((8,), 'f')\n", "alloc_fragmnt", "alloc_fragment",
         "x = T.alloc_fragment((8,), 'f')\n"),
        ("y = T.pipelined(4, 3)\n", "pipelined", "Pipelined", "y = T.Pipelined(4, 3)\n"),
        ("T.gemm(a, b, c, trans_B=True)\n", "trans_B", "transpose_B",
         "!T.gemm(a, b, c, transpose_B=True)\n"),
        ("T.gemm(\n    a, b, c,\n    transpos_B=True,\n)\n", "transpos_B", "transpose_B",
         "T.gemm(\n    a, b, c,\n    transpose_B=True,\n)\n"),
        ("from tilelang.language import Pipelinned as P\n", "Pipelinned", "Pipelined",
         "from tilelang.language import Pipelined as P\n"),
    ],
)  # fmt: skip
def test_the_nearest_name_is_written(body: str, name: str, nearest: str, mended: str) -> None:
    assert _mended(body, 1, name, nearest) == (mended,)


def test_a_name_that_stands_twice_in_its_line_is_left_to_the_person() -> None:
    assert _mended("T.coppy(T.coppy(a, b), c)\n", 1, "coppy", "copy") == ()


def test_the_same_name_in_another_line_is_left_alone() -> None:
    body = "T.coppy(a, b)\nfiles.coppy(a, b)\n"
    assert _mended(body, 1, "coppy", "copy") == ("!T.copy(a, b)\nfiles.coppy(a, b)\n",)
