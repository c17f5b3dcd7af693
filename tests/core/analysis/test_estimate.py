from __future__ import annotations

import dataclasses
import importlib.util
import json
import pathlib
import re
import sys
from types import ModuleType
from typing import Any

import pytest

from workbench.core.analysis.estimate import CONSTANTS, Estimate, estimate
from workbench.core.analysis.kernel_facts import KernelFacts
from workbench.core.analysis.work import RoleWork
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import TargetTable

ROOT = pathlib.Path(__file__).parents[3]
H200_SMS = 132
# 1980 MHz, of which CONSTANTS.clock is reached.
CLOCKS_A_US = 1980 * CONSTANTS.clock


def facts(**changes: Any) -> KernelFacts:
    """A block on each SM that does nothing, but for `changes`."""
    nothing: dict[str, Any] = {
        field.name: 0
        for field in dataclasses.fields(KernelFacts)
        if field.default is dataclasses.MISSING
    }
    launch: dict[str, Any] = {"blocks": H200_SMS, "threads": 128, "registers": 32, "stages": 1}
    held: dict[str, Any] = {"depth": 1, "most_registers": 255, "estimated_registers": True}
    other: dict[str, Any] = {"specialized": False, "tensor_instruction": None, "tensor_flops": {}}
    counted: dict[str, Any] = {"load_rounds": 1.0, "vector_instructions": 0, "atomic_chain": 0.0}
    return KernelFacts(**{**nothing, **launch, **held, **other, **counted, **changes})


@pytest.fixture
def predict(targets: TargetTable) -> Any:
    def run(blocks_per_sm: int = 1, target: str = "h200", **changes: Any) -> Estimate:
        found = estimate(facts(**changes), targets.resolve(target), blocks_per_sm)
        assert found is not None
        return found

    return run


