from __future__ import annotations

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.lifetimes import Lifetime, Lifetimes
from workbench.core.analysis.result import AnalyzeResult
from workbench.session.analyzed import Analyzed
from workbench.session.inlay_hints import inlay_hints
from workbench.session.open_document import OpenDocument

TEXT = """# /// workbench
# [[case]]
# name = "small"
# args = { M = 64, K = 256 }
# ///
import tilelang
import tilelang.language as T


@tilelang.jit
def scale(M, K, block=32, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((M, K), dtype)):
        with T.Kernel(T.ceildiv(M, block), threads=128) as bx:
            A_s = T.alloc_shared((block, block), dtype)
            B_s = T.alloc_shared(
                (block, block), dtype
            )
            r = T.alloc_fragment((block, block), "float32")
            for k in T.Pipelined(K // block, num_stages=2):
                T.copy(A[bx * block, k * block], A_s)
                T.copy(A_s, r)
                T.copy(r, B_s)
                T.copy(B_s, B[bx * block, k * block])
            for i in T.serial(4):
                T.clear(r)

    return main
"""


def hints(document: OpenDocument) -> dict[str, str]:
    """The hints by the stripped text of their lines."""
    lines = document.text.split("\n")
    return {
        lines[at - 1].strip(): hint for at, hint in (inlay_hints(document, "h100") or {}).items()
    }


def test_buffers_are_told_with_the_arguments_of_the_case() -> None:
    found = hints(OpenDocument.of(TEXT, None, "k.py"))
    assert found["A_s = T.alloc_shared((block, block), dtype)"] == "32×32 · shared · 2 KiB"
    assert found['r = T.alloc_fragment((block, block), "float32")'] == "32×32 · registers · 4 KiB"


def test_hint_stands_behind_the_last_line_of_a_statement() -> None:
    assert hints(OpenDocument.of(TEXT, None, "k.py"))[")"] == "32×32 · shared · 2 KiB"


def test_several_buffers_in_a_line_are_named() -> None:
    found = hints(OpenDocument.of(TEXT, None, "k.py"))
    (signature,) = (hint for line, hint in found.items() if line.startswith("def main"))
    assert signature == "A, B 64×256 · global · 32 KiB"


def test_turns_of_loops_are_told_unless_the_source_says_them() -> None:
    found = hints(OpenDocument.of(TEXT, None, "k.py"))
    assert found["for k in T.Pipelined(K // block, num_stages=2):"] == "8 iterations"
    assert "for i in T.serial(4):" not in found


def test_arguments_of_the_form_count() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.overrides = {"block": 16}
    assert "16×16 · shared · 512 B" in hints(document).values()


def test_what_is_not_known_is_said_to_be_unknown() -> None:
    document = OpenDocument.of(
        TEXT.replace("A_s = T.alloc_shared((block,", "A_s = T.alloc_shared((size(),"), None, "k.py"
    )
    assert "size()×32 · shared · size unknown" in hints(document).values()


def test_lowering_tells_copies_and_shared_bytes_while_it_is_of_this_text() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    buffers = (
        Lifetime("A_s", "float16", 0, 4096, 21, 22, ("B_s",)),
        Lifetime("B_s", "float16", 0, 2304, 23, 24, ("A_s",)),
    )
    kernel = KernelAnalysis(
        "main",
        (2, 1, 1),
        (128, 1, 1),
        lifetimes=Lifetimes(buffers, 4096, 4096, None, ()),
        layouts=(BufferLayout("r", "local.fragment", "8 registers a thread", 8),),
    )
    document.analyses.take("h100", Analyzed(document.revision, 1, AnalyzeResult(None, (kernel,))))
    found = hints(document)
    assert found["A_s = T.alloc_shared((block, block), dtype)"] == (
        "32×32 · shared · 2 × 2 KiB, at the bytes of B_s"
    )
    assert found[")"] == "32×32 · shared · 2 KiB, 2.25 KiB when lowered, at the bytes of A_s"
    fragment = 'r = T.alloc_fragment((block, block), "float32")'
    assert found[fragment] == "32×32 · registers · 8 a thread"
    document.set_text(TEXT + "\n")
    assert hints(document)[fragment] == "32×32 · registers · 4 KiB"
    assert hints(document)[")"] == "32×32 · shared · 2 KiB"


def test_text_that_python_cannot_read_tells_nothing_new() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.set_text("def f(:\n" + TEXT)
    assert inlay_hints(document, "h100") is None
