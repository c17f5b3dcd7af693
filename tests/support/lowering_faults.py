"""Compiles and analyzes small documents in the test's own process, as an executor would."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.reading import parse_document, read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import AnalyzeRequest, CompileRequest, CompileResult, KernelChoice, Source
from workbench.core.targets.model import Target
from workbench.core.targets.table import load_targets
from workbench.engine import compiling, lowering
from workbench.engine.analysis.job import analyze_kernel
from workbench.engine.kernels import BuiltKernel
from workbench.engine.user_lines import user_lines


def compiled(path: Path) -> Iterator[CompileResult]:
    """The result of compiling a document's first case, for each of its targets."""
    for source, kernel, target in _requests(path):
        request = CompileRequest(source, kernel, target.to_json())
        yield compiling.compile_kernel(request, lambda *_: None)


def analyzed(path: Path) -> Iterator[tuple[str, AnalyzeResult]]:
    """The analysis of the lowered code of a document's first case, by target."""
    for source, kernel, target in _requests(path):
        request = AnalyzeRequest(source, kernel, target.to_json(), level=1)
        yield target.name, analyze_kernel(request, lambda *_: None)


def compiled_text(
    path: Path,
    text: str,
    target: str = "sm_80",
    emit: tuple[str, ...] = (),
    machine_code: bool = False,
) -> CompileResult:
    """The result of compiling the only kernel of a text, which is written to a path."""
    source, kernel, plain = _written(path, text, target)
    request = CompileRequest(source, kernel, plain, emit, machine_code)
    return compiling.compile_kernel(request, lambda *_: None)


def analyzed_text(path: Path, text: str, target: str = "sm_80", level: int = 1) -> AnalyzeResult:
    """The analysis of the only kernel of a text, written to a path: of its lowered code alone,
    or of its machine code too."""
    source, kernel, plain = _written(path, text, target)
    return analyze_kernel(AnalyzeRequest(source, kernel, plain, level=level), lambda *_: None)


def lowered_text(path: Path, text: str, target: str) -> tuple[BuiltKernel, Target, Any]:
    """The only kernel of a text as it is built, the target, and what lowering makes of it."""
    source, kernel, plain = _written(path, text, target)
    chosen = Target.from_json(plain)
    built = compiling.build(CompileRequest(source, kernel, plain), chosen)
    with user_lines(str(path)):
        return built, chosen, lowering.lower_modules(built, lowering.tvm_target(chosen))


def _written(path: Path, text: str, target: str) -> tuple[Source, KernelChoice, dict[str, Any]]:
    path.write_text(text)
    (chosen,) = select(parse_document(text, path), None, None, {})
    source = Source(str(path), text, str(path.parent), True)
    kernel = KernelChoice(chosen.kernel.name, "lazy", chosen.args, chosen.kernel.line)
    return source, kernel, load_targets().resolve(target).to_json()


def _requests(path: Path) -> Iterator[tuple[Source, KernelChoice, Target]]:
    document = read_document(path)
    chosen = select(document, None, None, {})[0]
    source = Source(str(path), document.text, str(path.parent), True)
    kernel = KernelChoice(chosen.kernel.name, "lazy", chosen.args, chosen.kernel.line)
    for name in chosen.case.targets:
        yield source, kernel, load_targets().resolve(name)
