"""What of a history is loaded into the list of runs, and how it is told."""

from __future__ import annotations

from dataclasses import dataclass, field

from workbench.core.history import Listing, RowProblem
from workbench.core.runs import Run, RunStatus
from workbench.ui.panes.runs.wording import summary


@dataclass
class LoadedRuns:
    """The runs from the newest on; `total` may be a guess until `is_counted`."""

    runs: list[Run] = field(default_factory=list)
    problems: list[RowProblem] = field(default_factory=list)
    total: int = 0
    is_counted: bool = True
    failed: int = 0

    @classmethod
    def first(cls, listing: Listing, total: int | None, is_counted: bool = True) -> LoadedRuns:
        """The first rows of so many; None: these are all."""
        loaded = cls(is_counted=is_counted)
        loaded.take(listing)
        loaded.total = loaded.count if total is None else total
        return loaded

    @property
    def count(self) -> int:
        """How many rows were read, those too that hold no run."""
        return len(self.runs) + len(self.problems)

    @property
    def has_more(self) -> bool:
        """Whether more rows can be read."""
        return self.count < self.total

    @property
    def summary(self) -> str:
        """The conclusion of the list."""
        return summary(self.count, self.total if self.is_counted else None, self.failed)

    def take(self, listing: Listing) -> None:
        """Add the rows that follow; none end the history."""
        self.runs += listing.runs
        self.problems += listing.problems
        self.failed += sum(run.status is RunStatus.FAILED for run in listing.runs)
        if not self.is_counted:
            self.total = max(self.total, self.count + 1)
        if not listing.runs and not listing.problems:
            self.total = self.count

    def take_total(self, total: int) -> None:
        """Know how many rows there are."""
        self.total, self.is_counted = max(total, self.count), True
