"""Which kernels are found in a source, and with what parameters."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from workbench.core.documents.model import Kernel, KernelStyle, ParameterRole
from workbench.core.documents.reading import parse_document, read_document

CORPUS = Path(__file__).parents[4] / "shared"
HEADER = "import tilelang\nimport tilelang.language as T\n"

LAZY = """
@tilelang.jit(out_idx=[-1])
def add(N, block=128, dtype=T.float16):
    @T.prim_func
    def main(A: T.Tensor((N,), dtype), B: T.Tensor((N,), dtype)):
        with T.Kernel(1):
            T.copy(A, B)
    return main
"""
EAGER = """
@tilelang.jit
def scale(A, factor: T.float32, block_M: int = 64, dtype: T.dtype = T.float16):
    M, N = T.const("M, N")
    A: T.Tensor[[M, N], dtype]
    B = T.empty((M, N), dtype)
    with T.Kernel(T.ceildiv(M, block_M)) as bx:
        T.copy(A[bx * block_M, 0], B[bx * block_M, 0])
    return B
"""
PRIM_FUNC = """
@T.prim_func
def copy(A: T.Tensor((16,), "float16"), B: T.Tensor((16,), "float16")):
    with T.Kernel(1):
        T.copy(A, B)
"""
FACTORY = """
def make(N, fast=True):
    @T.prim_func
    def main(A: T.Tensor((N,), "float16")):
        with T.Kernel(1):
            T.clear(A)
    return main
