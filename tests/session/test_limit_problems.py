from __future__ import annotations

from workbench.core.diagnostics import Severity
from workbench.core.jobs import CompileResult, Resources
from workbench.core.targets.table import load_targets
from workbench.session.limit_problems import limit_problems
from workbench.session.open_document import Compiled, OpenDocument

TEXT = """import tilelang


@tilelang.jit
def kernel(M=16):
    return None
"""
TABLE = load_targets()


def document_with(**resources: Resources) -> OpenDocument:
    document = OpenDocument.of(TEXT, None, "k.py")
    for name, found in resources.items():
        document.take(name, Compiled(document.revision, CompileResult(None, resources=found)))
    return document


def messages(document: OpenDocument, *names: str) -> list[tuple[str, str]]:
    found = limit_problems(document, [TABLE.resolve(name) for name in names])
    return [(p.diagnostic.code, p.diagnostic.message) for p in found]


def test_what_fits_is_no_problem() -> None:
    fits = Resources(shared_dynamic_bytes=227 * 1024)
    assert messages(document_with(h100=fits), "h100", "a100") == []


def test_more_shared_memory_than_a_block_can_have_is_an_error_of_that_target() -> None:
    much = Resources(shared_dynamic_bytes=192 * 1024, shared_static_bytes=8 * 1024)
    document = document_with(h100=much, a100=much)
    (problem,) = limit_problems(document, [TABLE.resolve("h100"), TABLE.resolve("a100")])
    assert problem.diagnostic.severity is Severity.ERROR
    assert problem.targets == ("a100",)
    assert problem.line == 5
    assert problem.diagnostic.code == "shared-memory-over-limit"
    assert problem.diagnostic.message == (
        "200 KiB of shared memory a block; on sm_80 it can have 163 KiB: "
        "smaller tiles or fewer stages fit"
    )


def test_spilled_registers_are_a_warning() -> None:
    spilled = Resources(registers=240, spill_bytes=48368)
    ((code, message),) = messages(document_with(h100=spilled), "h100")
    assert code == "register-spill"
    assert message.startswith("48,368 B of registers a thread spill to memory:")


def test_a_result_of_an_earlier_text_is_told_as_such() -> None:
    document = document_with(h100=Resources(spill_bytes=8))
    document.set_text(TEXT + "\n")
    assert [p.stale for p in limit_problems(document, [TABLE.resolve("h100")])] == [True]
