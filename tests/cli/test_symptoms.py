"""The eight symptoms: words find the symptom, and it leads to the cause at its line."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from symptomatic_kernels import CLEARED_LATE, HEALTHY, SYMPTOMATIC

from workbench.cli import check_command
from workbench.core.doctor.symptoms import SYMPTOMS, Applied, Symptom, Verdict, diagnose

# What the simulator alone shows; the others need not wait for it.
_SIMULATED = {"nan-or-inf", "wrong-results"}


def _checked(cli: Any, folder: Path, text: str, words: str, until: str) -> dict[str, Any]:
    file = folder / "kernel.py"
    file.write_text(text)
    done = cli("check", file, "--symptom", words, "--until", until, "--json")
    told: dict[str, Any] = done.json["symptom"]
    return told


def _marked(text: str) -> tuple[str, int]:
    lines = enumerate(text.split("\n"), 1)
    return next((m.group(1), n) for n, line in lines if (m := re.search(r"# <- (\S+)", line)))


@pytest.mark.parametrize("name", SYMPTOMATIC)
def test_a_symptom_leads_to_its_cause_at_its_line(cli: Any, tmp_path: Path, name: str) -> None:
    words, text = SYMPTOMATIC[name]
    until = "simulate" if name in _SIMULATED else "analysis"
    told = _checked(cli, tmp_path, text, words, until)
    code, line = _marked(text)
    applying = {c["code"]: c["lines"] for c in told["causes"] if c["verdict"] == "applies"}
    assert told["id"] == name
    assert code in applying
    assert any(abs(at - line) <= 1 for at in applying[code])
    assert told["present"] is not False


def test_there_is_a_kernel_for_each_symptom() -> None:
    assert set(SYMPTOMATIC) == {each.id for each in SYMPTOMS}


def test_a_healthy_kernel_has_no_cause_of_any_symptom(cli: Any, tmp_path: Path) -> None:
    """One check; every symptom is then held against what it knows."""
    file = tmp_path / "kernel.py"
    file.write_text(HEALTHY)
    seen: list[Applied] = []

    def all_of_them(_: Symptom, *known: Any) -> Applied:
        seen.extend(diagnose(each, *known) for each in SYMPTOMS)
        return seen[0]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check_command, "diagnose", all_of_them)
        cli("check", file, "--symptom", "zeros", "--json")
    applying = {each.symptom.id: [c.cause.code for c in each.applying] for each in seen}
    assert applying == {each.id: [] for each in SYMPTOMS}
    # Whether it is slow is for a person to say; the rest is known.
    present = {each.symptom.id: each.present for each in seen}
    assert present == {**dict.fromkeys(applying, False), "low-throughput": None}
    open_ = {c.reason for each in seen for c in each.having(Verdict.NOT_CHECKED)}
    assert open_ == set()


def test_zeros_that_no_rule_explains_are_told_by_the_comparison(cli: Any, tmp_path: Path) -> None:
    told = _checked(cli, tmp_path, CLEARED_LATE, "all zeros", "simulate")
    (cause,) = [c for c in told["causes"] if c["verdict"] == "applies"]
    assert (told["present"], cause["code"], cause["kind"]) == (True, "zero", "mismatch")
    assert "zeros instead of results" in cause["signatures"][0]["sentence"]
