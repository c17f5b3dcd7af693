"""Values that nobody chose suit all targets, and a refusal names what was chosen alone."""

from __future__ import annotations

from typing import Any

from generated_kernels import TABLE

from workbench.core.patterns.legality import forbidden
from workbench.core.patterns.model import Setting
from workbench.core.patterns.recommending import Choice, recommend
from workbench.core.patterns.table import pattern_named

GEMM = pattern_named("gemm")


def setting(*targets: str) -> Setting:
    return Setting(tuple(TABLE.resolve(name) for name in targets))


def chosen(*targets: str, **given: Any) -> tuple[Choice, tuple[str, ...]]:
    """The choice, and the rules that it breaks."""
    choice = recommend(GEMM, given, setting(*targets))
    return choice, forbidden(GEMM, choice.values, setting(*targets).targets)


def test_a_refusal_names_no_value_that_nobody_chose() -> None:
    choice, broken = chosen("h100", "b200", "m3-max", dtype="bfloat16")
    assert broken == ("dtype-without-matrix-unit",)
    assert choice.values["dtype"] == "bfloat16"


def test_another_target_s_advice_is_said_to_be_taken() -> None:
    choice, broken = chosen("h100", "b200", "m3-max")
    assert broken == ()
    assert choice.remark(setting("h100", "b200", "m3-max")) == (
        "what is recommended for H100 is not legal on all targets: the values are those for M3 Max"
    )
    assert chosen("h100")[0].remark(setting("h100")) is None


def test_a_moved_value_says_what_it_stands_in_place_of() -> None:
    choice = recommend(pattern_named("int4_gemv"), {}, setting("m3-max"))
    assert choice.values["block_N"] == 32
    assert choice.reason("block_N") == (
        "In place of 64, which is not legal for M3 Max: A block needs 32.2 KiB of shared memory "
        "and may have 32 KiB."
    )


def test_values_are_moved_where_no_target_s_advice_suits_all() -> None:
    place, splitk = setting("h100", "b200", "mi300x"), pattern_named("splitk_gemm")
    choice = recommend(splitk, {"block_N": 256}, place)
    assert forbidden(splitk, choice.values, place.targets) == ()
    assert list(choice.moved) == ["threads"]
    assert (choice.remark(place) or "").endswith("for MI300X, moved to where they are legal")


def test_attention_takes_turns_where_they_were_measured_to_be_faster() -> None:
    attention = pattern_named("flash-attention")

    def schedule(target: str, **given: Any) -> tuple[Any, str]:
        choice = recommend(attention, given, setting(target))
        assert forbidden(attention, choice.values, setting(target).targets) == ()
        return choice.values["schedule"], choice.reason("schedule") or ""

    assert schedule("h200", causal=True)[0] == schedule("h100", causal=True, dim=64)[0] == "turns"
    assert "faster than roles alone" in schedule("h200", causal=True)[1]
    assert schedule("h200", dim=64)[0] == schedule("h200", causal=True, dim=256)[0] == "roles"
    assert schedule("a100", causal=True)[0] == "compiler"
    assert schedule("h200", causal=True, threads=384, block_M=192)[0] == "roles"


def test_attention_keeps_queries_in_registers_where_that_was_measured_to_be_faster() -> None:
    attention = pattern_named("flash-attention")

    def queries(target: str = "h200", **given: Any) -> Any:
        choice = recommend(attention, given, setting(target))
        assert forbidden(attention, choice.values, setting(target).targets) == ()
        return choice.values["queries_in_registers"]

    assert queries() is True
    assert queries(schedule="turns") is True
    others = ({"causal": True}, {"dim": 64}, {"variable": True}, {"block_N": 160})
    assert [queries(**given) for given in others] == [None] * 4
    assert queries("a100") is queries(schedule="roles") is queries(schedule="compiler") is None


def test_queries_in_registers_need_a_role_and_room() -> None:
    attention, targets = pattern_named("flash-attention"), setting("h200").targets
    values = recommend(attention, {"queries_in_registers": True}, setting("h200")).values
    assert forbidden(attention, values, targets) == ()
    assert forbidden(attention, {**values, "block_N": 160}, targets) == ("registers-of-roles",)
    assert "queries-of-roles" in forbidden(attention, {**values, "schedule": "compiler"}, targets)