"""


def kernels(source: str, header: str = HEADER) -> tuple[Kernel, ...]:
    return parse_document(header + textwrap.dedent(source)).kernels


def only(source: str, header: str = HEADER) -> Kernel:
    (kernel,) = kernels(source, header)
    return kernel


@pytest.mark.parametrize(
    ("source", "name", "style", "line"),
    [
        (LAZY, "add", KernelStyle.LAZY, 5),
        (EAGER, "scale", KernelStyle.EAGER, 5),
        (PRIM_FUNC, "copy", KernelStyle.PRIM_FUNC, 5),
        (FACTORY, "make", KernelStyle.FACTORY, 4),
    ],
)
def test_each_style_is_found_at_its_def(
    source: str, name: str, style: KernelStyle, line: int
) -> None:
    kernel = only(source)
    assert (kernel.name, kernel.style, kernel.line) == (name, style, line)


def test_kernels_come_in_source_order() -> None:
    assert [k.name for k in kernels(FACTORY + LAZY + PRIM_FUNC + EAGER)] == [
        "make",
        "add",
        "copy",
        "scale",
    ]


@pytest.mark.parametrize(
    ("imports", "decorator"),
    [
        ("import tilelang as tl", "tl.jit"),
        ("import tilelang as tl", "tl.jit(out_idx=[-1], target='cuda')"),
        ("from tilelang import jit", "jit"),
        ("from tilelang import jit as build", "build(out_idx=-1)"),
        ("from tilelang.jit import jit", "jit"),
        ("import tilelang.jit as j", "j.jit"),
        ("from tilelang import *", "jit"),
        ("from tilelang import lazy_jit", "lazy_jit"),
        ("import tilelang\nmine = tilelang.jit(out_idx=[-1])", "mine"),
        ("import tilelang\nmine = tilelang.jit", "mine(out_idx=[-1])"),
        (
            "import functools, tilelang\nmine = functools.partial(tilelang.jit, out_idx=[-1])",
            "mine()",
        ),
        ("from common import *", "tilelang.jit"),
        ("try:\n    import tilelang as tl\nexcept ImportError:\n    tl = None", "tl.jit"),
    ],
)
def test_the_decorator_is_known_by_any_alias(imports: str, decorator: str) -> None:
    source = LAZY.replace("tilelang.jit(out_idx=[-1])", decorator)
    kernel = only(source, f"{imports}\nfrom tilelang import language as T\n")
    assert (kernel.name, kernel.style) == ("add", KernelStyle.LAZY)


@pytest.mark.parametrize("module", ["triton", "numba", "torch"])
def test_another_librarys_jit_is_no_kernel(module: str) -> None:
    assert kernels(f"@{module}.jit\ndef f(x):\n    return x\n", f"import {module}\n") == ()


def test_prim_func_is_known_without_its_module() -> None:
    source = PRIM_FUNC.replace("@T.prim_func", "@prim_func")
    header = "from tilelang.language import prim_func\nimport tilelang.language as T\n"
    assert only(source, header).style is KernelStyle.PRIM_FUNC


@pytest.mark.parametrize("autotune", ["tilelang.autotune(configs=[])", "tilelang.autotune"])
def test_autotune_on_top_is_noted(autotune: str) -> None:
    kernel = only(f"@{autotune}" + LAZY)
    assert kernel.autotuned
    assert kernel.style is KernelStyle.LAZY


def test_a_decorator_of_another_kind_is_passed_over() -> None:
    kernel = only("@functools.cache" + LAZY, "import functools\n" + HEADER)
    assert (kernel.name, kernel.autotuned) == ("add", False)


def test_jit_applied_as_a_function_is_a_kernel_by_its_new_name() -> None:
    found = kernels(FACTORY + "built = tilelang.jit(out_idx=[-1])(make)\n")
    assert [(k.name, k.style) for k in found] == [
        ("make", KernelStyle.FACTORY),
        ("built", KernelStyle.LAZY),
    ]


@pytest.mark.parametrize(
    "body",
    [
        "return add(N)",
        "kernel = add(N)\n    return kernel",
        "if N > 4:\n        return add(N)\n    return add(N, 64)",
        "return add(N) if N else None",
        "return add.get_tir(N)",
        "return tilelang.compile(make(N))",
        "kernel = make(N).with_attr('a', 1)\n    return kernel",
        "return later(N)",
        "@tilelang.jit\n    def inner(M):\n        return add(M)\n    return inner",
    ],
)
def test_a_function_that_returns_a_kernel_is_a_factory(body: str) -> None:
    later = LAZY.replace("def add", "def later")
    found = kernels(LAZY + FACTORY + f"\ndef wrap(N):\n    {body}\n" + later)
    assert [k.style for k in found if k.name == "wrap"] == [KernelStyle.FACTORY]


@pytest.mark.parametrize(
    "body",
    [
        "kernel = add(N)\n    return kernel(N)",
        "return scale(N)",
        "kernel = add(N)\n    if N:\n        return kernel\n    return kernel(N)",
        "add(N)",
        "return make",
        "kernel = add(N)\n    kernel = 3\n    return kernel",
        "return [add(N)]",
    ],
)
def test_a_function_that_runs_a_kernel_is_none(body: str) -> None:
    found = kernels(LAZY + FACTORY + EAGER + f"\ndef wrap(N):\n    {body}\n")
    assert "wrap" not in [k.name for k in found]


def test_kernels_in_a_condition_are_found_and_the_last_definition_counts() -> None:
    twice = "if True:\n" + textwrap.indent(LAZY, "    ") + "else:\n" + textwrap.indent(LAZY, "    ")
    assert only(twice).line == 15


def test_kernels_in_a_class_or_function_are_not_the_files() -> None:
    assert kernels("class A:\n" + textwrap.indent(LAZY, "    ")) == ()
    assert kernels("def test():\n" + textwrap.indent(LAZY, "    ")) == ()


def test_an_eager_kernels_tensors_are_inputs_and_its_dimensions_parameters() -> None:
    kernel = only(EAGER)
    assert [(p.name, p.role) for p in kernel.parameters] == [
        ("M", ParameterRole.SHAPE),
        ("N", ParameterRole.SHAPE),
        ("block_M", ParameterRole.ARGUMENT),
        ("dtype", ParameterRole.ARGUMENT),
    ]
    assert [(p.name, p.role) for p in kernel.inputs] == [
        ("A", ParameterRole.TENSOR),
        ("factor", ParameterRole.SCALAR),
    ]


@pytest.mark.parametrize("names", ['"M, N"', '"M N"', '"M,N"', 'name="M, N"'])
def test_const_names_divide_as_tilelang_divides_them(names: str) -> None:
    kernel = only(EAGER.replace('"M, N"', names))
    assert [p.name for p in kernel.parameters][:2] == ["M", "N"]


@pytest.mark.parametrize(
    "annotation",
    ["T.Tensor((M,), d)", "'T.Tensor((8,), \"int8\")'", "T.StridedTensor[[8], 'int8']"],
)
def test_tensors_annotated_in_the_signature_make_a_kernel_eager(annotation: str) -> None:
    source = f"@tilelang.jit\ndef f(A: {annotation}, n=1):\n    with T.Kernel(1):\n        pass\n"
    kernel = only(source)
    assert kernel.style is KernelStyle.EAGER
    assert [p.name for p in kernel.inputs] == ["A"]
    assert [p.name for p in kernel.parameters] == ["n"]


def test_a_prim_funcs_parameters_are_inputs() -> None:
    kernel = only(PRIM_FUNC)
    assert kernel.parameters == ()
    assert [p.name for p in kernel.inputs] == ["A", "B"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("128", 128),
        ("-1", -1),
        ("-1.5e-3", -1.5e-3),
        ("True", True),
        ("'float16'", "float16"),
        ("(64, 64)", (64, 64)),
        ("[1, [2]]", [1, [2]]),
        ("{'a': 1}", {"a": 1}),
        ("1 << 20", 1 << 20),
        ("2 * BLOCK", 256),
        ("BLOCK", 128),
        ("WIDE", 384),
        ("RIGHT", 2),
        ("None", None),
    ],
)
def test_literal_defaults_are_worked_out(text: str, value: object) -> None:
    header = HEADER + "BLOCK = 128\nWIDE = BLOCK * 3\nLEFT, RIGHT = 1, 2\n"
    (parameter,) = only(
        LAZY.replace("N, block=128, dtype=T.float16", f"N={text}"), header
    ).parameters
    assert (parameter.default, parameter.default_text) == (value, text)
    assert type(parameter.default) is type(value)
    assert parameter.default_is_known


@pytest.mark.parametrize(
    "text",
    [
        "T.float16",
        "f(1)",
        "TWICE",
        "UNBOUND",
        "10 ** 10 ** 10",
        "(-8) ** 0.5",
        "1 / 0",
        "'a' * 10**12",
        "1 << 10**9",
        "lambda: 3",
        "[x for x in y]",
        "b'x'",
        "{**{}}",
        "1j",
        "...",
    ],
)
def test_other_defaults_keep_their_text_alone(text: str) -> None:
    header = HEADER + "TWICE = 1\nTWICE = 2\n"
    (parameter,) = only(
        LAZY.replace("N, block=128, dtype=T.float16", f"N={text}"), header
    ).parameters
    assert (parameter.default, parameter.has_default) == (None, True)
    assert parameter.default_text == text
    assert not parameter.default_is_known


def test_every_kind_of_parameter_is_listed() -> None:
    signature = "a, /, b: int, c=3, *rest, d, e: 'str' = 'x', **more"
    kernel = only(LAZY.replace("N, block=128, dtype=T.float16", signature))
    assert [(p.name, p.has_default) for p in kernel.parameters] == [
        ("a", False),
        ("b", False),
        ("c", True),
        ("d", False),
        ("e", True),
    ]
    assert kernel.parameters[1].annotation == "int"
    assert kernel.accepts_extra


def test_texts_are_cut_rightly_after_wide_characters() -> None:
    kernel = only("@tilelang.jit\ndef f(ä='größe', b=(1,\r\n  2)):\n    return g('ü')\n")
    assert [p.default_text for p in kernel.parameters] == ["'größe'", "(1,\r\n  2)"]


def test_a_very_deep_expression_is_a_diagnostic_or_none_at_all() -> None:
    for source in ("x = " + "(" * 5000, "x = " + "-" * 100_000 + "1", "x = " + "a." * 50_000 + "b"):
        document = parse_document(HEADER + source)
        assert {d.code for d in document.diagnostics} <= {"python-error", "no-kernel-found"}


def test_a_long_sum_does_not_hide_the_kernels() -> None:
    document = parse_document(HEADER + "x = " + "+".join(["1"] * 900) + LAZY)
    assert [k.name for k in document.kernels] == ["add"]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the kernel corpus is not beside the repository")
def test_every_kernel_of_the_corpus_is_found() -> None:
    files = [*CORPUS.glob("oracle/kernels/*.py"), *CORPUS.glob("faults/*.py")]
    without = [path.name for path in files if not read_document(path).kernels]
    assert sorted(without) == [
        "95-syntax-error.py",
        "97-no-kernel.py",
    ]


@pytest.mark.skipif(not CORPUS.is_dir(), reason="the kernel corpus is not beside the repository")
@pytest.mark.parametrize(
    ("name", "code", "line"),
    [("95-syntax-error.py", "python-error", 23), ("97-no-kernel.py", "no-kernel-found", 10)],
)
def test_the_corpus_expects_these_diagnostics(name: str, code: str, line: int) -> None:
    (diagnostic,) = read_document(CORPUS / "faults" / name).diagnostics
    assert diagnostic.range is not None
    assert (diagnostic.code, diagnostic.range.line) == (code, line)
