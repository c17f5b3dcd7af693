"""A fix changes what it says and nothing else: comments, indentation and line ends stay."""

from __future__ import annotations

import ast
import difflib

import pytest
from mendable_kernels import MENDABLE

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.lint import lint, subjects_of
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document
from workbench.core.targets.table import load_targets

LINTED = [name for name, m in MENDABLE.items() if m.until == "lint"]
TABLE = load_targets()


def found_in(text, *others, targets=("sm_80",)):
    document = parse_document(text, None)
    chosen = [TABLE.resolve(name) for name in targets]
    subjects = subjects_of(document, {}, chosen)
    return with_fixes([*lint(document, subjects), *others], document, subjects)


def fix_of(text, code, *others, targets=("sm_80",), title=""):
    found = found_in(text, *others, targets=targets)
    fixes = [f for d in found if d.code == code for f in d.fixes if f.title.startswith(title)]
    assert fixes, [(d.code, [f.title for f in d.fixes]) for d in found]
    return fixes[0]


def changed(before, after):
    lines = difflib.ndiff(before.splitlines(), after.splitlines())
    return [line for line in lines if line[:2] in ("- ", "+ ")]


def at(text, piece, code, message="", **evidence):
    line = text[: text.index(piece)].count("\n") + 1
    return Diagnostic(
        code, Severity.ERROR, message, TextRange(line), stage="simulate", evidence=evidence
    )


@pytest.mark.parametrize("name", LINTED)
def test_line_ends_stay_as_they_are(name):
    mendable = MENDABLE[name]
    text = mendable.text.replace("\n", "\r\n")
    mended = apply_fix(text, fix_of(text, mendable.code))
    assert "\n" not in mended.replace("\r\n", "")
    plain = apply_fix(mendable.text, fix_of(mendable.text, mendable.code))
    assert mended.replace("\r\n", "\n") == plain


@pytest.mark.parametrize("name", LINTED)
def test_tabs_stay_tabs(name):
    mendable = MENDABLE[name]
    text = "\n".join(_tabbed(line) for line in mendable.text.split("\n"))
    mended = apply_fix(text, fix_of(text, mendable.code))
    ast.parse(mended)
    assert not any(line.startswith(" ") for line in mended.split("\n"))


