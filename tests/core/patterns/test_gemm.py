"""The matrix multiplication: what is recommended, what is illegal, and the nearest legal choice."""

from __future__ import annotations

from typing import Any

import pytest
from generated_kernels import TABLE, generated

from workbench.core.patterns.generating import IllegalError
from workbench.core.patterns.legality import breaches
from workbench.core.patterns.model import Goal, PatternError, Setting
from workbench.core.patterns.recommending import recommend
from workbench.core.patterns.table import pattern_named

GEMM = pattern_named("gemm")


def choice(targets: str, goal: Goal = Goal.THROUGHPUT, **given: Any) -> Any:
    setting = Setting(tuple(TABLE.resolve(name) for name in targets.split(",")), goal)
    return recommend(GEMM, given, setting)


def refused(targets: str, **given: Any) -> IllegalError:
    with pytest.raises(IllegalError) as caught:
        generated("gemm", targets, **given)
    return caught.value


def test_hopper_gets_the_tile_that_was_measured_the_fastest() -> None:
    values = choice("h200").values
    tile = (values["block_M"], values["block_N"], values["block_K"], values["num_stages"])
    rest = (values["threads"], values["policy"], values["panel"], values["staged"])
    assert (tile, rest) == ((128, 256, 64, 3), (256, "FullRow", 16, True))


def test_blocks_stay_where_the_tile_was_measured_so() -> None:
    assert choice("h200").values["stays"]
    assert not choice("h200", dtype="float8_e4m3").values["stays"]
    assert not choice("h200", bias=True).values["stays"]
    assert not choice("a100").values["stays"]


@pytest.mark.parametrize("name", ["batched_gemm", "grouped_gemm", "streamk_gemm", "conv2d"])
def test_kernels_whose_blocks_do_not_stay_have_a_fourth_stage(name: str) -> None:
    setting = Setting((TABLE.resolve("h200"),), Goal.THROUGHPUT)
    found = recommend(pattern_named(name), {}, setting)
    assert found.values["num_stages"] == 4
    assert "between tiles" not in str(found.reason("num_stages"))


def test_blocks_that_stay_add_no_bias() -> None:
    (breach,) = refused("h200", bias=True, stays=True).breaches
    assert breach.rule.name == "blocks-that-stay"
    assert (breach.mends[0].field, breach.mends[0].value) == ("stays", False)


def test_each_recommended_value_has_a_reason() -> None:
    found = choice("h200")
    assert all(found.reason(field.name) for field in GEMM.fields if field.is_tuned)


def test_a_step_has_as_many_bytes_in_every_format() -> None:
    steps = {d: choice("h200", dtype=d).values["block_K"] for d in ("float16", "int8", "float32")}
    assert steps == {"float16": 64, "int8": 128, "float32": 32}


def test_two_targets_get_a_choice_that_fits_both() -> None:
    values = choice("h200,rtx4090").values
    assert not [
        b for b in breaches(GEMM, values, [TABLE.resolve("rtx4090")]) if not b.rule.advisory
    ]


def test_latency_takes_smaller_tiles_where_the_grid_is_small() -> None:
    sizes = {"M": 512, "N": 512, "K": 4096}
    fast = choice("h200", Goal.LATENCY, **sizes).values
    assert fast["block_M"] * fast["block_N"] <= 64 * 64


def test_eight_bits_lead_to_operands_along_k() -> None:
    values = choice("h200", dtype="float8_e4m3").values
    assert (values["layout_A"], values["layout_B"]) == ("row", "column")


def test_too_much_shared_memory_names_the_stages_that_fit() -> None:
    tile = {"block_M": 128, "block_N": 256, "block_K": 64, "threads": 256, "num_stages": 3}
    (breach,) = refused("rtx4090", **tile).breaches
    assert breach.rule.name == "shared-memory-over-limit"
    assert breach.message == "A block needs 144 KiB of shared memory and may have 99 KiB."
    assert ("num_stages", 2) in {(mend.field, mend.value) for mend in breach.mends}


def test_sums_that_would_spill_name_the_threads_that_hold_them() -> None:
    (breach,) = refused("h200", block_M=128, block_N=256, threads=128).breaches
    assert breach.rule.name == "registers-would-spill"
    assert (breach.mends[0].field, breach.mends[0].value) == ("threads", 256)


def test_a_format_without_matrix_unit_is_refused() -> None:
    error = refused("t4", dtype="float8_e4m3")
    assert "dtype-without-matrix-unit" in {breach.rule.name for breach in error.breaches}


def test_fp8_has_the_name_of_the_target() -> None:
    assert 'dtype="float8_e4m3fnuz"' in generated("gemm", "mi300x", dtype="float8_e4m3").text
    assert 'dtype="float8_e4m3fn"' in generated("gemm", "h200", dtype="float8_e4m3").text


def test_rows_that_tma_cannot_copy_are_warned_of() -> None:
    made = generated("gemm", "h200", M=64, N=1001, K=64)
    assert [breach.rule.name for breach in made.warnings] == ["unaligned-rows"]


def test_every_mend_is_legal() -> None:
    error = refused("rtx4090", block_M=128, block_N=256, block_K=64, threads=256, num_stages=3)
    setting = Setting((TABLE.resolve("rtx4090"),))
    values = recommend(GEMM, {"block_M": 128, "block_N": 256, "num_stages": 3}, setting).values
    for mend in error.breaches[0].mends:
        changed = {**values, "block_K": 64, "threads": 256, mend.field: mend.value}
        assert error.breaches[0].rule.broken(changed, setting.target) is None


def test_targets_of_two_dialects_need_two_documents() -> None:
    with pytest.raises(PatternError, match="h200 and cpu need documents of their own"):
        generated("gemm", "h200,cpu", dtype="float32")


def test_where_no_change_does_alone_two_are_named() -> None:
    tile = {"block_M": 256, "block_N": 256, "block_K": 32, "num_stages": 6, "staged": True}
    error = refused("rtx4090", **tile, threads=512)
    (breach,) = (b for b in error.breaches if b.rule.name == "shared-memory-over-limit")
    assert breach.mends == ()
    assert [(mend.field, mend.value) for mend in breach.together] == [
        ("num_stages", 3),
        ("staged", False),
    ]
