"""What the view of a comparison says: heads, code, rows, tones, conclusion and noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from tests.support.analysis_results import analysis, analyzed, work
from tests.support.chart_runs import run, samples, subject, timed
from workbench.core.analysis.work import WorkSite
from workbench.core.comparison.comparing import compare_runs
from workbench.core.runs import Metric, MetricSource, Run, RunStatus
from workbench.session.charts.subject import Content
from workbench.session.comparison_view.model import CellView, ComparisonView, RowView
from workbench.session.comparison_view.view import comparison_view

TEXT = """import tilelang.language as T

def matmul(M, block_M=128, threads=128):
    with T.Kernel(T.ceildiv(M, block_M), threads=threads) as bx:
        A_shared = T.alloc_shared((block_M, 32), "float16")
        note = "block_M"
"""


def view(
    *runs: Run,
    texts: Sequence[str | None] | None = None,
    contents: dict[int, Content] | None = None,
    medians: Sequence[float] = (),
    base: int = 0,
    is_complete: bool = False,
) -> ComparisonView:
    taken = {each.id: samples(median) for each, median in zip(runs, medians, strict=False)}
    found = compare_runs(runs, taken, base)
    shown = subject(*runs, contents=contents, base=base)
    return comparison_view(found, shown, texts or [TEXT] * len(runs), is_complete)


def row(shown: ComparisonView, title: str) -> RowView:
    return next(r for group in shown.groups for r in group.rows if r.title == title)


def cells(shown: ComparisonView, title: str) -> tuple[CellView, ...]:
    return row(shown, title).cells


def tiles(number: int, block: int, threads: int, time: float) -> Run:
    arguments = {"M": 4096, "block_M": block, "threads": threads}
    return run(number, {"time_us": time, "registers": block}, args=arguments)


def test_columns_are_named_by_what_differs() -> None:
    shown = view(tiles(0, 128, 128, 358.0), tiles(1, 256, 256, 206.0))
    assert [(h.letter, h.title, h.subtitle) for h in shown.heads] == [
        ("A", "128", "128 threads"),
        ("B", "256", "256 threads"),
    ]
    assert [head.is_base for head in shown.heads] == [True, False]
    assert shown.heads[0].mark is None  # one target needs no mark


def test_lines_that_name_a_differing_argument_show_each_run_with_its_values() -> None:
    shown = view(tiles(0, 128, 128, 358.0), tiles(1, 256, 256, 206.0))
    first, second = shown.code.columns
    assert [line.text for line in first] == [
        "with T.Kernel(32, threads=128) as bx:",
        'A_shared = T.alloc_shared((128, 32), "float16")',
    ]
    changed = [[span.text for span in line.spans if span.is_changed] for line in second]
    assert changed == [["16", "256"], ["256"]]
    assert shown.code.sentences[0] == "Same text, 2 arguments differ"


def test_texts_that_differ_are_told_word_by_word() -> None:
    other = TEXT.replace("(block_M, 32)", "(block_M, 33)")
    changed = tiles(1, 128, 128, 206.0)
    changed = run(1, {"time_us": 206.0}, args=changed.args, text_blob="b" * 64)
    shown = view(tiles(0, 128, 128, 358.0), changed, texts=[TEXT, other])
    (line,) = shown.code.columns[1]
    assert [span.text for span in line.spans if span.is_changed] == ["33"]
    assert line.line == 5
    assert shown.code.sentences[0] == "+1 \N{MINUS SIGN}1 lines, same arguments"


def test_a_text_that_is_not_kept_is_said() -> None:
    shown = view(tiles(0, 128, 128, 1.0), tiles(1, 256, 128, 2.0), texts=[TEXT, None])
    assert shown.code.empty == "The text of B is not kept."


def test_a_better_time_is_good_and_marked_and_a_worse_one_is_not() -> None:
    shown = view(
        *(run(n, {"time_us": t}) for n, t in enumerate((100.0, 80.0, 130.0))),
        medians=(100.0, 80.0, 130.0),
    )
    base, better, worse = cells(shown, "Time, median")
    assert (base.delta, base.is_best) == ("", False)
    assert (better.delta, better.delta_tone, better.is_best) == ("−20.0 %", "good", True)
    assert (worse.delta, worse.delta_tone) == ("+30.0 %", "error")


def test_a_difference_within_the_noise_is_greyed_and_says_so() -> None:
    runs = [run(n, {"time_us": t}) for n, t in enumerate((100.0, 100.4, 150.0))]
    shown = view(*runs, medians=(100.0, 100.4, 150.0))
    cell = cells(shown, "Time, median")[1]
    assert (cell.delta, cell.delta_tone) == ("within noise", "fg3")
    assert "chance explains" in cell.tip


def test_what_a_run_does_not_tell_is_unknown_and_no_zero() -> None:
    shown = view(run(0, {"registers": 168}), run(1, {"time_us": 5.0}))
    assert [cell.text for cell in cells(shown, "Registers a thread")] == ["168", "unknown"]


def test_resources_are_no_goal_in_themselves() -> None:
    shown = view(run(0, {"registers": 168}), run(1, {"registers": 240}))
    cell = cells(shown, "Registers a thread")[1]
    assert (cell.delta, cell.delta_tone, cell.is_best) == ("+42.9 %", "fg3", False)


def test_measured_and_predicted_are_rows_of_their_own() -> None:
    first = run(0, {"time_us": 100.0}, {"time_us": 90.0})
    shown = view(first, run(1, {"time_us": 50.0}, {"time_us": 60.0}))
    sources = [r.source for g in shown.groups for r in g.rows if r.title == "Time, median"]
    assert sources == [MetricSource.MEASURED, MetricSource.PREDICTED]


def test_the_conclusion_names_the_fastest_and_what_goes_with_it() -> None:
    first = run(0, {"time_us": 358.0, "l2.sm_sectors": 1000.0})
    shown = view(first, run(1, {"time_us": 179.0, "l2.sm_sectors": 750.0}))
    assert shown.conclusion == (
        "Run B is fastest, 2 × as fast as A. It moves 25 % less at L2 (measured)."
    )


def test_equally_fast_runs_share_the_first_place_and_the_note_says_why() -> None:
    (a, ca), (b, cb), (c, cc) = timed(0, 358.0), timed(1, 205.7), timed(2, 205.5)
    shown = view(a, b, c, contents={0: ca, 1: cb, 2: cc}, medians=(358.0, 205.7, 205.5))
    assert shown.conclusion.startswith("Runs B and C are equally fast, 1.74 × the baseline.")
    assert shown.note.startswith("C against B: −0.1 % in time")
    assert "so no winner is named" in shown.note


def test_runs_that_do_different_work_are_not_ranked() -> None:
    first = run(0, {"time_us": 10.0, "gb_s": 100.0})
    shown = view(first, run(1, {"time_us": 10.0, "gb_s": 200.0}))
    assert shown.conclusion.startswith("These runs do different work")
    cell = cells(shown, "Bandwidth")[1]
    assert (cell.delta, cell.delta_tone, cell.is_best) == ("+100 %", "fg3", False)


def test_a_batch_of_eight_is_other_work_than_one_though_it_moves_as_many_bytes() -> None:
    first = run(0, {"time_us": 12.0, "tflops": 8.0, "gb_s": 4200.0})
    shown = view(first, run(1, {"time_us": 12.0, "tflops": 64.0, "gb_s": 4200.0}))
    assert shown.conclusion.startswith("These runs do different work")


def test_a_failed_run_says_so_in_its_head() -> None:
    failed = run(1, status=RunStatus.FAILED, error="144 KiB of shared memory")
    shown = view(run(0, {"time_us": 10.0}), failed)
    assert (shown.heads[1].corner, shown.heads[1].corner_tone) == ("failed", "error")
    assert "144 KiB" in shown.heads[1].tip


def test_everything_that_is_known_is_behind_all_metrics() -> None:
    odd = {"time_us": 10.0, "sm_clock.low_mhz": 1845.0}
    short = view(run(0, odd), run(1, odd))
    complete = view(run(0, odd), run(1, odd), is_complete=True)
    assert not any(r.name == "sm_clock.low_mhz" for g in short.groups for r in g.rows)
    assert any(r.name == "sm_clock.low_mhz" for g in complete.groups for r in g.rows)
    assert short.hidden == 1


def test_what_was_asked_for_and_differs_has_rows_with_the_baselines_greyed() -> None:
    shown = view(run(0, target="h200"), run(1, target="a100"), run(2, target="h200"))
    found = cells(shown, "Target")
    assert [cell.text for cell in found] == ["h200", "a100", "h200"]
    assert [cell.value_tone for cell in found] == ["fg", "fg", "fg3"]


def test_shares_are_told_in_per_cent() -> None:
    metric = Metric(0.494, "", MetricSource.MEASURED, "")
    first = run(0, args={})
    first.metrics["occupancy"] = metric
    assert cells(view(first, run(1)), "Occupancy, possible")[0].text == "49.4"


def test_counters_that_differ_by_less_than_from_launch_to_launch_have_no_best() -> None:
    first, second = run(0, {"dram.read_bytes": 1000.0}), run(1, {"dram.read_bytes": 998.0})
    cell = cells(view(first, second), "HBM reads")[1]
    assert (cell.delta_tone, cell.is_best) == ("fg3", False)
    third = run(2, {"dram.read_bytes": 500.0})
    marked = [c.is_best for c in cells(view(first, second, third), "HBM reads")]
    assert marked == [False, False, True]


def test_predictions_of_several_shapes_are_not_ranked_either() -> None:
    double = replace(work(), sites=tuple(twice(site) for site in work().sites))
    small, large = (Content(None, analyzed(analysis(work=each))) for each in (work(), double))
    first = run(0, {}, {"time_us": 10.0})
    shown = view(first, run(1, {}, {"time_us": 20.0}), contents={0: small, 1: large})
    assert shown.conclusion.startswith("These runs do different work")


def twice(site: WorkSite) -> WorkSite:
    return replace(site, flops=(site.flops or 0) * 2)
