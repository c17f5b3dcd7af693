"""One text for several GPUs has nothing that one of them lacks."""

from __future__ import annotations

import pytest

from workbench.core.patterns.generating import generate
from workbench.core.patterns.legality import breaches
from workbench.core.patterns.model import Setting
from workbench.core.patterns.table import pattern_named
from workbench.core.targets.table import load_targets

TABLE = load_targets()
GROUPED = pattern_named("grouped_gemm")
COUNTED = "T.if_then_else(row < end, steps, 0)"


def setting(*names: str) -> Setting:
    return Setting(tuple(TABLE.resolve(name) for name in names))


@pytest.mark.parametrize("names", [("h100", "a100"), ("a100", "h100"), ("h100", "a100", "rtx4090")])
def test_beside_a_target_with_tma_cp_async_gets_two_stages(names: tuple[str, ...]) -> None:
    generated = generate(GROUPED, {}, setting(*names))
    assert COUNTED in generated.text
    assert generated.values["num_stages"] <= 2


def test_more_stages_are_refused_there_and_two_are_the_nearest() -> None:
    targets = setting("h100", "a100").targets
    values = {**generate(GROUPED, {"block_N": 128}, setting("h100", "a100")).values}
    found = breaches(GROUPED, {**values, "num_stages": 3}, targets)
    (breach,) = [each for each in found if each.rule.name == "turns-not-known"]
    assert breach.targets == ("A100",)
    assert [(mend.field, mend.value) for mend in breach.mends] == [("num_stages", 2)]


def test_cp_async_alone_keeps_its_stages_and_its_condition() -> None:
    generated = generate(GROUPED, {}, setting("a100"))
    assert COUNTED not in generated.text
    assert generated.values["num_stages"] == 3


@pytest.mark.parametrize("names", [("h100", "a100"), ("h100", "mi300x"), ("a100", "h100")])
def test_gradients_of_queries_leave_by_tma_where_all_targets_have_it(
    names: tuple[str, ...],
) -> None:
    backward = pattern_named("flash-attention-backward")
    assert "use_tma" not in generate(backward, {}, setting(*names)).text
    assert "use_tma" in generate(backward, {}, setting("h100", "h200")).text


@pytest.mark.parametrize("names", [("h100", "mi300x"), ("mi300x", "h100")])
def test_the_form_of_mma_sync_is_for_targets_that_all_have_it(names: tuple[str, ...]) -> None:
    int4 = pattern_named("int4_gemv")
    assert generate(int4, {}, setting(*names)).kernel == "int4_matmul"
    assert generate(int4, {}, setting("h100", "a100")).kernel == "int4_gemv"
