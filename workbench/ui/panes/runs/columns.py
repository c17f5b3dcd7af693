"""The columns of the run list."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from functools import cached_property

from workbench.core.figures import figure
from workbench.core.history import FileIdentity
from workbench.core.runs import Run
from workbench.session.document_runs import ran_text
from workbench.ui.panes.runs.wording import (
    KIND_WORDS,
    STATUS_LOOKS,
    Headline,
    arguments_text,
    conclusion,
    headline,
    when,
)
from workbench.ui.widgets.data_table import Cell, Column

#: The column that a list of a file's runs has.
TEXT = "text"


@dataclass(frozen=True)
class RunRow:
    """A run, the day on which it is looked at, and the file whose runs are listed, if any.

    It may be of the `same_code` as the file, with other comments.
    """

    run: Run
    today: date
    file: FileIdentity | None = None
    same_code: bool = False

    @property
    def ran_text(self) -> bool | None:
        """Whether it ran the text that the file has; None where that is not known."""
        return ran_text(self.run, self.file.text) if self.file is not None else None

    @property
    def is_other(self) -> bool:
        """Whether it ran another program than the file is now."""
        return self.ran_text is False and not self.same_code

    @cached_property
    def headline(self) -> Headline | None:
        """The figure that stands for the run."""
        return headline(self.run)


def _kind(row: RunRow) -> Cell:
    look = STATUS_LOOKS[row.run.status]
    return Cell(KIND_WORDS[row.run.kind], icon=look.icon, icon_tone=look.tone)


def _kind_tip(row: RunRow) -> str:
    return f"{STATUS_LOOKS[row.run.status].word}: {conclusion(row.run)}"


def _status(row: RunRow) -> Cell:
    look = STATUS_LOOKS[row.run.status]
    return Cell(look.word, tone=look.tone)


def _kernel(row: RunRow) -> Cell:
    run = row.run
    icon, tip = "pin" if run.pinned else None, ", ".join(run.documents) or "never saved"
    if row.is_other:
        return Cell(run.kernel or "", tone="fg3", icon=icon, tip=tip)
    return Cell(run.kernel or "", strong=True, icon=icon, tip=tip)


def _case(row: RunRow) -> Cell:
    """The case; a pencil says that arguments differ, where there is no room for them."""
    title = row.run.case_title() or ""
    return Cell(title, icon="pencil" if row.run.overrides else None, tip=title)


def _figure(row: RunRow) -> Cell:
    best = row.headline
    if best is None:
        return Cell("", sort=None)
    shown = best.figure
    tone = "fg3" if row.is_other else "fg"
    return Cell(shown.text, shown.unit, best.metric.value, tone=tone)


def _figure_tip(row: RunRow) -> str:
    best = row.headline
    return "" if best is None else f"{best.label}: {best.figure}, {best.origin}"


def _origin(row: RunRow) -> Cell:
    best = row.headline
    return Cell(best.origin if best else "", tone="fg3")


def _when(row: RunRow) -> Cell:
    created = row.run.created
    return Cell(when(created, row.today), sort=created.timestamp(), tone="fg3")


def _when_tip(row: RunRow) -> str:
    return f"{row.run.created.astimezone():%Y-%m-%d %H:%M:%S %z}"


def _text(row: RunRow) -> Cell:
    """A run of an earlier or another text says so, and is greyed."""
    if row.ran_text is None:
        return Cell("not kept" if row.file is not None else "", sort=None, tone="fg3")
    if row.is_other:
        return Cell("another", tone="fg3")
    return Cell("this one" if row.ran_text else "same code")


def _text_tip(row: RunRow) -> str:
    if row.file is None or row.ran_text is None:
        return ""
    if row.ran_text:
        return f"It ran the text of {row.file.name}"
    if row.same_code:
        return f"It ran the code of {row.file.name}, with other comments or docstrings"
    return f"It ran another text than {row.file.name} has now"


def _took(row: RunRow) -> Cell:
    if row.run.seconds is None:
        return Cell("", sort=None)
    shown = figure(row.run.seconds, "s")
    return Cell(shown.text, shown.unit, row.run.seconds)


COLUMNS: tuple[Column[RunRow], ...] = (
    Column("kind", "Run", _kind, width=96, tip="What was done, and how it ended", tip_of=_kind_tip),
    Column("status", "Ended", _status, width=84, visible=False),
    Column("kernel", "Kernel", _kernel, width=112),
    Column(TEXT, "Text", _text, width=96, visible=False, tip="Which text it ran", tip_of=_text_tip),
    Column("case", "Case", _case, width=200),
    Column("target", "Target", lambda row: Cell(row.run.target or ""), width=68),
    Column(
        "figure",
        "Figure",
        _figure,
        numeric=True,
        width=178,
        tip="What stands for the run",
        tip_of=_figure_tip,
    ),
    Column("when", "When", _when, width=128, tip_of=_when_tip),
    Column("origin", "Origin", _origin, width=176, tip="Measured or predicted, and how"),
    Column("took", "Took", _took, numeric=True, width=84, visible=False),
    Column("host", "Host", lambda row: Cell(row.run.host or ""), visible=False),
    Column(
        "arguments",
        "Arguments",
        lambda row: Cell(arguments_text(row.run), code=True),
        width=280,
        visible=False,
    ),
    Column(
        "document",
        "Document",
        lambda row: Cell(", ".join(row.run.documents) or "never saved"),
        width=160,
        visible=False,
    ),
    Column("id", "Id", lambda row: Cell(row.run.id, code=True), width=180, visible=False),
)
