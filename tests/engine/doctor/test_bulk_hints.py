"""A hint to L2 that TileLang's templates cannot give is told at the copy that asks for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lowering_faults import analyzed_text
from tests.support.mendable_kernels import MENDABLE
from workbench.core.diagnostics import Diagnostic, Fix, Severity, TextRange
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document

CODE = "bulk-copy-hint"
TEXT = MENDABLE["hint of one run"].text
ASKED = ', eviction_policy="evict_last"'
OVERLOAD = """SOURCE = \"\"\"
#include <tl_templates/cuda/copy_sm90.h>
namespace tl {
template <CacheHintSm90 hint, typename Barrier>
TL_DEVICE void tma_load(void *to, const void *from, Barrier &here, uint32_t bytes) {
  tma_load(to, from, here, bytes);
}
}
\"\"\"


@tilelang.jit"""
BY_ROW = "T.tma_copy(X[bx, 0:N], row, barrier=here[0]"
PARTS = """            part = T.alloc_shared((8, 64), "float16")
            T.tma_copy(X[0:8, 64:128], part, barrier=here[0]"""


def found_in(path: Path, text: str, target: str = "h200") -> list[tuple[int | None, str]]:
    result = analyzed_text(path / "document.py", text, target)
    assert result.kernels, result.failure
    assert "limits" not in result.missing
    told = [d for d in result.diagnostics if d.code == CODE]
    return [(d.range.line if d.range is not None else None, d.message) for d in told]


def line_of(text: str) -> int:
    return text[: text.index("eviction_policy")].count("\n") + 1


@pytest.mark.parametrize("target", ["h200", "sm_100a"])
def test_a_load_of_one_run_takes_no_hint(tmp_path: Path, target: str) -> None:
    ((line, message),) = found_in(tmp_path, TEXT, target)
    assert line == line_of(TEXT)
    assert "`X` to `row` is one run of 1 KiB" in message
    assert "tl::tma_load<CacheHintSm90::EVICT_LAST>" in message


def test_a_pipelined_copy_of_rows_takes_none_either(tmp_path: Path) -> None:
    text = TEXT.replace(
        f"            {BY_ROW}{ASKED})\n            T.barrier_arrive(here[0])\n"
        "            T.barrier_wait(here[0], 0)\n            for j in T.Parallel(N):\n",
        "            for k in T.Pipelined(4, num_stages=2):\n"
        f"                T.copy(X[k, 0:N], row{ASKED})\n                for j in T.Parallel(N):\n",
    ).replace("                Y[bx, j]", "                    Y[k, j]")
    ((line, _),) = found_in(tmp_path, text)
    assert line == line_of(text)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (ASKED, ""),
        ("evict_last", "evict_normal"),
        (f"            {BY_ROW}", PARTS),
        ("@tilelang.jit", OVERLOAD),
    ],
    ids=["no hint", "the usual hint", "part of several rows", "form that is brought"],
)
def test_what_has_a_form_is_clean(tmp_path: Path, old: str, new: str) -> None:
    text = TEXT.replace(old, new, 1)
    assert text != TEXT
    if new is OVERLOAD:
        text = text.replace(
            "            row =", "            T.import_source(SOURCE)\n            row ="
        )
    assert found_in(tmp_path, text) == []


@pytest.mark.thorough
def test_a_store_of_one_run_takes_a_hint(tmp_path: Path) -> None:
    text = TEXT.replace(BY_ROW + ASKED, BY_ROW).replace(
        "            for j in T.Parallel(N):\n                Y[bx, j] = row[j] * 2\n",
        f"            T.copy(row, Y[bx, 0:N]{ASKED})\n",
    )
    assert ASKED in text
    result = analyzed_text(tmp_path / "document.py", text, "h200", level=2)
    assert result.failure is None
    assert CODE not in {d.code for d in result.diagnostics}


def fixes_of(text: str) -> tuple[Fix, ...]:
    found = Diagnostic(CODE, Severity.ERROR, "", TextRange(line_of(text)), stage="lower")
    (mended,) = with_fixes([found], parse_document(text, None), ())
    return mended.fixes


def test_the_hint_is_dropped_or_the_form_is_brought(tmp_path: Path) -> None:
    without, bringing = fixes_of(TEXT)
    assert without.safe
    assert apply_fix(TEXT, without) == TEXT.replace(ASKED, "")
    assert not bringing.safe  # inline PTX is a person's choice
    mended = apply_fix(TEXT, bringing)
    assert ASKED in mended
    assert found_in(tmp_path, mended) == []


def test_a_document_that_imports_source_is_left_to_its_author() -> None:
    text = TEXT.replace(
        "            row =", '            T.import_source("// mine")\n            row ='
    )
    assert [each.title for each in fixes_of(text)] == ["Copy without eviction_policy"]


@pytest.mark.thorough
@pytest.mark.parametrize("target", ["h200", "sm_100a"])
def test_the_form_that_is_brought_compiles(tmp_path: Path, target: str) -> None:
    mended = apply_fix(TEXT, fixes_of(TEXT)[1])
    result = analyzed_text(tmp_path / "document.py", mended, target, level=2)
    assert result.failure is None