def _tabbed(line):
    spaces = len(line) - len(line.lstrip(" "))
    return "\t" * (spaces // 4) + line.lstrip(" ")


def test_a_statement_of_several_lines_goes_with_its_comments_and_nothing_else():
    text = MENDABLE["tile never used"].text
    mended = apply_fix(text, fix_of(text, "unused-buffer"))
    assert all(line.startswith("- ") for line in changed(text, mended))
    assert len(changed(text, mended)) == 4


def test_a_value_is_changed_in_the_block_that_gives_it():
    text = MENDABLE["too many warps"].text
    mended = apply_fix(text, fix_of(text, "warp-partition-illegal", title="Use 64 threads"))
    assert "threads = 64" in mended.split("# ///")[1]
    assert "threads=128, stages=2" in mended


def test_a_value_of_several_cases_is_changed_in_each_that_has_it():
    text = MENDABLE["too many warps"].text
    block = text[text.index("# [[case]]") : text.index("# ///\nimport")]
    other = block.replace('"small"', '"other"').replace("threads = 256", "threads = 32")
    twice = block.replace('"small"', '"again"')
    text = text.replace("# ///\nimport", f"{other}{twice}# ///\nimport")
    mended = apply_fix(text, fix_of(text, "warp-partition-illegal", title="Use 64 threads"))
    assert [mended.count(f"threads = {n}") for n in (32, 64, 256)] == [1, 2, 0]


def test_a_value_without_a_case_is_changed_in_the_default():
    text = (
        MENDABLE["too many warps"]
        .text.replace(", threads = 256", "")
        .replace("threads=128", "threads=256")
    )
    mended = apply_fix(text, fix_of(text, "warp-partition-illegal", title="Use 64 threads"))
    assert len(changed(text, mended)) == 2
    assert "threads=64, stages=2" in mended


def test_a_guard_indents_every_line_of_its_statement():
    text = MENDABLE["elements of blocks"].text.replace(
        "Y[i, j] = x[i, j]",
        "T.atomic_add(\n                    Y[i + 4, j],  # moved\n"
        "                    x[i, j],\n                )",
    )
    found = at(text, "Y[i + 4", "out-of-bounds-write", buffer="Y", index=[8, 0])
    mended = apply_fix(text, fix_of(text, "out-of-bounds-write", found))
    ast.parse(mended)
    assert (
        "                if i + 4 < M:\n"
        "                    T.atomic_add(\n"
        "                        Y[i + 4, j],  # moved\n"
        "                        x[i, j],\n"
        "                    )\n"
    ) in mended


def test_a_comment_behind_a_statement_stays_with_it():
    text = MENDABLE["tiles of blocks"].text
    found = at(text, "T.copy(x, Y", "block-race", buffer="Y")
    mended = apply_fix(text, fix_of(text, "block-race", found))
    assert "            T.atomic_add(Y[0, 0], x)  # all of it\n" in mended


def test_a_result_that_the_call_allocates_gets_no_atomic_store():
    text = MENDABLE["tiles of blocks"].text.replace("@tilelang.jit", "@tilelang.jit(out_idx=[1])")
    found = at(text, "T.copy(x, Y", "block-race", buffer="Y")
    assert [d.fixes for d in found_in(text, found) if d.code == "block-race"] == [()]


UPDATE = """import tilelang
import tilelang.language as T


@tilelang.jit{how}
def total(N=4):
    @T.prim_func
    def main(X: T.Tensor((N,), "float32"), S: T.Tensor((1,), "float32")):
        with T.Kernel(N, threads=32) as bx:
            s = T.alloc_shared((1,), "float32")
            s[0] = X[bx]
            {update}

    return main
"""


@pytest.mark.parametrize("update", ["S[0] = S[0] + s[0]", "S[0] += s[0]"])
@pytest.mark.parametrize("code", ["block-race", "parallel-race"])
def test_an_atomic_update_of_what_the_call_allocates_is_not_safe_and_says_why(update, code):
    text = UPDATE.format(how="(out_idx=[-1])", update=update)
    fix = fix_of(text, code, at(text, update, code, buffer="S"))
    assert fix.title == "Use T.atomic_add (S has to be cleared first: the call allocates it unset)"
    assert "T.atomic_add(S[0], s[0])" in apply_fix(text, fix)
    assert not fix.safe


@pytest.mark.parametrize("update", ["S[0] = S[0] + s[0]", "S[0] += s[0]"])
def test_an_atomic_update_of_what_the_caller_gives_is_safe(update):
    text = UPDATE.format(how="", update=update)
    fix = fix_of(text, "block-race", at(text, update, "block-race", buffer="S"))
    assert (fix.title, fix.safe) == ("Use T.atomic_add", True)


def test_an_atomic_maximum_of_what_the_call_allocates_has_to_be_filled_first():
    update = "S[0] = T.max(S[0], s[0])"
    text = UPDATE.format(how="(out_idx=-1)", update=update)
    fix = fix_of(text, "block-race", at(text, update, "block-race", buffer="S"))
    assert fix.title.startswith("Use T.atomic_max (S has to be filled first")
    assert not fix.safe


def test_padding_keeps_bulk_copies_away_where_a_target_has_them():
    text = MENDABLE["column of a tile"].text
    found = at(text, "Y[j, i] = s[j, i]", "bank-conflict", "32-way bank conflict")
    title = "Pad s by 1: 32-way conflict → none"
    fix = fix_of(text, "bank-conflict", found, targets=("sm_80", "h100"), title=title)
    mended = apply_fix(text, fix)
    assert "T.copy(X, s[0:M, 0:N], disable_tma=True)" in mended
    assert "(M, N + 1)" in mended


def test_a_swizzle_says_what_it_leaves():
    text = MENDABLE["column of a tile"].text
    found = at(text, "Y[j, i] = s[j, i]", "bank-conflict", "32-way bank conflict")
    fix = fix_of(text, "bank-conflict", found, title="Swizzle s: 32-way conflict → 4-way")
    assert "T.annotate_layout({s: tilelang.layout.make_swizzled_layout(s)})" in apply_fix(text, fix)


def test_every_alternative_can_be_made_and_read():
    for mendable in MENDABLE.values():
        for diagnostic in found_in(mendable.text):
            for fix in diagnostic.fixes:
                ast.parse(apply_fix(mendable.text, fix))


def test_a_tile_of_another_type_is_added_element_by_element():
    text = (
        MENDABLE["tiles of blocks"]
        .text.replace('Y: T.Tensor((M, N), "float32")', 'Y: T.Tensor((M, N), "float16")')
        .replace("Y[0, 0]", "Y[part * M, 0]")
    )
    found = at(text, "T.copy(x, Y", "block-race", buffer="Y")
    mended = apply_fix(text, fix_of(text, "block-race", found))
    assert (
        "            for i, j in T.Parallel(M, N):\n"
        '                T.atomic_add(Y[part * M + i, j], T.cast(x[i, j], "float16"))'
        "  # all of it\n"
    ) in mended


def test_a_layout_of_the_documents_own_is_left_to_tilelang():
    text = MENDABLE["serial product"].text.replace(
        "            T.clear(total)",
        "            T.annotate_layout({\n"
        "                left: T.Layout((rows, depth), lambda i, j: (i, j)),\n"
        "                right: T.Layout((depth, columns), lambda i, j: (i, j)),\n            })\n"
        "            T.clear(total)",
    )  # fmt: skip
    found = at(text, "T.gemm(left", "bank-conflict", "4-way bank conflict")
    mended = apply_fix(text, fix_of(text, "bank-conflict", found, title="Leave the layout of left"))
    assert "left: T.Layout" not in mended
    assert "                right: T.Layout((depth, columns), lambda i, j: (i, j)),\n" in mended


def test_online_sums_are_scaled_before_they_grow():
    text = _online("total[i] += part[i]")
    found = at(text, "total[i] +=", "online-softmax")
    mended = apply_fix(text, fix_of(text, "online-softmax", found))
    assert "                    total[i] = total[i] * shrink[i] + part[i]\n" in mended


def test_an_accumulator_is_scaled_by_a_loop_before_its_product():
    text = _online("total[i] = total[i] * shrink[i] + part[i]")
    found = at(text, "T.gemm(p, v, acc", "online-softmax")
    mended = apply_fix(text, fix_of(text, "online-softmax", found))
    assert (
        "                for i, j in T.Parallel(S, D):\n"
        "                    acc[i, j] = acc[i, j] * shrink[i]\n"
        "                T.gemm(p, v, acc)\n"
    ) in mended


def _online(line):
    return f"""import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def f(S=64, D=64):
    @T.prim_func
    def main(X: T.Tensor((S, S), "float32"), Y: T.Tensor((S, D), "float32")):
        with T.Kernel(1) as bx:
            v = T.alloc_shared((S, D), "float16")
            p = T.alloc_fragment((S, S), "float16")
            acc = T.alloc_fragment((S, D), "float32")
            top = T.alloc_fragment((S,), "float32")
            old = T.alloc_fragment((S,), "float32")
            shrink = T.alloc_fragment((S,), "float32")
            part = T.alloc_fragment((S,), "float32")
            total = T.alloc_fragment((S,), "float32")
            T.clear(acc)
            T.clear(total)
            for k in T.serial(4):
                T.copy(top, old)
                T.reduce_max(p, top, dim=1, clear=False)
                for i in T.Parallel(S):
                    shrink[i] = T.exp(old[i] - top[i])
                T.reduce_sum(p, part, dim=1)
                for i in T.Parallel(S):
                    {line}
                T.gemm(p, v, acc)
            T.copy(acc, Y)

    return main
"""


def test_a_number_that_is_worked_out_is_written_anew():
    text = (
        MENDABLE["too many warps"]
        .text.replace(", threads = 256", "")
        .replace("threads=threads", "threads=8 * 32")
    )
    mended = apply_fix(text, fix_of(text, "warp-partition-illegal", title="Use 64 threads"))
    assert "threads=64) as (bx, by)" in mended


def test_a_number_is_changed_in_the_tuple_that_names_it():
    text = MENDABLE["too many warps"].text.replace(", threads = 256", "")
    text = text.replace("threads=threads", "threads=WIDE").replace(
        "import torch\n", "import torch\n\nDEEP, WIDE = 4, 256\n"
    )
    mended = apply_fix(text, fix_of(text, "warp-partition-illegal", title="Use 64 threads"))
    assert "DEEP, WIDE = 4, 64\n" in mended


def test_a_result_of_a_block_is_stored_at_its_own_row():
    text = MENDABLE["result keeps its dimension"].text.replace(
        "T.copy(s, Y)", "T.copy(s, Y[bx, 0])"
    )
    mended = apply_fix(text, fix_of(text, "rank-mismatch"))
    assert ("            for i in T.Parallel(M):\n                Y[bx + i, 0] = s[i]\n") in mended


def test_an_overflow_of_a_narrow_sum_offers_a_wider_one():
    text = MENDABLE["sum in 16 bits"].text
    found = at(text, "total = T.alloc", "nan-source", buffer="total", operation="a product")
    mended = apply_fix(text, fix_of(text, "nan-source", found, title="Make total float32"))
    assert 'total = T.alloc_fragment((rows, columns), "float32")' in mended
