from __future__ import annotations

from dataclasses import replace

import pytest
from analysis_results import (
    COPY,
    GEMM,
    STORE,
    UNKNOWN,
    analysis,
    analyzed,
    conflicting_report,
    estimate,
    global_report,
    global_site,
    shared_report,
    shared_site,
)

from workbench.core.analysis.global_sites import GlobalKind
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.shared_sites import Level, SharedKind
from workbench.core.targets.table import load_targets
from workbench.session.analyzed import Analyzed
from workbench.session.line_costs import LineCosts, line_costs
from workbench.session.open_document import OpenDocument

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=16):\n    return None\n"
H100 = load_targets().resolve("h100")


def costs_of(*kernels: KernelAnalysis) -> LineCosts:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.analyses.take("h100", Analyzed(document.revision, 1, analyzed(*kernels)))
    return line_costs(document, H100)


def parts(costs: LineCosts, line: int) -> dict[str, float]:
    return {part.hue: part.share for part in costs.lines[line].parts}


def test_nothing_is_known_before_an_analysis() -> None:
    assert line_costs(OpenDocument.of(TEXT, None, "k.py"), H100) == LineCosts()


def test_the_busy_time_of_an_estimate_is_shared_out_by_what_lines_ask_for() -> None:
    costs = costs_of(analysis())
    assert costs.header == "busy time"
    # 1000 clocks for 800 and 200 wavefronts, 600 of them conflicts; 600 tensor, 200 for sectors.
    assert parts(costs, COPY) == {
        "l2": pytest.approx(0.2),
        "shared": pytest.approx(0.2),
        "warn": pytest.approx(0.6),
    }
    assert parts(costs, GEMM) == {"shared": pytest.approx(0.25), "registers": pytest.approx(0.75)}
    assert (costs.lines[COPY].value, costs.lines[GEMM].value) == (1.0, pytest.approx(0.8))
    assert STORE not in costs.lines


def test_the_words_tell_share_figures_level_and_method() -> None:
    text = costs_of(analysis()).lines[COPY].text
    assert text.startswith("55.6 % of the time that parts of an SM are busy\n")
    assert "Shared memory: 800 wavefronts, 600 of them conflicts (4-way)" in text
    assert "Global memory: 3.12 KiB asked for, 100 sectors of 32 B" in text
    assert "Predicted for H100, level 1, from the lowered IR; as the estimate" in text


def test_the_words_tell_what_is_from_the_machine_code_and_what_never_is() -> None:
    code = replace(conflicting_report().sites[1], level=Level.CODE)
    text = costs_of(analysis(shared=shared_report(code))).lines[GEMM].text
    assert "level 2, from the machine code, its operations from the lowered IR; as the" in text


def test_the_tensor_cores_are_told_with_their_instruction() -> None:
    text = costs_of(analysis()).lines[GEMM].text
    assert "Tensor cores: 2.50 GFLOP (ptx_mma m16n8k16)" in text


def test_without_an_estimate_wavefronts_are_shown() -> None:
    costs = costs_of(analysis(estimate=None))
    assert costs.header == "wavefronts"
    assert costs.lines[GEMM].value == pytest.approx(0.25)
    assert parts(costs, COPY) == {"shared": pytest.approx(0.25), "warn": pytest.approx(0.75)}


def test_without_shared_memory_either_bytes_are_shown() -> None:
    outside = global_report(
        global_site(COPY, GlobalKind.LOAD, 100), global_site(STORE, GlobalKind.STORE, 50)
    )
    costs = costs_of(analysis(estimate=None, shared=None, work=None, global_memory=outside))
    assert costs.header == "bytes"
    assert {line: cost.value for line, cost in costs.lines.items()} == {COPY: 1.0, STORE: 0.5}


def test_a_processor_has_no_such_costs() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.analyses.take("cpu", Analyzed(document.revision, 1, analyzed()))
    assert line_costs(document, load_targets().resolve("cpu")) == LineCosts()


def test_what_is_unknown_has_no_bar_and_says_why() -> None:
    sites = (
        shared_site(COPY, SharedKind.STORE, wavefronts=8, ideal=8, conflicts=0, ways=1),
        shared_site(COPY, SharedKind.FLOAT_ATOMIC, unknown=UNKNOWN),
        shared_site(STORE, SharedKind.LOAD, unknown=UNKNOWN),
    )
    known = analysis(shared=shared_report(*sites), global_memory=None, work=None)
    for costs in (costs_of(known), costs_of(analysis(shared=known.shared, estimate=None))):
        assert costs.lines[STORE].parts == ()
        assert costs.lines[STORE].is_unknown
        assert f"Unknown, and not in it: {UNKNOWN}" in costs.lines[STORE].text
        assert costs.lines[COPY].is_unknown
        assert costs.lines[COPY].value > 0


def test_blocks_weigh_the_kernels_of_a_document() -> None:
    many = analysis(estimate=estimate(shared=1000.0), work=None, global_memory=None)
    moved = shared_report(
        shared_site(STORE, SharedKind.LOAD, wavefronts=5, ideal=5, conflicts=0, ways=1)
    )
    one = KernelAnalysis(
        "second", (1, 1, 1), (128, 1, 1), shared=moved, estimate=estimate(shared=1000.0)
    )
    costs = costs_of(many, one)
    # Six blocks whose copy takes 800 of 1000 clocks, against one block.
    assert costs.lines[STORE].value == pytest.approx(1000 / 4800)


def test_costs_of_an_earlier_text_are_told_as_such() -> None:
    document = OpenDocument.of(TEXT, None, "k.py")
    document.analyses.take("h100", Analyzed(document.revision, 1, analyzed()))
    document.set_text(TEXT + "\n")
    assert line_costs(document, H100).stale
