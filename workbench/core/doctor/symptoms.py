"""From what a person sees of a kernel to its causes: search for a symptom, then diagnose it.

`search("my kernel returns only zeros")` ranks the symptoms, `symptom(id)` is one of them, and
`diagnose(symptom, diagnostics, results)` says which of its causes the present kernel has.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.rule_table import rule
from workbench.core.doctor.rules import Stage
from workbench.core.doctor.symptoms_model import (
    Applied,
    Cause,
    CauseState,
    Need,
    Results,
    Symptom,
    Verdict,
)
from workbench.core.doctor.symptoms_search import Match, search
from workbench.core.doctor.symptoms_seen import seen
from workbench.core.doctor.symptoms_table import SYMPTOMS, symptom

if TYPE_CHECKING:  # numpy comes with these, and the window starts without it
    from workbench.core.analysis.result import AnalyzeResult
    from workbench.core.jobs import Signature

__all__ = [
    "SYMPTOMS",
    "Applied",
    "CauseState",
    "Match",
    "Results",
    "Symptom",
    "Verdict",
    "diagnose",
    "search",
    "symptom",
]

_RANK = {Severity.ERROR: 0, Severity.WARNING: 1, Severity.INFO: 2}
_ORDER = {Verdict.APPLIES: 0, Verdict.NOT_CHECKED: 1, Verdict.RULED_OUT: 2}


def diagnose(symptom: Symptom, diagnostics: Iterable[Diagnostic], results: Results) -> Applied:
    """Which causes of a symptom the present kernel has, with the lines at fault.

    `diagnostics` are the findings of every stage that was run, `results` what these stages knew: a
    cause is ruled out only where all that it needs is known, for every target. Runs nothing.
    """
    found = tuple(diagnostics)
    states = [_state(cause, found, results) for cause in symptom.causes]
    states.sort(key=_order)
    present, text = seen(symptom.id, found, results)
    return Applied(symptom, present, text, tuple(states))


def _order(state: CauseState) -> tuple[int, int]:
    """Causes that apply first, of those the errors; equals stay as the table has them."""
    worst = min((_RANK[d.severity] for d in state.diagnostics), default=len(_RANK))
    return _ORDER[state.verdict], worst


def _state(cause: Cause, found: Sequence[Diagnostic], results: Results) -> CauseState:
    shown = tuple(d for d in found if d.code in cause.codes)
    kinds = tuple(_signatures(cause, results)) if cause.is_signature else ()
    if shown or kinds:
        return CauseState(cause, Verdict.APPLIES, shown, kinds)
    needs = _needs(cause, results)
    lacking = next((why for need in needs if (why := _lacking(need, results))), None)
    verdict = Verdict.RULED_OUT if lacking is None else Verdict.NOT_CHECKED
    return CauseState(cause, verdict, reason=lacking)


def _needs(cause: Cause, results: Results) -> tuple[Need, ...]:
    """What has to be known: of a rule of the lint stage the source, where it tells everything.

    Once a later job was run, which can show the same mistake, it has to have come through too.
    """
    known = rule(cause.code)
    if cause.is_signature or known is None or known.stage is not Stage.LINT:
        return cause.needs
    waived = set()
    if results.source_tells and not results.analyses:
        waived.add(Need.LOWERED)
    if results.source_tells and results.verification is None:
        waived.add(Need.SIMULATION)
    return tuple(need for need in cause.needs if need not in waived)


def _signatures(cause: Cause, results: Results) -> Iterator[Signature]:
    """What a mismatch looks like, told once for all seeds and outputs."""
    told = set()
    for seed in results.verification.seeds if results.verification is not None else ():
        for output in seed.outputs:
            for signature in output.signatures:
                if signature.code in cause.codes and signature.sentence not in told:
                    told.add(signature.sentence)
                    yield signature


def _lacking(need: Need, results: Results) -> str | None:
    """Why something is not known of a kernel; None where it is."""
    return _NEEDS[need](results)


def _source(results: Results) -> str | None:
    return None if results.linted else "the source cannot be read"


def _of_targets(has: Callable[[AnalyzeResult], str | None]) -> Callable[[Results], str | None]:
    """What has to be known for every target that was looked at."""

    def lacking(results: Results) -> str | None:
        if not results.analyses:
            return results.reasons.get("analysis", "the kernel was not lowered")
        reasons = {name: has(result) for name, result in results.analyses.items()}
        told = [f"{name}: {why}" for name, why in reasons.items() if why is not None]
        return "; ".join(told) or None

    return lacking


def _lowered(result: AnalyzeResult) -> str | None:
    if result.kernels:
        return None
    return _sentence(result.failure.message) if result.failure else "nothing was lowered"


def _part(attribute: str, name: str) -> Callable[[AnalyzeResult], str | None]:
    def lacking(result: AnalyzeResult) -> str | None:
        if not result.kernels:
            return _lowered(result)
        if all(getattr(kernel, attribute) is not None for kernel in result.kernels):
            return None
        return result.missing.get(name, "it is unknown")

    return lacking


def _machine_code(result: AnalyzeResult) -> str | None:
    if not result.kernels:
        return _lowered(result)
    if result.resources is not None and result.resources.registers is not None:
        return None
    return result.missing.get("machine code", "the compiler of machine code told nothing")


def _simulated(results: Results) -> str | None:
    verified = results.verification
    if verified is None:
        return results.reasons.get("verification", "the kernel was not verified in the simulator")
    if verified.failure is not None:
        return _sentence(verified.failure.message)
    return f"{verified.sample.text}" if verified.sample is not None else None


def _sentence(message: str) -> str:
    """The first line of a message."""
    return message.strip().split("\n", 1)[0]


def _compared(results: Results) -> str | None:
    verified = results.verification
    if verified is not None and verified.failure is None and not verified.seeds:
        return "there is no reference to compare with"
    return _simulated(results)


_NEEDS: dict[Need, Callable[[Results], str | None]] = {
    Need.SOURCE: _source,
    Need.LOWERED: _of_targets(_lowered),
    Need.SHARED: _of_targets(_part("shared", "shared")),
    Need.GLOBAL: _of_targets(_part("global_memory", "global")),
    Need.OCCUPANCY: _of_targets(_part("occupancy", "occupancy")),
    Need.MACHINE_CODE: _of_targets(_machine_code),
    Need.SIMULATION: _simulated,
    Need.COMPARISON: _compared,
}
