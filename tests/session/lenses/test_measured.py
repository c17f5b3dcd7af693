"""What was measured beside what lenses, costs and signs predict."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from tests.support.analysis_results import GEMM, analysis, shared_report, shared_site
from tests.support.lens_subjects import lens_subject, lens_target
from tests.support.profiles import WHEN, profile
from tests.support.roofline_subjects import product
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.counters.source_csv import SAMPLES
from workbench.core.profiles import CounterReport, KernelCounters, LineCounters
from workbench.core.targets.table import load_targets
from workbench.session.hosts.places import DEVICE, Place
from workbench.session.lenses.banks.picture import banks_picture
from workbench.session.lenses.measured import Measured, wavefronts_sentence
from workbench.session.lenses.occupancy.picture import occupancy_picture
from workbench.session.lenses.roofline.picture import RooflinePicture, roofline_picture
from workbench.session.lenses.subject import measured_of
from workbench.session.line_costs import line_costs
from workbench.session.open_document import OpenDocument
from workbench.session.profiled import Profiled
from workbench.session.vital_signs import vital_signs

H200 = load_targets().resolve("h200")
WAVES = "memory_l1_wavefronts_shared"
LSU = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_{}.sum"


def measured(values: dict[str, float], *lines: LineCounters) -> Measured:
    kernel = KernelCounters("main", values, device="NVIDIA H200", lines=lines)
    report = CounterReport("Nsight Compute 2025.3.1", (kernel,))
    return Measured(profile(10.0, counters=report), H200.arch)


def banked(found: Measured) -> Any:
    site = shared_site(
        GEMM, SharedKind.LDMATRIX, wavefronts=1000, ideal=1000, conflicts=0, ways=1, instructions=9
    )
    return replace(lens_target("h200", shared=shared_report(site)), measured=found)


def test_the_bank_lens_holds_its_wavefronts_against_the_counter() -> None:
    target = banked(measured({WAVES: 1000.0, f"{WAVES}_ideal": 1000.0}))
    picture = banks_picture(lens_subject(target), target)
    assert picture is not None
    assert picture.measured == "Measured on NVIDIA H200: 1,000 wavefronts, as predicted."


def test_the_bank_lens_says_what_differs() -> None:
    sentence = wavefronts_sentence(measured({WAVES: 1200.0}), banked(measured({})).kernel)
    assert sentence == ("Measured on NVIDIA H200: 1,200 wavefronts, of which 1,000 were predicted.")


def test_the_bank_lens_has_what_was_counted_for_each_line() -> None:
    target = banked(measured({WAVES: 1000.0}, LineCounters(GEMM, {WAVES: 998.0})))
    picture = banks_picture(lens_subject(target), target)
    assert picture is not None
    assert [row.measured for row in picture.rows] == [998.0]


def test_without_counters_the_bank_lens_says_nothing_of_them() -> None:
    target = replace(banked(measured({})), measured=Measured(profile(), H200.arch))
    picture = banks_picture(lens_subject(target), target)
    assert picture is not None
    assert (picture.measured, picture.rows[0].measured) == ("", None)


def test_the_occupancy_lens_tells_what_was_reached() -> None:
    values = {
        "sm__warps_active.avg.pct_of_peak_sustained_active": 10.97,
        "sm__maximum_warps_per_active_cycle_pct": 12.5,
    }
    block = BlockResources(128, 226, dynamic_shared_bytes=4096)
    target = replace(lens_target("h200", block_resources=block), measured=measured(values))
    picture = occupancy_picture(lens_subject(target))
    assert not isinstance(picture, str)
    assert picture.columns[0].measured == "11 % reached of 12.5 %"


def test_the_roofline_has_the_measured_twin() -> None:
    target = product("h200")
    picture = roofline_picture(lens_subject(target), {"h200": 20.0})
    assert isinstance(picture, RooflinePicture)
    (series,) = picture.series
    assert series.measured is not None
    assert series.measured.tera == 100.0
    assert picture.conclusion.endswith("Measured on H200: 100 TFLOP/s, 200 predicted.")


def profiled(document: OpenDocument, *lines: LineCounters) -> None:
    counted = measured({}, *lines).result
    document.profiles.take(
        Profiled(document.revision, "h200", Place("gpu1", DEVICE), counted, WHEN, "k", "default")
    )


def test_costs_of_lines_are_the_samples_that_were_measured() -> None:
    document = OpenDocument.of("def k(): pass\n", None, "k.py")
    profiled(document, LineCounters(4, {SAMPLES: 30.0}), LineCounters(5, {SAMPLES: 90.0}))
    costs = line_costs(document, H200)
    assert (costs.header, costs.predicted, costs.stale) == ("samples", False, False)
    assert {line: cost.value for line, cost in costs.lines.items()} == {4: 1 / 3, 5: 1.0}
    assert costs.lines[5].text.startswith("75 % of the samples of warps")


def test_samples_of_an_earlier_text_cost_nothing_now() -> None:
    document = OpenDocument.of("def k(): pass\n", None, "k.py")
    profiled(document, LineCounters(4, {SAMPLES: 30.0}))
    document.set_text("def k():\n    pass\n")
    assert line_costs(document, H200).lines == {}
    assert measured_of(document, H200) is None


def test_the_status_bar_tells_the_measured_time() -> None:
    document = OpenDocument.of("def k(): pass\n", None, "k.py")
    profiled(document)
    signs = vital_signs(document, H200)
    assert signs is not None
    (sign,) = signs.measured
    assert sign.text == "10.0\N{NO-BREAK SPACE}µs measured"
    assert not sign.stale
    document.set_text("def k():\n    pass\n")
    signs = vital_signs(document, H200)
    assert signs is not None
    assert signs.measured[0].stale


def test_another_targets_lens_shows_no_measurement() -> None:
    document = OpenDocument.of("def k(): pass\n", None, "k.py")
    profiled(document)
    assert measured_of(document, H200) is not None
    assert measured_of(document, load_targets().resolve("h100")) is None


def test_an_analysis_of_another_kernel_has_no_counters() -> None:
    found = measured({WAVES: 5.0})
    twice = replace(found.result.counters, kernels=found.result.counters.kernels * 2)  # type: ignore[union-attr, type-var]
    several = Measured(replace(found.result, counters=twice), H200.arch)
    assert several.counters(replace(analysis(), name="other")) is None
    assert several.counters(None) is None
