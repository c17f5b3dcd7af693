"""What `check --symptom` prints: which causes of a symptom a kernel has, as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.cli import output
from workbench.cli.status import UsageError
from workbench.core.doctor.symptoms import SYMPTOMS, Applied, CauseState, Symptom, Verdict, search

_PRESENT = {True: "yes", False: "no", None: "unknown"}


def chosen_symptom(text: str) -> Symptom:
    """The symptom that a person's words are about, or whose id they are. Raises UsageError."""
    named = next((each for each in SYMPTOMS if each.id == text.strip().lower()), None)
    if named is not None:
        return named
    found = search(text)
    if not found:
        known = ", ".join(each.id for each in SYMPTOMS)
        raise UsageError(f"no symptom is known for {text!r}; there are: {known}")
    return found[0].symptom


def symptom_json(applied: Applied) -> dict[str, Any]:
    """The "symptom" of a result: what was seen, and each cause with its verdict."""
    symptom = applied.symptom
    return {
        "id": symptom.id,
        "title": symptom.title,
        "present": applied.present,
        "seen": applied.seen,
        "help": symptom.help_page,
        "confirm": [
            {"text": step.text, "command": step.command, "panel": step.panel}
            for step in symptom.confirm
        ],
        "causes": [_cause_json(state) for state in applied.causes],
    }


def _cause_json(state: CauseState) -> dict[str, Any]:
    return {
        "code": state.cause.code,
        "title": state.cause.title,
        "why": state.cause.why,
        "kind": "mismatch" if state.cause.is_signature else "rule",
        "verdict": state.verdict.value,
        "lines": list(state.lines),
        "reason": state.reason,
        "diagnostics": [output.diagnostic_json(d) for d in state.diagnostics],
        "signatures": [{"code": s.code, "sentence": s.sentence} for s in state.signatures],
    }


def print_symptom(path: str, applied: Applied) -> None:
    """The symptom, then its causes: those that apply, those not checked, those ruled out."""
    symptom = applied.symptom
    print(f"{symptom.title}: {symptom.summary}")
    print(f"seen: {_PRESENT[applied.present]}. {applied.seen}")
    for state in applied.applying:
        print(f"applies: {state.cause.title}. {state.cause.why} [{state.cause.code}]")
        output.print_diagnostics(path, state.diagnostics)
        for signature in state.signatures:
            print(f"  {signature.sentence} {_sentence(signature.hint)}")
    for reason, codes in _not_checked(applied).items():
        print(f"not checked, {reason}: {', '.join(codes)}")
    ruled_out = [state.cause.code for state in applied.having(Verdict.RULED_OUT)]
    if ruled_out:
        print(f"ruled out: {', '.join(ruled_out)}")
    for step in _open_steps(applied):
        print(f"to confirm: {step}")


def _not_checked(applied: Applied) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for state in applied.having(Verdict.NOT_CHECKED):
        found.setdefault(state.reason or "unknown", []).append(state.cause.code)
    return found


def _open_steps(applied: Applied) -> Iterator[str]:
    """How to see for oneself, while it is not known whether the symptom is there."""
    for step in applied.symptom.confirm if applied.present is None else ():
        yield f"{step.text}: {step.command}" if step.command else step.text


def _sentence(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}."
