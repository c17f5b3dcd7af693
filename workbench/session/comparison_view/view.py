"""Resolves a comparison into all that its view shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from workbench.core.comparison.comparing import RunComparison
from workbench.core.comparison.titles import ColumnTitle, column_titles
from workbench.core.runs import Run
from workbench.session.charts.subject import ChartRun, ChartSubject
from workbench.session.charts.work import does_different_work
from workbench.session.comparison_view.code import code_block
from workbench.session.comparison_view.model import ColumnHead, ComparisonView, GroupView
from workbench.session.comparison_view.rows import all_groups, settings_group, short_groups
from workbench.session.comparison_view.words import conclusion, corner, facts, note


def comparison_view(
    found: RunComparison,
    subject: ChartSubject,
    texts: Sequence[str | None],
    is_complete: bool = False,
) -> ComparisonView:
    """The view of a comparison; `subject` has its runs, `texts` are what they ran.

    `is_complete` shows every metric, else those that tell most.
    """
    columns = subject.columns
    labels = {run.run.id: run.label for run in columns}
    titles = column_titles(found.runs, lambda run: labels[run.id])
    has_targets = len({run.label for run in columns}) > 1
    heads = tuple(
        _head(column, title, at == found.base, has_targets)
        for at, (column, title) in enumerate(zip(columns, titles, strict=True))
    )
    is_fair = not does_different_work(columns)
    short = short_groups(found, is_fair)
    groups = all_groups(found, is_fair) if is_complete else short
    asked = settings_group(found, found.base)
    return ComparisonView(
        conclusion(found, subject),
        facts(subject),
        heads,
        code_block(found.runs, texts, found.base),
        (*groups, *([asked] if asked is not None else [])),
        note(subject),
        max(0, _count(all_groups(found)) - _count(short)),
    )


def filtered(view: ComparisonView, text: str) -> ComparisonView:
    """The view with the rows alone in whose group, title or name each word of `text` occurs."""
    words = text.lower().split()
    if not words:
        return view
    groups = []
    for group in view.groups:
        rows = tuple(
            row
            for row in group.rows
            if all(word in f"{group.title} {row.title} {row.name}".lower() for word in words)
        )
        groups += [replace(group, rows=rows)] if rows else []
    return replace(view, groups=tuple(groups))


def _count(groups: Sequence[GroupView]) -> int:
    return sum(len(group.rows) for group in groups)


def _head(column: ChartRun, title: ColumnTitle, is_base: bool, has_targets: bool) -> ColumnHead:
    run = column.run
    text, tone = corner(run)
    mark = column.mark if has_targets else None
    return ColumnHead(
        run.id,
        column.letter,
        title.title,
        title.subtitle,
        text,
        tone,
        is_base,
        run.pinned,
        mark,
        _tip(run, column),
        column.label,
    )


def _tip(run: Run, column: ChartRun) -> str:
    """All that a run was asked for and where, in lines."""
    arguments = ", ".join(f"{name} = {value}" for name, value in run.args.items())
    lines = [
        f"{run.kernel or 'script'}, {run.kind.value.replace('_', ' ')} of "
        f"{run.created.astimezone():%d %b %Y %H:%M:%S}",
        f"{column.label}" + (f" on {run.device}" if run.device else ""),
        *([arguments] if arguments else []),
        *([run.document] if run.document else []),
        *([run.error] if run.error else []),
        *([f"note: {run.note}"] if run.note else []),
        f"run {run.id}",
    ]
    return "\n".join(lines)
