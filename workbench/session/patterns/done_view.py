"""The last page: why the kernel is as it is, how to test it, and what it would replace."""

from __future__ import annotations

import enum
from dataclasses import dataclass

from workbench.core.patterns.model import Why
from workbench.session.code_unified import UnifiedText, unify
from workbench.session.patterns.resolved import Resolved
from workbench.session.patterns.words import joined
from workbench.session.text_differences import compare


@dataclass(frozen=True)
class Source:
    """The document that would be replaced: its title, its text now, and whether that was edited."""

    title: str
    text: str
    is_edited: bool


@dataclass(frozen=True)
class DoneView:
    """`action` is what the main button does; `other` what one beside it does, "" for none.

    `difference` is there where a document is replaced or was ported; `warning` says what of a
    person's would go.
    """

    sentence: str
    action: str
    why: tuple[Why, ...]
    tests: tuple[str, ...]
    performance: str
    other: str = ""
    difference: UnifiedText | None = None
    warning: str = ""


class Checked(enum.Enum):
    """What the checks came to."""

    GOOD = "good"
    BAD = "bad"
    NOT = "not"


def done_view(resolved: Resolved, checked: Checked, source: Source | None) -> DoneView | None:
    """The page of a legal draft; `source` is the document that it came from."""
    generated = resolved.generated
    if generated is None or not resolved.is_legal:
        return None
    name = f"{generated.kernel}.py"
    reopened = resolved.draft.reopened
    replaces = source is not None and reopened is not None and not reopened.ported
    difference = None
    if source is not None:
        lines = compare(source.text.splitlines(), generated.text.splitlines())
        difference = unify(lines) if lines.changes else None
    same = source is not None and difference is None
    sentence = _same(source) if same and source else _readiness(resolved, generated.kernel, checked)
    if difference is not None and source is not None:
        sentence = f"{_changes(resolved, difference)} {sentence}"
    return DoneView(
        sentence,
        f"Replace the text of {source.title}"
        if replaces and source and not same
        else "Open as a document",
        generated.why,
        _tests(name, generated.real_case),
        _performance(generated.text),
        "Open as a new document" if replaces and not same else "",
        difference,
        _warning(source) if replaces and source is not None and not same else "",
    )


def _readiness(resolved: Resolved, kernel: str, checked: Checked) -> str:
    if checked is Checked.BAD:
        return f"{kernel} can be opened, but failed its checks: the step before says which."
    if checked is Checked.NOT:
        return f"{kernel} is ready: not checked; Check does that."
    return f"{kernel} is ready: checked for {joined(resolved.labels)}."


def _same(source: Source) -> str:
    return f"Nothing changes: {source.title} has these choices already."


def _changes(resolved: Resolved, difference: UnifiedText) -> str:
    added, removed = difference.difference.added, difference.difference.removed
    reopened = resolved.draft.reopened
    what = f"{added} lines are added and {removed} removed"
    if reopened is not None and reopened.ported:
        return f"Ported from {reopened.title}: {what}."
    return f"{what[0].upper()}{what[1:]}."


def _warning(source: Source) -> str:
    if not source.is_edited:
        return ""
    return (
        f"{source.title} was edited since it was generated. What was written by hand is among the "
        "lines that go below; opening a new document keeps both."
    )


def _tests(name: str, case: str) -> tuple[str, ...]:
    return (
        f"python -m workbench verify {name}",
        f"python -m workbench export {name} -o exported && python -m pytest exported",
        f"python -m workbench profile {name} --case {case}",
    )


def _performance(text: str) -> str:
    """What the document says of its performance: a measurement, or that there is none."""
    lines = text.splitlines()
    start = next((at for at, line in enumerate(lines) if line.startswith("Performance: ")), None)
    if start is None:
        return "Not measured."
    end = next(at for at in range(start, len(lines)) if lines[at].startswith('"""'))
    said = " ".join(lines[start:end]).removeprefix("Performance: ")
    return f"{said[0].upper()}{said[1:]}"
