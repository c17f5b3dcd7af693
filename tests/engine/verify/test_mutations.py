"""Kernels with one mistake are noticed, or right all the same; `docs/simulator.md` counts them."""

import json
import logging

import pytest
from mutations import (
    EXPLAINED,
    KINDS,
    Text,
    barriers_of,
    explanations,
    is_put_back,
    mutants,
    outcome_of,
    table,
)
from small_kernels import ROOT, small_kernels

OUTCOMES = json.loads((ROOT / "tests/data/mutations/outcomes.json").read_text(encoding="utf-8"))
_STEP = 11  # of all mutants, those that are run here


@pytest.fixture
def silent():
    """TileLang logs each kernel that it refuses."""
    logging.disable(logging.CRITICAL)
    yield
    logging.disable(logging.NOTSET)


def test_a_change_is_one_place_of_the_kernel():
    small = next(each for each in small_kernels() if each.name == "gemm_ragged_sm80")
    text = Text(small.text)
    for changes in KINDS.values():
        for change in changes(text):
            made = text.with_change(change)
            assert made != small.text
            compile(made, "mutant", "exec")


def test_every_mutant_has_an_outcome_and_none_is_missed():
    assert list(OUTCOMES) == [each.key for each in mutants()]
    assert {each["how"] for each in OUTCOMES.values()} == {
        "finding",
        "mismatch",
        "refused",
        "same",
        "explained",
    }
    assert len([each for each in OUTCOMES.values() if each["how"] in ("finding", "mismatch")]) > 150
    assert {each.kind for each in mutants()} == set(KINDS)


def test_no_explanation_is_left_over():
    explained = [key for key, each in OUTCOMES.items() if each["how"] == "explained"]
    assert all(any(key.startswith(start) for key in explained) for start in EXPLAINED)


def test_the_documentation_has_the_table():
    text = (ROOT / "docs" / "simulator.md").read_text(encoding="utf-8")
    hows = {key: each["how"] for key, each in OUTCOMES.items()}
    assert table(hows) in text
    assert explanations(hows) in text


@pytest.mark.thorough
@pytest.mark.usefixtures("silent")
def test_some_mutants_end_as_they_are_kept(tmp_path):
    chosen = mutants()[3::_STEP]
    found = {each.key: outcome_of(each, tmp_path) for each in chosen}
    kept = {each.key: (OUTCOMES[each.key]["how"], OUTCOMES[each.key]["codes"]) for each in chosen}
    assert {key: (each.how, list(each.codes)) for key, each in found.items()} == kept
    assert {each.kind for each in chosen} >= set(KINDS) - {"missing cast"}


@pytest.mark.thorough
def test_tilelang_puts_a_dropped_barrier_back(tmp_path):
    for mutant in (each for each in mutants() if is_put_back(each.key)):
        counts = [
            barriers_of(mutant.small, text, tmp_path) for text in (mutant.small.text, mutant.text)
        ]
        assert counts[0] == counts[1], mutant.key
