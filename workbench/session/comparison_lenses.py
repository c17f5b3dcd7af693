"""Runs of a history as the lenses see them: what was computed and measured of each."""

from __future__ import annotations

from workbench.session.charts.subject import ChartRun
from workbench.session.lenses.measured import Measured
from workbench.session.lenses.subject import LensSubject, LensTarget

_FULL_LEVEL = 2


def run_subject(run: ChartRun, text: str | None) -> LensSubject | None:
    """The subject of a run that keeps its analysis; None where it keeps none."""
    analysis, target = run.content.analysis, run.target
    if analysis is None or target is None:
        return None
    profile = run.content.profile
    measured = Measured(profile, target.arch) if profile is not None else None
    shown = LensTarget(
        target=target, mark=run.mark, analysis=analysis, level=_FULL_LEVEL, measured=measured
    )
    return LensSubject(
        path=f"run {run.run.id}",
        title=f"{run.letter} · {run.title}",
        text=text or "",
        kernel=run.run.kernel,
        case=run.run.case,
        arguments=run.run.args,
        targets=(shown,),
    )
