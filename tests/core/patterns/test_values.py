"""Values of fields: read from text, held against their range, and what is near."""

from __future__ import annotations

import pytest
from pattern_samples import QUICK

from workbench.core.patterns.model import Field, Kind, Option, Pattern, PatternError, Step
from workbench.core.patterns.table import PATTERNS, pattern_named
from workbench.core.patterns.values import completed, effective, misfit, nearby, parse, parsed


def field(kind: Kind, default: object = 1, **more: object) -> Field:
    return Field("f", kind, Step.TILES, "F", "Help.", default, **more)  # type: ignore[arg-type]


def test_a_power_of_two_names_its_neighbours() -> None:
    found = field(Kind.INTEGER, low=1, high=512, power_of_two=True)
    assert misfit(found, 96) == "`f` is a power of two, not 96; 64 and 128 are near"


def test_a_multiple_names_its_neighbours() -> None:
    found = field(Kind.INTEGER, low=32, high=1024, multiple=32)
    assert misfit(found, 100) == "`f` is a multiple of 32, not 100; 96 and 128 are near"


def test_a_range_names_its_ends() -> None:
    assert misfit(field(Kind.SIZE, low=1), 0) == "`f` is 1 or more, not 0"
    assert misfit(field(Kind.INTEGER, low=1, high=6), 7) == "`f` is from 1 to 6, not 7"


def test_a_truth_is_no_number() -> None:
    assert misfit(field(Kind.SIZE, low=1), True) == "`f` takes a whole number, not True"


def test_an_option_names_the_nearest() -> None:
    found = field(Kind.CHOICE, "none", options=(Option("none", "None"), Option("relu", "ReLU")))
    assert misfit(found, "rellu") == "`f` cannot be 'rellu'; did you mean `relu`?"


@pytest.mark.parametrize(("text", "value"), [("on", True), ("False", False), ("1", True)])
def test_a_switch_takes_words(text: str, value: bool) -> None:
    assert parse(field(Kind.SWITCH), text) is value


def test_a_shape_is_written_in_several_ways() -> None:
    found = field(Kind.SHAPE)
    assert parse(found, "8x128x64") == parse(found, "[8, 128, 64]") == [8, 128, 64]


def test_a_format_is_called_as_people_do() -> None:
    assert parsed(pattern_named("gemm"), {"dtype": "bf16"}) == {"dtype": "bfloat16"}


def test_a_text_that_is_no_number_is_told() -> None:
    with pytest.raises(PatternError, match="takes a whole number, not 'many'"):
        parse(field(Kind.SIZE, low=1), "many")


def test_an_optional_number_may_be_none() -> None:
    assert parse(field(Kind.NUMBER, optional=True), "none") is None


def test_a_field_that_is_not_there_names_the_nearest() -> None:
    with pytest.raises(PatternError, match="did you mean `block_M`"):
        completed(pattern_named("gemm"), {"block_m": 64})


def test_a_field_that_is_like_no_other_lists_them() -> None:
    with pytest.raises(PatternError, match="no field `foo`; there are M, N, K, dynamic_M"):
        parsed(pattern_named("gemm"), {"foo": "3"})


def test_nearby_values_come_by_distance() -> None:
    found = field(Kind.INTEGER, low=16, high=256, power_of_two=True)
    assert nearby(found, 64)[:2] in ((32, 128), (128, 32))
    assert 64 not in nearby(found, 64)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_each_default_is_a_value_and_each_field_has_help(pattern: Pattern) -> None:
    assert [f.name for f in pattern.fields if misfit(f, f.default)] == []
    assert all(f.help and f.title for f in pattern.fields)


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_sizes_and_rules_name_fields(pattern: Pattern) -> None:
    names = {f.name for f in pattern.fields}
    assert set(pattern.sizes) <= names
    assert {n for rule in pattern.rules for n in rule.fields} <= names


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_three_sets_of_its_fields_are_lowered_and_verified_in_the_suite(pattern: Pattern) -> None:
    assert sum(sample.pattern == pattern.id for sample in QUICK) >= 3


def test_optional_fields_without_effect_are_unset() -> None:
    norm = pattern_named("norm")
    asked = {"one_barrier": True, "bulk_row": True}
    read_twice = effective(norm, completed(norm, {**asked, "reread_N": 1024}))
    assert (read_twice["one_barrier"], read_twice["bulk_row"]) == (None, None)
    plain = effective(norm, completed(norm, {**asked, "one_barrier": False}))
    assert (plain["one_barrier"], plain["bulk_row"]) == (False, None)
    assert effective(norm, completed(norm, asked)) == completed(norm, asked)
