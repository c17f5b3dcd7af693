"""Names columns of a comparison by what tells their runs apart: tiles, arguments, target, case."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.runs import Run

_TILES = ("block_M", "block_N", "block_K")
#: Arguments that read better as a number of something.
_COUNTED = {"num_stages": "stages", "threads": "threads", "stages": "stages"}
_SHAPES = ("M", "N", "K")
_MOST = 3  # arguments in a second line


@dataclass(frozen=True)
class ColumnTitle:
    """What stands at the head of a column: a short title, and a second line, "" without any."""

    title: str
    subtitle: str


def column_titles(runs: Sequence[Run], label: Callable[[Run], str]) -> tuple[ColumnTitle, ...]:
    """The titles of runs beside each other; `label` gives the short name of a run's target."""
    differing = _differing(runs)
    labels = [label(run) for run in runs]
    has_targets = len(set(labels)) > 1
    titles = [_title(run, runs, differing, labels[at]) for at, run in enumerate(runs)]
    return tuple(
        ColumnTitle(title, _subtitle(run, runs, differing, labels[at] if has_targets else "", used))
        for at, (run, (title, used)) in enumerate(zip(runs, titles, strict=True))
    )


def _differing(runs: Sequence[Run]) -> tuple[str, ...]:
    """The arguments that all runs have and that are not the same in all."""
    names = dict.fromkeys(name for run in runs for name in run.args)
    return tuple(
        name
        for name in names
        if all(name in run.args for run in runs) and len({repr(run.args[name]) for run in runs}) > 1
    )


def _title(
    run: Run, runs: Sequence[Run], differing: Sequence[str], label: str
) -> tuple[str, tuple[str, ...]]:
    """The title, and the arguments that it tells."""
    if len({each.kernel for each in runs}) > 1:
        return run.kernel or "script", ()
    if any(name in differing for name in _TILES):
        used = tuple(name for name in _TILES if name in run.args)
        return " × ".join(_text(run.args[name]) for name in used), used
    shapes = tuple(name for name in _SHAPES if name in differing)
    if shapes:
        return " × ".join(_text(run.args[name]) for name in shapes), shapes
    if differing:
        name = differing[0]
        return f"{name} {_text(run.args[name])}", (name,)
    if len({each.target for each in runs}) > 1:
        return label, ()
    if len({each.case for each in runs}) > 1:
        return run.case or "no case", ()
    return f"{run.created.astimezone():%d %b %H:%M:%S}", ()


def _subtitle(
    run: Run, runs: Sequence[Run], differing: Sequence[str], label: str, used: Sequence[str]
) -> str:
    rest = [name for name in differing if name not in used and name not in _COUNTED]
    rest += [name for name in _COUNTED if name in differing]
    if used[:1] == ("block_M",):  # what a tile is loaded and computed with
        rest += [name for name in _COUNTED if name in run.args and name not in rest]
    parts = [_counted(name, run.args[name]) for name in rest[:_MOST]]
    title_is_target = len({each.kernel for each in runs}) == 1 and not differing
    if label and not title_is_target:
        parts.append(label)
    if not parts:
        has_documents = len({each.document for each in runs}) > 1
        parts = [part for part in (run.case, _document(run) if has_documents else "") if part]
    return " · ".join(parts)


def _counted(name: str, value: Any) -> str:
    return f"{_text(value)} {_COUNTED[name]}" if name in _COUNTED else f"{name} {_text(value)}"


def _text(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, int):
        return str(value)
    return f"{value:,}"


def _document(run: Run) -> str:
    return (run.document or "").rsplit("/", 1)[-1]
