"""The corpus of faults through all stages of `check`: all found, and nothing right alarmed."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
FAULTS = ROOT.parent / "shared" / "faults"
# One of each stage and kind of finding, and twins that differ in one number.
FEW = (
    "33-attention-no-scale.py",
    "72-low-occupancy.py",
    "74-tail-wave.py",
    "74-tail-wave.fixed.py",
    "76-bank-conflict-transpose.py",
    "80-uncoalesced-columns.py",
    "80-uncoalesced-columns.fixed.py",
    "88-padded-bulk-copy.py",
    "108-healthy-prefix-sum.py",
)
pytestmark = pytest.mark.skipif(
    not (FAULTS / "expect.toml").is_file(), reason=f"the corpus of faults is not at {FAULTS}"
)


@pytest.fixture(scope="module")
def doctor() -> Any:
    spec = importlib.util.spec_from_file_location("doctor_benchmark", ROOT / "benchmarks/doctor.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where dataclasses look for it
    spec.loader.exec_module(module)
    return module


def wrong(doctor: Any, names: tuple[str, ...] | None) -> list[tuple[Any, ...]]:
    corpus = doctor.read_corpus(FAULTS, "simulate")
    if names is not None:
        corpus.subjects = [each for each in corpus.subjects if each.path.name in names]
        assert len(corpus.subjects) == len(names)
    return [
        (each.subject.path.name, each.missed, each.alarms, each.trouble)
        for each in doctor.checked(corpus, "simulate")
        if not each.good
    ]


@pytest.mark.thorough
@pytest.mark.usefixtures("cli")  # its worker
def test_one_of_each_kind_is_found_and_twins_are_clean(doctor: Any) -> None:
    assert wrong(doctor, FEW) == []


@pytest.mark.thorough
@pytest.mark.usefixtures("cli")
def test_every_fault_is_found_and_nothing_right_is_alarmed(doctor: Any) -> None:
    assert wrong(doctor, None) == []


def test_an_expectation_that_nothing_meets_is_missed(doctor: Any) -> None:
    subject = doctor.Subject(Path("k.py"), "fault", (doctor.Expected("bank-conflict", 5),))
    judged = doctor.judged(subject, doctor.Found(()), (), 0.0)
    assert [each.code for each in judged.missed] == ["bank-conflict"]
    assert not judged.good
