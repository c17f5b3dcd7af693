"""Says in a sentence what a verification found, and no more than its data shows."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from workbench.core.jobs import BlockSample, Failure, OutputComparison
from workbench.core.mismatches import amount, times_tolerance
from workbench.session.verification_errors import Array
from workbench.session.verification_output import OutputView

NOT_VERIFIED = (
    "Not verified yet: a run in the simulator compares every element of the output with the "
    "reference, without a GPU."
)
UNTRUSTED = (
    "The folder is not trusted yet, so nothing of it was run: verifying executes the kernel file."
)
_LEAST_TILE = 4  # rows of a shorter tile are no pattern
_MOST_NAMED = 4
_STEPS = {
    "kernel": "The kernel did not get as far as a comparison",
    "environment": "It could not be run here",
    "timeout": "It took longer than allowed",
    "memory": "It needed more memory than allowed",
    "crash": "The run crashed",
    "internal": "The workbench failed",
}


def failure_sentence(failure: Failure) -> str:
    """Why there is no comparison: a strong clause, then the message."""
    lead = _STEPS.get(failure.kind, "There is no comparison")
    message = failure.message.strip().split("\n", 1)[0]
    return f"{lead}: {message}" if message else f"{lead}."


def pass_sentence(
    outputs: Sequence[OutputView], seeds: int, sample: BlockSample | None = None
) -> str:
    """Everything that was compared agrees with the reference."""
    names = _listed([output.name for output in outputs])
    total = sum(output.comparison.total for output in outputs)
    verb = "agrees" if len(outputs) == 1 else "agree"
    with_seeds = f", with {seeds} seeds" if seeds > 1 else ""
    agreed = f"{names} {verb} with the reference in all {total:,} {_elements(total)}{with_seeds}"
    if sample is not None:
        others = sample.blocks_total - sample.blocks_run
        agreed = f"{_capital(sample.text)}, and in these {agreed}"
        agreed = f"{agreed}. Nothing is said of the other {others:,}"
    return f"{agreed}. {_largest_share(outputs)}".strip()


def others_not_run(sample: BlockSample) -> str:
    """What a sample leaves open."""
    others = sample.blocks_total - sample.blocks_run
    return f"{_capital(sample.text)}: nothing is said of the other {others:,}."


def evidence(comparison: OutputComparison) -> str:
    """How sure it is what kind of wrong an output is, and where to look; empty where untold."""
    return " ".join(
        f"{_capital(s.confidence)} evidence, from {s.examined:,} elements: {s.hint}."
        for s in comparison.signatures
    )


def _capital(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}"


def wrong_sentence(
    output: OutputView, outputs: Sequence[OutputView], failed: Sequence[int], seeds: Sequence[int]
) -> str:
    """Something is wrong: how much of `output`, where it lies, and what else is."""
    first = f"{amount(output.comparison)}{_where(output)}."
    signatures = output.comparison.signatures
    looks = [signature.sentence for signature in signatures]
    rest = looks or [_about_nan(output.comparison)]
    rest += [_within(output), _times(output)]
    rest += [_other_outputs(output, outputs), _other_seeds(failed, seeds)]
    return " ".join([first, *(clause for clause in rest if clause)])


def passing_seed_sentence(seed: int, failed: Sequence[int]) -> str:
    """The seed that is shown passes, others do not."""
    numbers = _listed([str(each) for each in failed])
    return (
        f"Seed {seed} passes, but {'seed' if len(failed) == 1 else 'seeds'} {numbers} "
        f"{'does' if len(failed) == 1 else 'do'} not."
    )


def _where(output: OutputView) -> str:
    """The one block, row or column of blocks that has all wrong elements."""
    counts = output.counts
    comparison = output.comparison
    if counts is None or not output.layout.is_block_grid or comparison.mismatched == 1:
        return ""
    row, column = _only(counts.by_row), _only(counts.by_column)
    rows, columns = output.layout.rows, output.layout.columns
    names = []
    if column is not None:
        names.append(output.band_label(columns, column))
    if row is not None:
        names.append(output.band_label(rows, row))
    if not names:
        return ""
    is_one = len(names) == 2 or 1 in counts.by_tile.shape
    return f", all in the {'block' if is_one else 'blocks of'} {', '.join(names)}"


def _within(output: OutputView) -> str:
    """The rows, and the columns, of a block in which all wrong elements lie."""
    counts = output.counts
    if counts is None or not output.layout.is_block_grid or output.comparison.mismatched < 2:
        return ""
    spans = [
        _span(noun, along)
        for noun, along in (
            ("row", counts.by_row_within),
            ("element" if output.layout.is_vector else "column", counts.by_column_within),
        )
        if len(along) >= _LEAST_TILE and 0 < np.count_nonzero(along) <= len(along) // 2
    ]
    named = [span for span in spans if span]
    return f"Within a block they lie in {' and '.join(named)}." if named else ""


def _span(noun: str, along: Array) -> str:
    """Where counts are, such as "rows 96–127"; nothing where they are scattered."""
    places = [int(place) for place in np.flatnonzero(along)]
    if len(places) == 1:
        return f"{noun} {places[0]}"
    if places[-1] - places[0] == len(places) - 1:
        return f"{noun}s {places[0]}–{places[-1]}"
    if len(places) <= _MOST_NAMED:
        return f"{noun}s {_listed([str(place) for place in places])}"
    return ""


def _times(output: OutputView) -> str:
    share = output.tolerance_share
    if share is None or share <= 1 or not np.isfinite(share):
        return ""
    return f"The largest error is {times_tolerance(share)}."


def _about_nan(comparison: OutputComparison) -> str:
    if not comparison.nonfinite or not comparison.mismatched:
        return ""
    start = (
        "Outputs and on-chip memory start as NaN here: look for an element that no block writes, "
        "or a buffer that is read before it is written."
    )
    if comparison.nonfinite == comparison.total:
        return start
    count = comparison.nonfinite
    verb = "is" if count == 1 else "are"
    return f"{count:,} {_elements(count)} {verb} NaN or infinite. {start}"


def _other_outputs(output: OutputView, outputs: Sequence[OutputView]) -> str:
    others = [o for o in outputs if o.comparison.index != output.comparison.index]
    wrong = [o.name for o in others if o.comparison.mismatched]
    right = [o.name for o in others if not o.comparison.mismatched]
    parts = [
        f"{_listed(names)} {'is' if len(names) == 1 else 'are'} {word}"
        for names, word in ((wrong, "wrong too"), (right, "right"))
        if names
    ]
    return f"{', '.join(parts)}." if parts else ""


def _other_seeds(failed: Sequence[int], seeds: Sequence[int]) -> str:
    passed = [str(seed) for seed in seeds if seed not in failed]
    if not passed:
        return ""
    return f"With {'seed' if len(passed) == 1 else 'seeds'} {_listed(passed)} it passes."


def _largest_share(outputs: Sequence[OutputView]) -> str:
    shares = [output.tolerance_share for output in outputs]
    known = [share for share in shares if share is not None]
    if not known or len(known) < len(shares):
        return ""
    if max(known) == 0:
        return "Every element is equal."
    return f"The largest error is {max(known):.2g} of its tolerance."


def _only(counts: Array) -> int | None:
    """The one place with a count, where there are others without."""
    places = np.flatnonzero(counts)
    return int(places[0]) if len(places) == 1 and len(counts) > 1 else None


def _elements(count: int) -> str:
    return "element" if count == 1 else "elements"


def _listed(names: Sequence[str]) -> str:
    if len(names) < 2:
        return "".join(names)
    return f"{', '.join(names[:-1])} and {names[-1]}"