@pytest.fixture(scope="module")
def benchmark() -> ModuleType:
    spec = importlib.util.spec_from_file_location("estimates", ROOT / "benchmarks/estimates.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["estimates"] = module
    spec.loader.exec_module(module)
    return module


def test_an_empty_kernel_takes_its_launch_and_two_latencies(predict: Any) -> None:
    found = predict()
    latencies = 2 * CONSTANTS.latency / CLOCKS_A_US
    assert found.time_us == pytest.approx(CONSTANTS.launch_us + latencies)
    assert found.bound == "launch"


def test_bytes_from_memory_take_the_bandwidths_time(predict: Any) -> None:
    found = predict(dram_load_bytes=4_800_000_000)
    assert found.dram_us == pytest.approx(1000 / CONSTANTS.dram)
    assert found.bound == "dram"


def test_stores_that_the_l2_can_hold_take_a_part_of_the_time_of_memory(predict: Any) -> None:
    stored = [predict(dram_store_bytes=n).dram_us for n in (48_000_000, 4_800_000_000)]
    assert stored[0] == pytest.approx(10 * CONSTANTS.kept / CONSTANTS.dram)
    l2_us = 60 * 2**20 / 4.8e6  # of which `kept` counts
    assert stored[1] == pytest.approx((1000 - (1 - CONSTANTS.kept) * l2_us) / CONSTANTS.dram)


def test_a_first_wave_does_not_hide_its_loads_behind_its_work(predict: Any) -> None:
    busy = {"shared_wavefronts": 100_000 * H200_SMS}
    alone, loading = predict(**busy), predict(**busy, dram_load_bytes=48_000_000)
    exposed = CONSTANTS.exposed * 10 / CONSTANTS.dram
    assert loading.time_us - alone.time_us == pytest.approx(exposed)
    later = {"blocks": 10 * H200_SMS, "shared_wavefronts": 10 * busy["shared_wavefronts"]}
    waves = predict(**later), predict(**later, dram_load_bytes=48_000_000)
    assert waves[1].time_us - waves[0].time_us == pytest.approx(exposed / 10)


def test_loads_that_wait_for_each_other_take_a_latency_each(predict: Any) -> None:
    once, often = predict(load_rounds=1.0), predict(load_rounds=32.0)
    waited = 31 * CONSTANTS.latency / CLOCKS_A_US
    assert often.time_us - once.time_us == pytest.approx(waited)
    assert often.bound == "latency"


def test_additions_to_one_word_follow_one_another(predict: Any) -> None:
    none, many = predict(), predict(atomic_chain=256.0)
    assert many.block_clocks - none.block_clocks == 256 * CONSTANTS.atomic


def test_an_sm_issues_128_instructions_of_threads_a_clock(predict: Any) -> None:
    found = predict(vector_instructions=128 * 9000 * H200_SMS, memory_instructions=4000 * H200_SMS)
    (issue,) = [pipe.clocks for pipe in found.pipes if pipe.name == "issue"]
    assert issue == 9000 + 1000
    assert found.bound == "issue"


def test_facts_recorded_before_instructions_were_counted_say_so(predict: Any) -> None:
    older = predict(load_rounds=None, vector_instructions=None, atomic_chain=None)
    assert older.leaves_out == ("instructions of threads",)
    assert older.time_us == predict().time_us


def test_tensor_cores_do_4096_operations_a_clock_on_hopper(predict: Any) -> None:
    found = predict(tensor_flops={"float16": 4096 * 1000 * H200_SMS})
    (tensor,) = [pipe for pipe in found.pipes if pipe.name == "tensor"]
    assert tensor.clocks == 1000


def test_instructions_of_one_warp_reach_a_part_of_the_peak_on_hopper(predict: Any) -> None:
    work = {"float16": 4096 * 1000 * H200_SMS}
    by_warp = predict(tensor_flops=work, tensor_instruction="ptx_mma m16n8k16")
    (tensor,) = [pipe for pipe in by_warp.pipes if pipe.name == "tensor"]
    assert tensor.clocks == pytest.approx(1000 / CONSTANTS.warp_tensor)


def test_a_deeper_pipeline_hides_the_latency_of_copies(predict: Any) -> None:
    loop = {"waits": 128, "bulk_lines": 128 * 128 * H200_SMS, "specialized": True}
    times = [predict(depth=d, stages=d, **loop).time_us for d in (1, 2, 4, 16)]
    assert times == sorted(times, reverse=True)
    assert times[0] > 2 * times[2]
    shallow, deep = predict(depth=16, stages=16, **loop), predict(depth=99, stages=99, **loop)
    assert shallow.time_us == deep.time_us  # nothing is left to hide


def role(products: float, special: float = 0, **changes: Any) -> RoleWork:
    """A warpgroup of each block whose products take so many clocks, and its exponentials."""
    flops = {"float16": 4096 * products * H200_SMS}
    counted = {"float_operations": 0, "conversions": 0, "shuffles": 0, "vector_instructions": 0}
    exponentials = 16 * special * H200_SMS
    found = {"threads": 128, "live_registers": 99, "waits": 100.0, **counted, **changes}
    return RoleWork(tensor_flops=flops, special_operations=exponentials, **found)


def together(predict: Any, *roles: RoleWork, **changes: Any) -> float:
    """Clocks of a block beside what it waits for at its ends."""
    totals: dict[str, Any] = {
        "tensor_flops": {"float16": sum(r.tensor_flops["float16"] for r in roles)},
        "special_operations": sum(r.special_operations or 0 for r in roles),
        "threads": 128 * (1 + len(roles)),
        "specialized": True,
    }
    found = predict(roles=tuple(roles), waits=100.0, depth=9, **totals, **changes)
    return float(found.block_clocks - 3 * CONSTANTS.latency)


def test_roles_that_only_multiply_share_the_tensor_cores(predict: Any) -> None:
    assert together(predict, role(50_000), role(50_000)) == pytest.approx(100_000)


def test_a_role_waits_for_no_more_products_than_others_have(predict: Any) -> None:
    assert together(predict, role(80_000), role(20_000)) == pytest.approx(100_000)


def test_a_role_that_does_not_multiply_runs_beside_the_others(predict: Any) -> None:
    beside = together(predict, role(100_000), role(0, special=60_000))
    assert beside == pytest.approx(100_000)
    longer = CONSTANTS.vector_chain * 120_000
    assert together(predict, role(100_000), role(0, special=120_000)) == pytest.approx(longer)


def test_one_role_multiplies_while_another_does_the_rest(predict: Any) -> None:
    rest = 40_000 / CONSTANTS.vector_chain
    found = together(predict, role(60_000, special=rest), role(60_000, special=rest))
    alone = 60_000 + 40_000
    # The other is at the tensor cores for 60 % of the time that this one comes there.
    assert found == pytest.approx(alone + 0.6 * 60_000)
    assert 120_000 < found < 2 * alone


def test_waits_of_a_role_are_those_of_its_own_threads(predict: Any) -> None:
    few, many = (role(1_000, waits=waits) for waits in (10.0, 200.0))
    lines = {"bulk_lines": 100 * H200_SMS}
    assert together(predict, few, few, **lines) < together(predict, few, many, **lines)


def test_one_block_more_than_fits_takes_another_wave(predict: Any) -> None:
    busy = {"shared_wavefronts": 10_000 * H200_SMS}
    one = predict(**busy)
    two = predict(**{**busy, "blocks": H200_SMS + 1})
    assert (one.waves, two.waves) == (1, 2)
    assert two.time_us > 1.9 * one.time_us - CONSTANTS.launch_us
    assert two.tail == pytest.approx(1 / H200_SMS)


def test_accumulators_that_do_not_fit_the_registers_bound_the_time(predict: Any) -> None:
    loop = {"waits": 100, "bulk_lines": H200_SMS * 100, "live_registers": 257}
    fits, spills = predict(**loop, most_registers=300), predict(**loop, most_registers=240)
    assert spills.time_us > 2 * fits.time_us
    assert spills.bound == "registers"


def test_a_kernel_that_mostly_compares_data_takes_at_least_its_time(predict: Any) -> None:
    counted = {"vector_instructions": 1000}
    assert predict(**counted, uncounted=1000).leaves_out == ()
    found = predict(**counted, uncounted=1001)
    assert found.leaves_out == ("comparisons and bits of data",)


def test_what_is_unknown_is_left_out_and_told(predict: Any) -> None:
    found = predict(shared_wavefronts=None)
    assert found.leaves_out == ("shared wavefronts",)


def test_an_architecture_alone_has_no_time(targets: TargetTable) -> None:
    assert estimate(facts(), targets.resolve("sm_90a"), 1) is None


def test_an_estimate_and_its_facts_survive_json(predict: Any) -> None:
    found = predict(tensor_flops={"float16": 1e9})
    assert from_plain(Estimate, json.loads(json.dumps(to_plain(found)))) == found
    given = facts(tensor_flops={"float16": 1e9})
    assert from_plain(KernelFacts, json.loads(json.dumps(to_plain(given)))) == given


def test_the_published_errors_are_those_of_the_model(benchmark: ModuleType) -> None:
    text = (ROOT / "docs" / "analysis.md").read_text()
    rows = benchmark.measured()
    assert benchmark.summary(rows) in text
    assert benchmark.single_kernels(rows, "runs") in text
    assert benchmark.single_kernels(rows) in text


def test_the_published_errors_of_the_library_are_those_of_the_model(benchmark: ModuleType) -> None:
    text = (ROOT / "docs" / "analysis.md").read_text()
    assert benchmark.library_table(benchmark.library()) in text


def test_kernels_of_the_library_are_within_a_quarter(benchmark: ModuleType) -> None:
    rows = benchmark.library()
    assert len(rows) == 22
    errors = sorted(abs(row.error) for row in rows)
    assert errors[-1] < 0.25
    assert errors[len(rows) // 2] < 0.1


def test_roles_that_overlap_are_not_added_up(benchmark: ModuleType) -> None:
    """An H200 took 532 µs at 1,560 MHz, and a text of the same roles 479 at a higher clock."""
    (row,) = [row for row in benchmark.library() if row.name == "mla_decode"]
    assert [each.threads for each in row.estimate.facts.roles] == [128, 128]
    assert 450 < row.predicted_us < 550


def test_what_profiles_measured_says_of_which_device_and_when(benchmark: ModuleType) -> None:
    head = json.loads(benchmark.RUNS.read_text())
    assert (head["device"], head["date"]) == ("NVIDIA H200", "2026-11-30")
    assert {"tilelang", "driver", "nvcc"} <= set(head["versions"])
    seen = {row["name"] for row in benchmark.rows_of(benchmark.RUNS) if not row["fitted"]}
    assert seen == {"elementwise_add", "gemm", "rms_norm", "softmax"}


def test_kernels_that_constants_did_not_see_are_within_a_sixth(benchmark: ModuleType) -> None:
    held_back = [row for row in benchmark.measured() if row.group == "runs" and not row.fitted]
    assert len(held_back) == 4
    assert max(abs(row.error) for row in held_back) < 1 / 6


@pytest.mark.parametrize("group", ["gemm", "attention"])
def test_estimates_order_the_configurations_of_a_sweep(benchmark: ModuleType, group: str) -> None:
    rows = [row for row in benchmark.measured() if row.group == group]
    measured = [row.measured_us for row in rows]
    assert benchmark.spearman(measured, [row.predicted_us for row in rows]) > 0.9
    assert sorted(abs(row.error) for row in rows)[len(rows) // 2] < 0.2


def test_rank_correlation_of_reversed_lists_is_minus_one(benchmark: ModuleType) -> None:
    assert benchmark.spearman([1, 2, 3], [9, 5, 1]) == pytest.approx(-1)
    assert benchmark.spearman([1, 1, 2], [3, 3, 7]) == pytest.approx(1)


def test_the_constants_in_the_documentation_are_those_of_the_model() -> None:
    text = (ROOT / "docs" / "analysis.md").read_text()
    written = dict(re.findall(r"^\| `(\w+)` \| ([\d.]+) \|", text, re.MULTILINE))
    own = {field.name: getattr(CONSTANTS, field.name) for field in dataclasses.fields(CONSTANTS)}
    assert {name: float(value) for name, value in written.items()} == own
