from __future__ import annotations

from dataclasses import replace
from typing import Any

from analysis_results import UNKNOWN, analysis, analyzed, estimate, occupancy, shared_report
from analysis_results import shared_site as site

from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.occupancy import ResourceLimit
from workbench.core.analysis.result import AnalyzeResult
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.jobs import CompileResult, Resources
from workbench.core.targets.table import load_targets
from workbench.session.analyzed import Analyzed
from workbench.session.open_document import Compiled, OpenDocument
from workbench.session.sign import Sign
from workbench.session.vital_signs import vital_signs

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"
TABLE = load_targets()


def document_with(result: AnalyzeResult, target: str = "h100", level: int = 1) -> OpenDocument:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.analyses.take(target, Analyzed(document.revision, level, result))
    return document


def signs_of(document: OpenDocument, target: str = "h100") -> tuple[Sign, ...]:
    found = vital_signs(document, TABLE.resolve(target))
    assert found is not None
    return found.signs


def sign(**parts: Any) -> Sign:
    """The sign of the one part that is not the usual one."""
    order = ["occupancy", "shared", "estimate"]
    return signs_of(document_with(analyzed(analysis(**parts))))[2 + order.index(next(iter(parts)))]


def plain(text: str) -> str:
    return text.replace("\N{NO-BREAK SPACE}", " ")


def test_nothing_known_has_no_signs() -> None:
    assert vital_signs(OpenDocument.of(TEXT, None, "k.py"), TABLE.resolve("h100")) is None


def test_an_analysis_tells_occupancy_conflicts_and_time() -> None:
    signs = signs_of(document_with(analyzed()))
    assert [plain(s.text) for s in signs] == [
        "24 KiB shared",
        "registers unknown",
        "18.8 % occupancy · shared memory",
        "4-way conflict",
        "≈ 12.3 µs estimated",
    ]
    assert signs[3].tone == "warn"
    assert "60 % of the shared-memory wavefronts are conflicts" in signs[3].tip
    assert "level 1, from the lowered IR" in signs[3].tip
    assert "164 KiB of shared memory an SM (assumed" in signs[2].tip
    assert "model: for each wave of blocks" in signs[4].tip
    assert all(0 < len(s.short) < len(s.text) or s.short == s.text for s in signs)


def test_registers_are_those_of_whoever_knows_them() -> None:
    document = document_with(analyzed())
    known = Resources(registers=136, shared_dynamic_bytes=24 * 1024, source="ptxas")
    document.take("h100", Compiled(document.revision, CompileResult(None, resources=known)))
    assert signs_of(document)[1].text == "136 registers"
    document = document_with(analyzed(resources=replace(known, registers=128)), level=2)
    assert signs_of(document)[1].text == "128 registers"


def test_occupancy_is_bounded_where_registers_are_not_known() -> None:
    limits = (ResourceLimit(Resource.REGISTERS, None), ResourceLimit(Resource.SHARED, 3))
    found = sign(occupancy=occupancy(limits=limits, blocks=None, fraction=None, warps=None))
    assert found.text == "≤ 18.8 % occupancy"
    assert "what the registers allow is not known" in found.tip


def test_no_block_that_fits_is_an_error_with_its_reason() -> None:
    none = occupancy(
        most_blocks=0, blocks=0, limiting=(Resource.REGISTERS,), reasons=("255 registers",)
    )
    found = sign(occupancy=none)
    assert (found.text, found.tone) == ("no block fits", "error")
    assert found.tip.startswith("255 registers\n")


def test_unknown_conflicts_are_not_told_as_none() -> None:
    known = site(4, SharedKind.LOAD, wavefronts=8, ideal=8, conflicts=0, ways=1)
    unknown = site(5, SharedKind.FLOAT_ATOMIC, unknown=UNKNOWN)
    assert sign(shared=shared_report(known)).text == "no bank conflicts"
    found = sign(shared=shared_report(known, unknown))
    assert (found.text, found.tone) == ("no known conflicts", "fg3")
    assert UNKNOWN in found.tip


def test_a_time_that_leaves_something_out_is_the_least() -> None:
    some = replace(estimate(shared=1.0), leaves_out=("shuffles",))
    found = sign(estimate=some)
    assert plain(found.text) == "≥ 12.3 µs estimated"
    assert "shuffles" in found.tip


def test_what_cannot_be_told_is_unknown_with_its_reason() -> None:
    result = analyzed(analysis(estimate=None), missing={"estimate": "not for mi300x"})
    found = signs_of(document_with(result, "mi300x"), "mi300x")[-1]
    assert found == Sign("time unknown", "fg3", "not for mi300x", "time ?")


def test_a_processor_has_no_vital_signs() -> None:
    assert vital_signs(document_with(analyzed(), "cpu"), TABLE.resolve("cpu")) is None


def test_each_sign_tells_whether_it_is_of_an_earlier_text() -> None:
    document = document_with(analyzed())
    document.set_text(TEXT + "\n")
    fresh = Resources(shared_dynamic_bytes=1024)
    document.take("h100", Compiled(document.revision, CompileResult(None, resources=fresh)))
    assert [s.stale for s in signs_of(document)] == [False, False, True, True, True]
