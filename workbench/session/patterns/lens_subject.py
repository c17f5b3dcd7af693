"""A draft as the lenses look at it, so that they can stand beside its choices."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.jobs import Failure
from workbench.session.lenses.quick.followed import quick_result
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.session.patterns.cells import Figures
from workbench.session.patterns.measuring import Subject

_QUICK = "Read off the source; lowering follows."


def lens_subject(
    subject: Subject, figures: Sequence[Figures], part: str, is_busy: bool
) -> LensSubject:
    """What is known of a draft for each target.

    `part` is what a lens has to know of quick figures: "tiles" has the earlier ones shown, greyed,
    where the source does not tell which tiles a block touches. `is_busy` says that exact figures
    are on their way.
    """
    chosen = subject.selection
    targets = tuple(_target(each, mark, part, is_busy) for mark, each in enumerate(figures))
    return LensSubject(
        f"pattern:{subject.generated.pattern.id}",
        chosen.kernel.name,
        subject.text,
        chosen.kernel.name,
        chosen.case.name,
        chosen.args,
        targets,
    )


def _target(found: Figures, mark: int, part: str, is_busy: bool) -> LensTarget:
    bare = LensTarget(found.target, mark, running=is_busy)
    kernel = found.kernel
    if kernel is None:
        return bare if is_busy else LensTarget(found.target, mark, _refused(found.why))
    if found.is_quick and part == "tiles" and not kernel.tiles:
        kernels = (found.last,) if found.last is not None else ()
        return LensTarget(found.target, mark, AnalyzeResult(None, kernels), level=1, stale=True)
    if found.is_quick:
        return LensTarget(found.target, mark, quick_result(kernel), quick=_QUICK)
    result = AnalyzeResult(None, (kernel,), missing=found.missing)
    return LensTarget(found.target, mark, result, level=1, stale=found.is_stale)


def _refused(why: str) -> AnalyzeResult:
    return AnalyzeResult(Failure("kernel", why))
