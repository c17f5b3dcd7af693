"""Resolves the result of a verification into what its pane shows, once and for all."""

from __future__ import annotations

import enum
import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import (
    BlockSample,
    Failure,
    OutputComparison,
    SeedResult,
    VerifyResult,
)
from workbench.session import verification_words as words
from workbench.session.verification_errors import Array
from workbench.session.verification_output import OutputView, output_view

BINS = 8
BANDS = 4


class Outcome(enum.Enum):
    """What became of a verification."""

    NONE = "none"
    UNTRUSTED = "untrusted"
    ERROR = "error"
    PASS = "pass"
    SAMPLED_PASS = "sampled-pass"
    MISMATCH = "mismatch"


@dataclass(frozen=True)
class Subject:
    """What is to be shown: a result with its blobs, and what stands around it.

    `on` names where it ran; `stale` says that the document has changed since.
    """

    result: VerifyResult | None = None
    blobs: tuple[bytes, ...] = ()
    on: str = "simulator"
    trusted: bool = True
    stale: bool = False


@dataclass(frozen=True)
class Choice:
    """Which output (by parameter number) and which seed to show; None: the one that says most."""

    output: int | None = None
    seed: int | None = None


@dataclass(frozen=True)
class Option:
    """One output or seed to choose: its number, its name, and how many elements are wrong."""

    key: int
    name: str
    wrong: int


