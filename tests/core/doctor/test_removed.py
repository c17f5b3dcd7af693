"""Every record of the table of removed names is recognised; those with a replacement are mended."""

from __future__ import annotations

import pytest

from workbench.core.doctor.fixing import fix_text
from workbench.core.doctor.removed_table import load_removed
from workbench.session.fixes import apply_fix

_TABLE = load_removed()
_HEAD = "import tilelang\nimport tilelang.language as T\n\n"


def _found(linted, text):
    return [d for d in linted(text) if d.code == "removed-api"]


@pytest.mark.parametrize("path", sorted(_TABLE.modules))
def test_import_of_a_removed_module_is_found(path, linted):
    base, _, last = path.rpartition(".")
    for line in (f"import {path} as x", f"from {path} import thing", f"from {base} import {last}"):
        (found,) = _found(linted, f"{_HEAD}{line}\n")
        assert found.range.line == 4


@pytest.mark.parametrize("path", sorted(_TABLE.names))
def test_removed_name_is_found_where_it_is_used(path, linted):
    full = path if path.startswith(("T.", "tilelang.")) else f"tilelang.{path}"
    (found,) = _found(linted, f"{_HEAD}x = 1\ny = {full}\n")
    assert found.range.line == 5


@pytest.mark.parametrize(("call", "keyword"), sorted(_TABLE.keywords))
def test_removed_keyword_is_found_and_dropped_or_renamed(call, keyword, linted):
    record = _TABLE.keywords[call, keyword]
    text = f"{_HEAD}def f(x):\n    {call}(x, {keyword}=True, other=1)\n"
    (found,) = _found(linted, text)
    assert found.range.line == 5
    mended, applied = fix_text(text, linted, apply_fix)
    assert bool(applied) is (record.drop or record.rename is not None)
    if record.rename:
        assert f"{call}(x, {record.rename}=True, other=1)" in mended
    elif record.drop:
        assert f"{call}(x, other=1)" in mended


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('target="hip -mcpu=gfx942"', 'target={"kind": "hip", "mcpu": "gfx942"}'),
        ('target="cpu"', 'target="c"'),
        ("execution_backend='dlpack'", 'execution_backend="auto"'),
    ],
)
def test_removed_value_is_written_anew(old, new, linted):
    text = f"{_HEAD}@tilelang.jit({old})\ndef f(M): ...\n"
    mended, applied = fix_text(text, lambda t: _found(linted, t), apply_fix)
    assert len(applied) == 1
    assert f"@tilelang.jit({new})" in mended


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("T.gemm_v1(a, b, c)", "T.gemm(a, b, c)"),
        ("T.sync_global()", "T.sync_grid()"),
        ("x = T.make_swizzled_layout(s)", "x = tilelang.layout.make_swizzled_layout(s)"),
        ("from tvm import tir", "from tvm import tirx as tir"),
        (
            "from tilelang.intrinsics import make_mma_swizzle_layout as swizzle",
            "from tilelang.layout import make_swizzled_layout as swizzle",
        ),
        (
            "from tilelang.utils.target import determine_target",
            "from tilelang.backend.target import determine_target",
        ),
    ],
)
def test_renamed_names_are_mended(old, new, linted):
    mended, _ = fix_text(f"{_HEAD}{old}\n", lambda t: _found(linted, t), apply_fix)
    assert mended == f"{_HEAD}{new}\n"


def test_names_of_others_are_left_alone(linted):
    text = "import other as T\nfrom other import gemm_v2\nT.gemm_v2(k_pack=2)\ngemm_v2(1)\n"
    assert _found(linted, text) == []
