"""Kernels that are right get nothing at warning or above; each fault of the corpus is found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import tomllib

from workbench.core.diagnostics import Severity
from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.rules import Group

_ROOT = Path(__file__).resolve().parents[3]
_FAULTS = _ROOT.parent / "shared" / "faults"
_OWN = sorted([*_ROOT.glob("kernels/*.py"), *_ROOT.glob("tests/data/counters/kernels/*.py")])

_HINTS = {rule.code for rule in RULES if rule.group is Group.GUIDELINE}
_TRUE_HINTS = {
    ("attention_causal_sm90", "missing-pipelining"),
    ("gemm_bias_epilogue_sm90", "missing-pipelining"),
    ("gemm_tn_unpipelined_sm80", "missing-pipelining"),
    ("int4_gemm", "missing-swizzle-l2"),
}


@pytest.mark.parametrize("path", _OWN, ids=lambda path: path.stem)
def test_kernels_that_are_measured_and_verified_are_clean(path, linted):
    found = linted(path.read_text(encoding="utf-8"), path=path)
    assert [d for d in found if d.severity is not Severity.INFO] == []


def test_healthy_kernels_get_no_hint_but_those_that_are_true(linted):
    told = {
        (path.stem, d.code)
        for path in _OWN
        for d in linted(path.read_text(encoding="utf-8"), path=path)
    }
    assert {(name, code) for name, code in told if code in _HINTS} == _TRUE_HINTS


def _corpus() -> dict[str, Any]:
    if not (_FAULTS / "expect.toml").is_file():
        pytest.skip(f"the corpus of faults is not at {_FAULTS}")
    return tomllib.loads((_FAULTS / "expect.toml").read_text(encoding="utf-8"))


def test_faults_of_the_corpus_are_found_at_their_lines(linted):
    missed = []
    for fault in _corpus()["fault"]:
        if fault["stage"] == "lint":
            text = (_FAULTS / fault["file"]).read_text(encoding="utf-8")
            key = fault["code"], fault["severity"]
            lines = [d.range.line for d in linted(text) if (d.code, d.severity.value) == key]
            if not any(abs(line - fault["line"]) <= 1 for line in lines):
                missed.append(fault["file"])
    assert missed == []


def test_faults_of_the_corpus_get_no_other_code(linted):
    corpus, false = _corpus(), []
    for fault in corpus["fault"]:
        right = {fault["code"], *(also["code"] for also in fault.get("also", []))}
        if "reference-mismatch" in right:
            right.add("unscaled-scores")  # the cause that the mismatch names
        text = (_FAULTS / fault["file"]).read_text(encoding="utf-8")
        false += [
            (fault["file"], d.code)
            for d in linted(text)
            if d.code not in right | set(corpus["incidental"]) | _HINTS
        ]
    assert false == []


def test_controls_of_the_corpus_are_clean(linted):
    false = []
    for control in _corpus()["control"]:
        text = (_FAULTS / control["file"]).read_text(encoding="utf-8")
        found = [d for d in linted(text) if d.severity is not Severity.INFO]
        false += [(control["file"], d.code) for d in found]
    assert false == []
