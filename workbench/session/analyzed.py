"""The analyses of one document: the newest of each target, and the last one with figures."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.core.analysis.kernel_analysis import KernelAnalysis
    from workbench.core.analysis.result import AnalyzeResult


@dataclass(frozen=True)
class Made:
    """What an analysis was made of."""

    text: str
    kernel: str
    arguments: Mapping[str, Any]


@dataclass(frozen=True)
class Analyzed:
    """What is computed for one target: the revision that it is about, and the level asked for.

    `made` is what the revision had, None where nobody kept it.
    """

    revision: int
    level: int
    result: AnalyzeResult
    made: Made | None = None

    @property
    def kernel(self) -> KernelAnalysis | None:
        """The first kernel that the document's launches; None where nothing could be told."""
        return next(iter(self.result.kernels), None)


class Analyses:
    """`newest` is what is known by target; `good` the last that has figures.

    Figures stay in view while an edit is broken.
    """

    def __init__(self) -> None:
        self.newest: dict[str, Analyzed] = {}
        self.good: dict[str, Analyzed] = {}

    def take(self, target: str, found: Analyzed) -> bool:
        """Keep an analysis unless a better one is there; says whether it was kept.

        Better is one of a later revision; of the same one, one with figures, then the higher level.
        """
        known = self.newest.get(target)
        if known is not None and _rank(known) > _rank(found):
            return False
        self.newest[target] = found
        if found.result.kernels:
            self.good[target] = found
        return True

    def knows(self, target: str, revision: int) -> bool:
        """Whether there are figures of a revision."""
        good = self.good.get(target)
        return good is not None and good.revision == revision

    def keep_only(self, targets: Collection[str]) -> None:
        """Forget those of other targets."""
        for name in set(self.newest) - set(targets):
            del self.newest[name]
            self.good.pop(name, None)


def _rank(found: Analyzed) -> tuple[int, bool, int]:
    return found.revision, bool(found.result.kernels), found.level
