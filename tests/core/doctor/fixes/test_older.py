"""Every removed name with a replacement is written anew, in texts as older guides have them."""

from __future__ import annotations

import ast
from dataclasses import replace

import pytest

from workbench.core.doctor.fixes.table import with_fixes
from workbench.core.doctor.fixing import fix_text
from workbench.core.doctor.lint import lint, subjects_of
from workbench.core.doctor.removed_table import load_removed
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.reading import parse_document

_HEAD = "import tilelang\nimport tilelang.language as T\n"

# The text with the older name, and what has to be in the text afterwards.
WRITTEN = {
    "tilelang.intrinsics": (
        "from tilelang.intrinsics import make_mma_swizzle_layout as swizzle\n",
        "from tilelang.layout import make_swizzled_layout as swizzle\n",
    ),
    "tilelang.utils.target": (
        "from tilelang.utils.target import determine_target\n",
        "from tilelang.backend.target import determine_target\n",
    ),
    "tilelang.primitives": (
        "from tilelang.primitives.gemm import gemm\n",
        "from tilelang.language import gemm\n",
    ),
    "tvm.tir": ("from tvm.tir import IndexMap\n", "from tvm.tirx import IndexMap\n"),
    "T.make_swizzled_layout": (
        "def layout(s):\n    return T.make_swizzled_layout(s)\n",
        "    return tilelang.layout.make_swizzled_layout(s)\n",
    ),
    "T.gemm_v1": ("def f(a, b, c):\n    T.gemm_v1(a, b, c)\n", "    T.gemm(a, b, c)\n"),
    "T.gemm_v2": ("def f(a, b, c):\n    T.gemm_v2(a, b, c)\n", "    T.gemm(a, b, c)\n"),
    "T.gemm_sp_v2": ("def f(*abc):\n    T.gemm_sp_v2(*abc)\n", "    T.gemm_sp(*abc)\n"),
    "T.sync_global": ("def f():\n    T.sync_global()\n", "    T.sync_grid()\n"),
    "T.create_list_of_mbarrier": (
        "def f():\n    T.create_list_of_mbarrier(128, 256)\n"
        "    T.barrier_wait(T.get_mbarrier(1), 0)\n",
        "    barriers = T.alloc_barrier([128, 256])\n    T.barrier_wait(barriers[1], 0)\n",
    ),
    "T.get_mbarrier": (
        "def f(n):\n    mbar = T.create_list_of_mbarrier([n, n])\n"
        "    T.barrier_wait(T.get_mbarrier(0), 0)\n",
        "    mbar = T.alloc_barrier([n, n])\n    T.barrier_wait(mbar[0], 0)\n",
    ),
    "tilelang.utils.determine_target": (
        "from tilelang.utils import determine_target\n",
        "from tilelang.backend.target import determine_target\n",
    ),
    "tilelang.utils.map_torch_type": (
        "from tilelang.utils import map_torch_type\n\nkind = map_torch_type('float16')\n",
        "kind = T.dtype('float16').as_torch()\n",
    ),
    "PassConfigKey.TL_DISABLE_DYNAMIC_TAIL_SPLIT": (
        "c = {\n    tilelang.PassConfigKey.TL_DISABLE_DYNAMIC_TAIL_SPLIT: True,\n    'a': 1,\n}\n",
        "c = {\n    'a': 1,\n}\n",
    ),
    "PassConfigKey.TL_DYNAMIC_ALIGNMENT": (
        "c = {'a': 1, tilelang.PassConfigKey.TL_DYNAMIC_ALIGNMENT: 8}\n",
        "c = {'a': 1}\n",
    ),
    "PassConfigKey.TL_DISABLE_FAST_MATH": (
        "c = {tilelang.PassConfigKey.TL_DISABLE_FAST_MATH: True}\n",
        "c = {tilelang.PassConfigKey.TL_ENABLE_FAST_MATH: False}\n",
    ),
    "PassConfigKey.TL_ENABLE_PTXAS_VERBOSE_OUTPUT": (
        "c = {tilelang.PassConfigKey.TL_ENABLE_PTXAS_VERBOSE_OUTPUT: True}\n",
        "c = {}\n",
    ),
    "tilelang.cached": ("k = tilelang.cached(f, [2])\n", "k = tilelang.compile(f, [2])\n"),
    "T.gemm k_pack": ("def f(a):\n    T.gemm(a, a, a, k_pack=2)\n", "T.gemm(a, a, a)\n"),
    "T.gemm wg_wait": ("def f(a):\n    T.gemm(a, a, a, wg_wait=0)\n", "T.gemm(a, a, a)\n"),
    "T.gemm_sp k_pack": ("def f(a):\n    T.gemm_sp(a, k_pack=2)\n", "T.gemm_sp(a)\n"),
    "T.gemm_sp wg_wait": ("def f(a):\n    T.gemm_sp(a, wg_wait=2)\n", "T.gemm_sp(a)\n"),
    "T.Kernel is_cpu": (
        "def f(n):\n    with T.Kernel(n, is_cpu=True) as i:\n        pass\n",
        "import tilelang.cpu.language as T\ndef f(n):\n    with T.Kernel(n) as i:\n",
    ),
    "T.Pipelined sync": (
        "def f(n):\n    for k in T.Pipelined(n, num_stages=2, sync=[]):\n        pass\n",
        "T.Pipelined(n, num_stages=2):\n",
    ),
    "T.Pipelined group": (
        "def f(n):\n    for k in T.Pipelined(\n        n,\n        group=[[0]],  # both\n"
        "        num_stages=2,\n    ):\n        pass\n",
        "T.Pipelined(\n        n,  # both\n        num_stages=2,\n    ):\n",
    ),
    "T.barrier_arrive barrier_id": (
        "def f(b):\n    T.barrier_arrive(barrier_id=b)\n",
        "T.barrier_arrive(mbarrier=b)\n",
    ),
    "T.barrier_wait barrier_id": (
        "def f(b):\n    T.barrier_wait(barrier_id=b, parity=0)\n",
        "T.barrier_wait(mbarrier=b, parity=0)\n",
    ),
    "T.shfl_xor offset": ("def f(x):\n    T.shfl_xor(x, offset=1)\n", "(x, delta=1)\n"),
    "T.shfl_up offset": ("def f(x):\n    T.shfl_up(x, offset=1)\n", "(x, delta=1)\n"),
    "T.shfl_down offset": ("def f(x):\n    T.shfl_down(x, offset=1)\n", "(x, delta=1)\n"),
    "T.alloc_buffer align": (
        "def f():\n    s = T.alloc_buffer((8,), 'float32', align=16, scope='shared')\n",
        "T.alloc_buffer((8,), 'float32', scope='shared')\n",
    ),
    "T.alloc_buffer strides": (
        "def f():\n    s = T.alloc_buffer((8, 8), 'float32', strides=[9, 1])\n",
        "T.alloc_buffer((8, 8), 'float32')\n",
    ),
    "execution_backend dlpack": (
        "k = tilelang.compile(f, execution_backend='dlpack')\n",
        'execution_backend="auto")\n',
    ),
    "target cpu": ("k = tilelang.compile(f, target='cpu')\n", 'target="c")\n'),
}
# What has to be known of a kernel before its fix can be written has tests of its own.
ELSEWHERE = {"T.ptx_cp_async bytes"}
# There is nothing to write in its place, or it was a whole way of working.
WITHOUT = {
    "tilelang.quantize",
    "tilelang.common",
    "tilelang.cache.clear_cache",
    "tilelang.layout.make_metadata_layout",
}


