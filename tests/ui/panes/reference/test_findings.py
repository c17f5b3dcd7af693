from __future__ import annotations

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.core.doctor.symptoms import Results, diagnose, symptom
from workbench.session.problems import Problem
from workbench.ui.panes.reference.findings import (
    Standing,
    findings_of_code,
    findings_of_symptom,
)

FIX = Fix("Pad s by 1", (Edit(TextRange(3, 1, 3, 1), "x"),))
CONFLICT = Diagnostic(
    "bank-conflict", Severity.WARNING, "32-way conflict", TextRange(9), fixes=(FIX,)
)
PROBLEM = Problem(CONFLICT, "k.py")


def test_a_symptom_has_the_causes_that_are_there_first_with_line_and_fix() -> None:
    applied = diagnose(symptom("bank-conflicts"), [CONFLICT], Results())
    found = findings_of_symptom(applied, [PROBLEM])
    first = found.rows[0]
    assert (first.standing, first.line, first.text) == (Standing.THERE, 9, "32-way conflict")
    assert first.slug == "rules/bank-conflict"
    assert first.fix is not None
    offered = found.fixes[first.fix]
    assert (offered.problem, offered.fix) == (PROBLEM, FIX)
    assert "1 of its causes is there" in found.sentence


def test_what_was_not_looked_at_says_why() -> None:
    found = findings_of_symptom(diagnose(symptom("all-zeros"), [], Results()), [])
    reasons = {row.text for row in found.rows if row.standing is Standing.UNKNOWN}
    assert any("not verified" in reason for reason in reasons)
    assert "none of its causes was found" in found.sentence


def test_a_code_has_the_places_where_the_kernel_has_it() -> None:
    found = findings_of_code("bank-conflict", [PROBLEM, PROBLEM])
    assert found is not None
    assert found.sentence == "This kernel has it at 2 places."
    assert [row.line for row in found.rows] == [9, 9]


def test_a_code_that_the_kernel_has_not_or_no_longer_is_not_told() -> None:
    assert findings_of_code("register-spill", [PROBLEM]) is None
    assert findings_of_code("bank-conflict", [Problem(CONFLICT, "k.py", stale=True)]) is None
