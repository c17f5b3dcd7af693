"""What a compiler refuses is told at the document's line, with the generated one and the reason."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.lowering_faults import analyzed_text, compiled_text, lowered_text
from tests.support.mendable_kernels import MENDABLE
from workbench.core.bug_bundle.suspicion import Evidence, SuspicionKind, suspicions
from workbench.core.jobs import KernelChoice, Source
from workbench.engine import blame
from workbench.engine.device.placing import compile_for
from workbench.engine.doctor.model import Finding, Subject
from workbench.engine.doctor.refusals import Unit, explain

HINTED = MENDABLE["hint of one run"].text
DOCUMENT = '''import tilelang
import tilelang.language as T

SOURCE = """
__device__ half_t twice(half_t x) {
  return x + x;
}
"""


@tilelang.jit(out_idx=[1], compile_flags=["--no-such-flag"])
def scale(N=256):
    @T.prim_func
    def main(X: T.Tensor((N,), "float16"), Y: T.Tensor((N,), "float16")):
        with T.Kernel(1, threads=128):
            T.import_source(SOURCE)
            for j in T.Parallel(N):
                Y[j] = T.call_extern("float16", "twice", X[j])

    return main
'''


def line_of(text: str, piece: str) -> int:
    return text[: text.index(piece)].count("\n") + 1


def unit_of(path: Path, text: str = DOCUMENT) -> Unit:
    built, target, artifact = lowered_text(path, text, "sm_80")
    return Unit(str(path), text, target, built, artifact.kernel_source, artifact)


def explained(path: Path, said: str) -> Finding:
    return explain(said, unit_of(path / "document.py"))


def test_a_form_that_tilelang_lacks_is_told_where_it_was_asked_for(tmp_path: Path) -> None:
    result = compiled_text(tmp_path / "document.py", HINTED, "h200", machine_code=True)
    (found,) = result.diagnostics
    assert found.code == "template-form-missing"
    assert found.range is not None
    assert found.range.line == line_of(HINTED, "eviction_policy")
    assert found.message.startswith("TileLang's templates have no tl::tma_load of this form; the")
    assert "`tl::tma_load<tl::CacheHintSm90::EVICT_LAST>((&(row[0]))" in (found.help or "")
    assert "The Python is no mistake" in (found.help or "")
    assert result.failure is not None
    assert (result.failure.message, result.failure.line) == (found.message, found.range.line)


@pytest.mark.thorough
def test_it_is_told_once_where_the_lowered_code_has_told_of_it(tmp_path: Path) -> None:
    result = analyzed_text(tmp_path / "document.py", HINTED, "h200", level=2)
    errors = [d.code for d in result.diagnostics if d.severity.value == "error"]
    assert errors == ["bulk-copy-hint"]
    (suspicion,) = suspicions(Evidence(result))
    assert suspicion.kind is SuspicionKind.REFUSED


@pytest.mark.thorough
def test_what_tilelang_itself_compiles_is_explained_alike(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    built, target, _ = lowered_text(path, HINTED, "h200")
    source, kernel = Source(str(path), HINTED, str(tmp_path), True), KernelChoice("twice", "lazy")
    blamed = blame.blaming(blame.LOWERING, source, kernel, Subject(target, built))
    with pytest.raises(blame.StepError) as caught, blamed:
        compile_for(built, target)
    assert caught.value.failure.line == line_of(HINTED, "eviction_policy")


def test_imported_source_is_told_at_its_line_of_the_document(tmp_path: Path) -> None:
    found = explained(tmp_path, 'kernel.cu(2): error: identifier "half_t" is undefined')
    assert found.line == line_of(DOCUMENT, "__device__")
    assert "begin it with the header that it needs" in (found.help or "")


def test_a_call_is_told_at_the_line_that_makes_it(tmp_path: Path) -> None:
    unit = unit_of(tmp_path / "document.py")
    number = next(n for n, row in enumerate(unit.source.splitlines(), 1) if "= twice(" in row)
    found = explain(f'kernel.cu({number}): error: identifier "twice" is undefined', unit)
    assert found.line == line_of(DOCUMENT, "Y[j] =")
    assert f"Line {number} of the generated source: `Y[" in (found.help or "")


def test_the_document_names_a_function_of_tilelang_itself(tmp_path: Path) -> None:
    path = tmp_path / "document.py"
    unit = unit_of(path, DOCUMENT.replace('"twice"', '"tl::twice"'))
    found = explain('kernel.cu(30): error: namespace "tl" has no member "twice"', unit)
    assert found.code == "machine-code-error"
    assert "TileLang's headers define no tl::twice" in (found.help or "")


@pytest.mark.parametrize(
    ("said", "piece"),
    [
        ("nvcc fatal   : Unknown option '--no-such-flag'", "compile_flags"),
        ("ptxas fatal   : Unresolved extern function '_Z5twiceN7cutlass6half_tE'", "Y[j] ="),
    ],
)
def test_what_has_no_place_is_told_where_the_document_names_it(
    tmp_path: Path, said: str, piece: str
) -> None:
    found = explained(tmp_path, f"ended with status 1:\n{said}")
    assert found.line == line_of(DOCUMENT, piece)
    assert found.message.endswith(said)
    assert found.help


@pytest.mark.thorough
@pytest.mark.parametrize(("made_up", "piece"), [("", "griddepcontrol"), ("x", "Y[j] =")])
def test_what_an_assembler_refuses_is_told_where_it_is_written_or_called(
    tmp_path: Path, made_up: str, piece: str
) -> None:
    """Of source whose text is not the document's, the call is what is known."""
    text = (
        DOCUMENT.replace("\n__device__", "\n#include <tl_templates/cuda/common.h>\n__device__")
        .replace("return x + x;", 'asm volatile("griddepcontrol.wait;");\n  return x;')
        .replace(', compile_flags=["--no-such-flag"]', "")
        .replace("import_source(SOURCE)", f'import_source(SOURCE.replace("x;", "x{made_up};"))')
        .replace("half_t x)", f"half_t x{made_up})")
    )
    result = compiled_text(tmp_path / "document.py", text, "sm_80", machine_code=True)
    (found,) = result.diagnostics
    assert found.range is not None
    assert found.range.line == line_of(text, piece)
    assert "`griddepcontrol.wait;`" in (found.help or "")
    assert "it begins with sm_90" in (found.help or "")
