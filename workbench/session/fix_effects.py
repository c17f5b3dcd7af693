"""What a fix changed in figures, told when the next results of the document arrive."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from workbench.core.figures import size
from workbench.session.fixes import OfferedFix
from workbench.session.open_document import OpenDocument
from workbench.session.problems import Problem
from workbench.session.vital_signs import latest_resources

Problems = Callable[[OpenDocument], Sequence[Problem]]


@dataclass(frozen=True)
class FigureChange:
    """One figure before and after, as they are read; None where one is not known."""

    name: str
    before: str | None
    after: str | None

    @property
    def text(self) -> str:
        """The change in words."""
        return f"{self.name} {self.before or 'unknown'} → {self.after or 'unknown'}"


@dataclass(frozen=True)
class FixEffect:
    """What became of a fix: how many problems of its code are left, and which figures changed.

    One that a lens offered is for no problem: `code` is None.
    """

    title: str
    code: str | None
    left: int
    changes: tuple[FigureChange, ...]

    @property
    def sentence(self) -> str:
        """The effect in a line: the code gone or not, then the figures that changed."""
        gone = f"{self.code} is gone" if not self.left else f"{self.left} × {self.code} left"
        if self.code is None:
            gone = f"Made: {self.title}"
        return "; ".join([gone, *(change.text for change in self.changes)])


@dataclass(frozen=True)
class _Watched:
    offered: OfferedFix
    revision: int
    figures: dict[str, str | None]


class FixEffects:
    """Remembers the figures of a document at a fix until its next results are there."""

    def __init__(self, problems: Problems) -> None:
        self._problems = problems
        self._watched: dict[int, _Watched] = {}

    def begin(self, document: OpenDocument, offered: OfferedFix) -> None:
        """Take note of what is known before a fix; called with the text not yet changed."""
        self._watched[id(document)] = _Watched(offered, document.revision, figures_of(document))

    def look(self, document: OpenDocument) -> FixEffect | None:
        """The effect of the last fix, once results of a later text are there; told once."""
        watched = self._watched.get(id(document))
        if watched is None or not _is_fresh(document, watched.revision):
            return None
        del self._watched[id(document)]
        code = watched.offered.code if watched.offered.problems else None
        fresh = [p for p in self._problems(document) if not p.stale]
        left = sum(p.diagnostic.code == code for p in fresh)
        after = figures_of(document)
        return FixEffect(watched.offered.title, code, left, _changes(watched.figures, after))

    def forget(self, document: OpenDocument) -> None:
        """Expect nothing more, as when the document is closed."""
        self._watched.pop(id(document), None)


def figures_of(document: OpenDocument) -> dict[str, str | None]:
    """The figures of the first target's newest results, by name; None where one is not known."""
    target = next(iter(document.targets), None)
    if target is None:
        return {}
    resources = latest_resources(document, target)
    analyzed = document.analyses.good.get(target)
    kernel = analyzed.kernel if analyzed is not None else None
    shared = kernel.shared if kernel is not None else None
    occupancy = kernel.occupancy.fraction if kernel is not None and kernel.occupancy else None
    ways = [line.ways for line in shared.lines if line.ways] if shared is not None else []
    static, dynamic = (
        (resources.shared_static_bytes, resources.shared_dynamic_bytes)
        if resources is not None
        else (None, None)
    )
    return {
        "bank conflict": _ways(ways) if shared is not None else None,
        "shared memory": str(size(dynamic + (static or 0))) if dynamic is not None else None,
        "registers": _number(resources.registers if resources is not None else None),
        "spilled bytes": _number(resources.spill_bytes if resources is not None else None),
        "occupancy": f"{occupancy:.0%}" if occupancy is not None else None,
    }


def _ways(ways: Sequence[int]) -> str:
    worst = max(ways, default=1)
    return "none" if worst < 2 else f"{worst}-way"


def _number(value: int | None) -> str | None:
    return f"{value:,}" if value is not None else None


def _is_fresh(document: OpenDocument, revision: int) -> bool:
    """Whether the first target's results are of the present text, which is not the mended one.

    Each lowering is followed by an analysis, unless it fails.
    """
    target = next(iter(document.targets), "")
    compiled, analyzed = document.compiled.get(target), document.analyses.newest.get(target)
    if document.revision == revision:
        return False
    if analyzed is not None and analyzed.revision == document.revision:
        return True
    failed = compiled is not None and compiled.result.failure is not None
    return compiled is not None and failed and compiled.revision == document.revision


def _changes(
    before: dict[str, str | None], after: dict[str, str | None]
) -> tuple[FigureChange, ...]:
    """The figures that differ; one that was known and is not any more is left out."""
    return tuple(
        FigureChange(name, before.get(name), now)
        for name, now in after.items()
        if now is not None and now != before.get(name)
    )
