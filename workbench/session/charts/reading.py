"""Makes the subject of charts of runs of a history, with those of the same kernel elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from workbench.core.comparison.tables import letter
from workbench.core.comparison.titles import column_titles
from workbench.core.history import History, HistoryError, RunFilter
from workbench.core.plain import PlainError
from workbench.core.runs import Run, RunKind, RunStatus
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.charts.subject import ChartRun, ChartSubject, Content
from workbench.session.profile_runs import stored_content

_LOOKED_AT = 200  # of the newest runs of a kernel, among which its other targets are looked for
_TWINS = (RunKind.PREDICT, RunKind.PROFILE)
Resolve = Callable[[str], Target | None]


def chart_subject(
    history: History,
    runs: Sequence[Run],
    resolve: Resolve,
    base: int | None = 0,
    with_twins: bool = True,
) -> ChartSubject:
    """The runs as columns, and beside them what is known of the same text on other targets.

    `base` is the number of the run that the others are held against. What a run stored and cannot
    be read any more is left out: its metrics are there all the same.
    """
    found = [(run, at) for at, run in enumerate(runs)]
    if with_twins:
        found += _twins(history, runs)
    targets = _Targets(resolve, [run for run, _ in found])
    titles = column_titles(runs, targets.label)
    made = tuple(
        ChartRun(
            run,
            at,
            letter(at),
            titles[at].title,
            targets.of(run),
            targets.mark(run),
            read_content(history, run),
        )
        for run, at in found
    )
    held = made[base] if base is not None and base < len(made) else None
    return ChartSubject(made, held)


def read_content(history: History, run: Run) -> Content:
    """The profile and the analysis that a run stores; what cannot be read is None."""
    try:
        profile, analysis = stored_content(history, run)
    except (HistoryError, PlainError):
        return Content()
    return Content(profile, analysis)


def _twins(history: History, runs: Sequence[Run]) -> Iterator[tuple[Run, int]]:
    """The newest prediction or profile of the text and arguments of a run for each other target.

    With the number of the run. Each is told once, and none that is among the runs.
    """
    kernels = dict.fromkeys(run.kernel for run in runs if run.kernel is not None)
    newest = {
        kernel: history.list(RunFilter(kernel=kernel), limit=_LOOKED_AT).runs for kernel in kernels
    }
    taken = {_asked(run) for run in runs}
    for at, run in enumerate(runs):
        if run.kernel is None or run.text_blob is None:
            continue
        for other in newest[run.kernel]:
            wanted = other.kind in _TWINS and other.target not in (None, run.target)
            if wanted and _same(run, other) and _asked(other) not in taken:
                taken.add(_asked(other))
                yield other, at


def _same(one: Run, other: Run) -> bool:
    finished = other.status in (RunStatus.DONE, RunStatus.FAILED)
    return finished and other.text_blob == one.text_blob and other.args == one.args


def _asked(run: Run) -> tuple[object, ...]:
    return (run.text_blob, run.kernel, repr(sorted(run.args.items())), run.target)


class _Targets:
    """The targets of runs with their marks, in the order in which they come first."""

    def __init__(self, resolve: Resolve, runs: Sequence[Run]) -> None:
        names = dict.fromkeys(run.target for run in runs)
        self._found = {name: None if name is None else resolve(name) for name in names}
        labels = dict.fromkeys(self._label(name) for name in names)
        self._marks = {label: mark for mark, label in enumerate(labels)}

    def _label(self, name: str | None) -> str:
        target = self._found.get(name)
        return short_label(target) if target is not None else name or "unknown"

    def of(self, run: Run) -> Target | None:
        """The target of a run; None where its name is not known any more."""
        return self._found[run.target]

    def label(self, run: Run) -> str:
        """Its short name."""
        return self._label(run.target)

    def mark(self, run: Run) -> int:
        """Its place among the targets."""
        return self._marks[self.label(run)]