def _linted(text):
    document = parse_document(text, None)
    return with_fixes(lint(document, []), document, [])


@pytest.mark.parametrize("name", WRITTEN)
def test_older_name_is_written_anew(name):
    old, new = WRITTEN[name]
    text = _HEAD + old
    assert [d.code for d in _linted(text)][:1] == ["removed-api"]
    mended, applied = fix_text(text, _all_of(_linted), apply_fix)
    assert applied
    assert new in mended
    assert "removed-api" not in {d.code for d in _linted(mended)}
    ast.parse(mended)


def _all_of(linted):
    """The fixes that a person has to choose too."""

    def run(text):
        return [
            replace(d, fixes=tuple(replace(f, safe=True) for f in d.fixes)) for d in linted(text)
        ]

    return run


def test_every_record_with_a_replacement_is_tried():
    table = load_removed()
    names = {
        *table.modules,
        *table.names,
        *(f"{call} {keyword}" for call, keyword in table.keywords),
        *(f"{keyword} {value}" for keyword, value in table.values),
    }
    assert names == {*WRITTEN, *ELSEWHERE, *WITHOUT}


def test_names_that_stay_keep_their_import():
    text = _HEAD + "from tilelang.utils import determine_target, map_torch_type, tensor\n"
    mended, _ = fix_text(text, _linted, apply_fix)
    assert "from tilelang.utils import tensor\n" in mended
    assert "from tilelang.backend.target import determine_target\n" in mended


def test_bytes_of_a_copy_become_elements_where_the_type_is_known():
    text = _HEAD + (
        "\n@tilelang.jit\ndef f(N=64):\n    @T.prim_func\n"
        "    def main(X: T.Tensor((N,), 'float16')):\n        with T.Kernel(1) as bx:\n"
        "            s = T.alloc_shared((N,), 'float16')\n"
        "            T.ptx_cp_async(T.address_of(s[0]), T.address_of(X[0]), bytes=16)\n"
        "    return main\n"
    )
    document = parse_document(text, None)
    subjects = subjects_of(document, {})
    (found,) = [
        d
        for d in with_fixes(lint(document, subjects), document, subjects)
        if d.code == "removed-api"
    ]
    assert "T.address_of(X[0]), num_elems=8)" in apply_fix(text, found.fixes[0])