@dataclass(frozen=True)
class Figures:
    """The strip of figures of one output; None is unknown."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    wrong: int
    total: int
    largest_error: float | None
    relative_frobenius: float | None
    rtol: float
    atol: float
    tolerance_source: str
    seeds_passed: int
    seeds: int


@dataclass(frozen=True)
class Count:
    """So many wrong elements in one row or column of blocks, or in a range of them."""

    label: str
    wrong: int


@dataclass(frozen=True)
class CountGroup:
    """Counts under a title, to be drawn as bars."""

    title: str
    counts: tuple[Count, ...]


@dataclass(frozen=True, eq=False)
class VerificationView:
    """What the pane shows; the parts that an outcome does not have are None or empty.

    The conclusion's first clause is the answer, the rest explains it. `sample` is None where all
    blocks were run. `evidence` says how sure the kind of wrong is, and where to look. `where` names
    another place than this machine's simulator. `reading` says what to do about which of reference,
    simulator and device agree, `sanitized` what compute-sanitizer found.
    """

    outcome: Outcome
    conclusion: str
    stale: bool = False
    on: str = "simulator"
    failure: Failure | None = None
    output: OutputView | None = None
    seed: int | None = None
    outputs: tuple[Option, ...] = ()
    seeds: tuple[Option, ...] = ()
    figures: Figures | None = None
    groups: tuple[CountGroup, ...] = ()
    passes: tuple[str, ...] = ()
    method: str | None = None
    caveats: tuple[str, ...] = ()
    findings: tuple[Diagnostic, ...] = ()
    sample: BlockSample | None = None
    evidence: str = ""
    where: str = ""
    reading: str = ""
    sanitized: tuple[str, ...] = ()


def resolve(subject: Subject, choice: Choice | None = None) -> VerificationView:
    """What there is to show of a verification."""
    choice = choice or Choice()
    result = subject.result
    if result is None or (result.failure is None and not result.seeds):
        outcome = Outcome.NONE if subject.trusted else Outcome.UNTRUSTED
        sentence = words.NOT_VERIFIED if subject.trusted else words.UNTRUSTED
        return VerificationView(outcome, sentence)
    if result.failure is not None:
        return _failed(subject, result, result.failure)
    return _compared(subject, result, choice)


def _failed(subject: Subject, result: VerifyResult, failure: Failure) -> VerificationView:
    return VerificationView(
        Outcome.ERROR,
        words.failure_sentence(failure),
        subject.stale,
        subject.on,
        failure,
        caveats=result.caveats,
        findings=result.diagnostics,
        where=_where(subject, result),
    )


def _where(subject: Subject, result: VerifyResult) -> str:
    """The device and the host, or another place than the simulator here."""
    if subject.on == "simulator":
        return ""
    host, _, _ = subject.on.partition(":")
    if result.device is None:
        return subject.on
    return result.device if host == "local" else f"{result.device} · {host}"


def _compared(subject: Subject, result: VerifyResult, choice: Choice) -> VerificationView:
    seed = _chosen_seed(result.seeds, choice.seed)
    sample = result.sample
    views = [output_view(each, subject.blobs, sample is not None) for each in seed.outputs]
    output = _chosen_output(views, choice.output)
    passed = all(each.passed for each in result.seeds)
    return VerificationView(
        _outcome(passed, sample),
        _with_reading(_conclusion(result, seed, output, views), result),
        subject.stale,
        subject.on,
        output=output,
        seed=seed.seed,
        outputs=tuple(Option(v.comparison.index, v.name, v.comparison.mismatched) for v in views),
        seeds=tuple(Option(s.seed, f"seed {s.seed}", _wrong_in(s)) for s in result.seeds),
        figures=_figures(output.comparison, result.seeds) if output else None,
        groups=_groups(output) if output else (),
        passes=_passes(output) if output else (),
        method=result.reference_method,
        caveats=result.caveats,
        findings=result.diagnostics,
        sample=sample,
        evidence=words.evidence(output.comparison) if output else "",
        where=_where(subject, result),
        reading=_hint(result),
        sanitized=tuple(f"{tool}: {said}" for tool, said in result.sanitized.items()),
    )


def _with_reading(sentence: str, result: VerifyResult) -> str:
    """The conclusion with which of reference, simulator and device agree."""
    return f"{sentence} {result.three_way.sentence}" if result.three_way is not None else sentence


def _hint(result: VerifyResult) -> str:
    hint = result.three_way.hint if result.three_way is not None else None
    return f"{hint[:1].upper()}{hint[1:].rstrip('.')}." if hint else ""


def _outcome(passed: bool, sample: BlockSample | None) -> Outcome:
    if not passed:
        return Outcome.MISMATCH
    return Outcome.PASS if sample is None else Outcome.SAMPLED_PASS


def _chosen_seed(seeds: Sequence[SeedResult], wanted: int | None) -> SeedResult:
    """The one that is wanted, else the first that fails, else the first."""
    chosen = [s for s in seeds if s.seed == wanted]
    failing = [s for s in seeds if not s.passed]
    return (chosen or failing or list(seeds))[0]


def _chosen_output(views: Sequence[OutputView], wanted: int | None) -> OutputView | None:
    """The one that is wanted, else the one with the largest part wrong, else the first."""
    chosen = [v for v in views if v.comparison.index == wanted]
    if chosen or not views:
        return chosen[0] if chosen else None
    return max(views, key=lambda v: v.comparison.mismatched / max(1, v.comparison.total))


def _conclusion(
    result: VerifyResult,
    seed: SeedResult,
    output: OutputView | None,
    views: Sequence[OutputView],
) -> str:
    seeds, sample = result.seeds, result.sample
    failed = [each.seed for each in seeds if not each.passed]
    if output is None:
        return "The kernel has no output: there is nothing to compare."
    if not failed:
        return words.pass_sentence(views, len(seeds), sample)
    if seed.passed:
        return words.passing_seed_sentence(seed.seed, failed)
    shown = output if output.comparison.mismatched else _chosen_output(views, None) or output
    wrong = words.wrong_sentence(shown, views, failed, [each.seed for each in seeds])
    return wrong if sample is None else f"{wrong} {words.others_not_run(sample)}"


def _figures(comparison: OutputComparison, seeds: Sequence[SeedResult]) -> Figures:
    return Figures(
        comparison.name,
        comparison.dtype,
        tuple(comparison.shape),
        comparison.mismatched,
        comparison.total,
        comparison.max_abs,
        comparison.rel_fro,
        comparison.rtol,
        comparison.atol,
        comparison.tolerance_source,
        sum(each.passed for each in seeds),
        len(seeds),
    )


def _wrong_in(seed: SeedResult) -> int:
    return sum(output.mismatched for output in seed.outputs)


def _groups(output: OutputView) -> tuple[CountGroup, ...]:
    counts, layout = output.counts, output.layout
    comparison = output.comparison
    if counts is None or comparison.mismatched in (0, comparison.total):
        return ()
    groups, rows_and_columns = [], []
    if layout.is_block_grid:
        for title, parts, along in (
            ("Wrong by block column", layout.columns, counts.by_column),
            (
                "Wrong by block" if layout.is_vector else "Wrong by block row",
                layout.rows,
                counts.by_row,
            ),
        ):
            if len(along) > 1:
                name = functools.partial(output.band_label, parts)
                rows_and_columns.append(CountGroup(title, _binned(along, name, BINS)))
    title = "Wrong by row within a block" if layout.is_block_grid else "Wrong by row"
    groups.append(CountGroup(title, _binned(counts.by_row_within, str, BANDS)))
    if len(counts.by_row_within) == 1 or not layout.is_block_grid:
        title = title.replace("row", "element" if layout.is_vector else "column")
        groups.append(CountGroup(title, _binned(counts.by_column_within, str, BANDS)))
    # What tells most comes first: one place that has everything, not all of them alike.
    found = [group for group in (*rows_and_columns, *groups) if len(group.counts) > 1]
    return tuple(sorted(found, key=_evenness))


def _evenness(group: CountGroup) -> float:
    """0 where one place has everything, 1 where all have the same, in steps of a quarter."""
    counts = [count.wrong for count in group.counts]
    share = max(counts) / sum(counts)
    return round(4 * (1 - share) / (1 - 1 / len(counts))) / 4


def _binned(along: Array, name: Callable[[int], str], most: int) -> tuple[Count, ...]:
    """At most `most` counts, of ranges of equal length where there are more places."""
    step = -(-len(along) // most)
    return tuple(
        Count(
            _range_name(name, at, min(at + step, len(along)) - 1), int(along[at : at + step].sum())
        )
        for at in range(0, len(along), step)
    )


def _range_name(name: Callable[[int], str], first: int, last: int) -> str:
    return name(first) if first == last else f"{name(first)}–{name(last).rsplit(' ', 1)[-1]}"


def _passes(output: OutputView) -> tuple[str, ...]:
    comparison = output.comparison
    lines = []
    if output.blocks_right is not None:
        right, total = output.blocks_right
        ran = " that ran" if output.ran is not None else ""
        lines.append(f"{right:,} of {total:,} {'block' if total == 1 else 'blocks'}{ran} are right")
    if comparison.nonfinite:
        lines.append(f"{comparison.nonfinite:,} NaN or infinite")
    else:
        lines.append("no NaN, no infinity")
    return tuple(lines)
