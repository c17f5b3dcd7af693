from __future__ import annotations

from faulty_kernels import FAULTY

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.targets.table import load_targets
from workbench.session.analyzed import Analyzed
from workbench.session.hover_cards import BufferCard, buffer_card, problem_card
from workbench.session.lint_problems import lint_problems
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem

H100, A100 = (load_targets().resolve(name) for name in ("h100", "a100"))
TEXT = """import tilelang
import tilelang.language as T


@tilelang.jit
def first(M=64):
    @T.prim_func
    def main(A: T.Tensor((M, 32), "float16"), n: T.int32):
        with T.Kernel(1, threads=128):
            tile = T.alloc_shared((M, 32), "float16")
            acc = T.alloc_fragment((M, 32), "float32")
            other = T.alloc_shared((n, 32), "float16")
            T.copy(A, tile)

    return main
"""


def card(document: OpenDocument, name: str, line: int = 13) -> BufferCard:
    found = buffer_card(document, H100, name, line)
    assert found is not None
    return found


def analyzed(document: OpenDocument, kernel: KernelAnalysis, **missing: str) -> None:
    result = AnalyzeResult(None, (kernel,), missing=missing)
    document.analyses.take("h100", Analyzed(document.revision, 1, result))


def test_a_buffer_is_told_before_it_is_lowered() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    found = card(document, "tile")
    assert found.summary == "64×32 float16"
    assert dict(found.rows) == {
        "Lies in": "shared memory",
        "Size": "4 KiB a block",
        "Layout, H100": "unknown until this text is lowered",
    }


def test_a_tensor_has_no_layout_of_its_own() -> None:
    found = card(OpenDocument.of(TEXT, None, "k.py"), "A")
    assert dict(found.rows) == {"Lies in": "global memory", "Size": "4 KiB"}


def test_a_size_that_the_source_does_not_fix_is_unknown() -> None:
    found = card(OpenDocument.of(TEXT, None, "k.py"), "other")
    assert (found.summary, dict(found.rows)["Size"]) == ("n×32 float16", "unknown")


def test_what_names_no_buffer_has_no_card() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    assert buffer_card(document, H100, "M", 13) is None
    document.set_text("def f(:\n" + TEXT)
    assert buffer_card(document, H100, "tile", 14) is None


def test_lowering_adds_layout_and_use() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    used = Lifetime("tile", "float16", 0, 8192, 13, 13, ())
    layouts = (BufferLayout("tile", "shared.dyn", "rows of 64 B, swizzled over 32 B"),)
    kernel = KernelAnalysis(
        "main",
        (1, 1, 1),
        (128, 1, 1),
        lifetimes=Lifetimes((used,), 8192, 8192, None, ()),
        layouts=layouts,
    )
    analyzed(document, kernel)
    rows = dict(card(document, "tile").rows)
    assert rows["Size"] == "2 × 4 KiB a block"
    assert rows["Layout, H100"] == "rows of 64 B, swizzled over 32 B"
    assert rows["Used"] == "in line 13"


def test_a_layout_that_lowering_did_not_tell_is_unknown_with_the_reason() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    analyzed(document, KernelAnalysis("main", (1, 1, 1), (128, 1, 1)), layouts="no pass told it")
    assert dict(card(document, "acc").rows)["Layout, H100"] == "unknown: no pass told it"


def test_a_problem_is_told_with_its_rule_targets_and_first_fix() -> None:
    document = OpenDocument.of(FAULTY["never cleared (eager)"], None, "k.py")
    (problem,) = lint_problems(document, [H100])
    found = problem_card(problem, {"h100": H100})
    assert found.told.title == "Accumulator never cleared"
    assert "registers" in found.told.reason
    assert found.told.page == "rules/gemm-uninitialized-accumulator"
    assert found.fix is not None
    assert found.fix.fix == problem.diagnostic.fixes[0]
    assert found.targets == ()


def test_a_problem_without_a_rule_tells_its_own_help() -> None:
    plain = Diagnostic("some-code", Severity.INFO, "Odd.", TextRange(1), help="Do this.")
    found = problem_card(Problem(plain, "k.py", ("a100", "other")), {"a100": A100})
    assert (found.told.title, found.told.advice, found.told.page) == ("Some code", "Do this.", None)
    assert (found.targets, found.fix) == (("A100", "other"), None)
