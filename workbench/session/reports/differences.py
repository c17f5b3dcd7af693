"""The lines in which the texts of runs differ from the base's, as a report shows them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.comparison.tables import letter
from workbench.session.code_unified import UnifiedText, unify
from workbench.session.comparison_desk import Loaded
from workbench.session.comparison_view.model import Span
from workbench.session.text_differences import Change, compare

MOST_LINES = 1_000
_SIGNS = {Change.ADDED: "+", Change.REMOVED: "-"}


@dataclass(frozen=True)
class DifferenceLine:
    """A line of a difference. `sign` is "+", "-", " ", or "@" for lines that are left out."""

    sign: str
    number: int | None
    spans: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The line as it is read."""
        return "".join(span.text for span in self.spans)


@dataclass(frozen=True)
class TextDifference:
    """How the text of some columns differs from the base's; `reason` says why it is not known."""

    letters: str
    base: str
    added: int = 0
    removed: int = 0
    lines: tuple[DifferenceLine, ...] = ()
    reason: str = ""


def text_differences(loaded: Loaded) -> tuple[TextDifference, ...]:
    """One difference for each text that is another than the base's."""
    runs, base = loaded.found.runs, loaded.found.base
    own = runs[base].text_blob
    groups: dict[str | None, list[int]] = {}
    for at, run in enumerate(runs):
        if run.text_blob != own:
            groups.setdefault(run.text_blob, []).append(at)
    return tuple(_difference(loaded, positions) for positions in groups.values())


def _difference(loaded: Loaded, positions: list[int]) -> TextDifference:
    base = loaded.found.base
    letters = ", ".join(letter(at) for at in positions)
    before, after = loaded.texts[base], loaded.texts[positions[0]]
    if before is None or after is None:
        lost = letter(base) if before is None else letters
        return TextDifference(letters, letter(base), reason=f"The text of {lost} is not kept.")
    found = compare(before.splitlines(), after.splitlines())
    lines = tuple(_shown(unify(found)))
    if len(lines) > MOST_LINES:
        rest = f"{len(lines) - MOST_LINES:,} more lines are left out of this report"
        lines = (*lines[:MOST_LINES], DifferenceLine("@", None, (Span(rest),)))
    return TextDifference(letters, letter(base), found.added, found.removed, lines)


def _shown(text: UnifiedText) -> Iterator[DifferenceLine]:
    """The rows, each fold of equal ones told as one."""
    folds = dict(text.folds)
    row = 0
    while row < len(text.lines):
        end = folds.get(row)
        if end is not None:
            yield DifferenceLine("@", None, (Span(f"{end - row:,} equal lines"),))
            row = end
            continue
        yield _line(text, row)
        row += 1


def _line(text: UnifiedText, row: int) -> DifferenceLine:
    line = text.lines[row]
    place = line.left if line.right is None else line.right
    spans, at = [], 0
    for start, end in text.words(row):
        spans += [Span(line.text[at:start]), Span(line.text[start:end], True)]
        at = end
    spans.append(Span(line.text[at:]))
    number = None if place is None else place + 1
    return DifferenceLine(
        _SIGNS.get(line.change, " "), number, tuple(span for span in spans if span.text)
    )
