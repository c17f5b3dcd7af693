"""What a sweep's GPUs do next: the most promising points, then longer looks at the best."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from workbench.core.sweeps.choosing import Candidate, Ranking, best_records, candidates
from workbench.core.sweeps.model import CONFIRMED, Outcome, PointRecord
from workbench.core.targets.model import Target
from workbench.session.sweeps.backend import Backend
from workbench.session.sweeps.work import Work

_WITHIN = 1.05  # a point that is not within 5 % of the best is not worth confirming


class Measuring:
    """Chooses among the points at work, by what a backend has free; `targets` are by name."""

    def __init__(self, work: Work, backend: Backend, targets: Mapping[str, Target]) -> None:
        self._work, self._backend, self._targets = work, backend, targets
        self._is_over = False

    def candidates(self) -> Iterator[Candidate]:
        """What to measure now, one after the other as each is begun."""
        while not self._is_over and (found := self._next()) is not None:
            yield found

    def _next(self) -> Candidate | None:
        work = self._work
        all_left = [
            each
            for each in candidates(work.points, work.records)
            if work.is_idle(each.record.number)
            and self._backend.why_no_gpu(self._target(each)) is None
        ]
        left = [each for each in all_left if self._backend.gpu_free(self._target(each)) > 0]
        taken = work.taken
        if not left or taken >= work.allowed(len(all_left) + taken):
            return None
        ranking = Ranking(work.points, work.records)
        if work.plan.budget.early_stop and not work.plan.exhaustive:
            left = [each for each in left if ranking.is_worth_it(each)]
            if not left and not any(t.needs_gpu for t in work.running.values()):
                self._is_over = True
        return ranking.next(left, taken)

    def _target(self, candidate: Candidate) -> Target:
        return self._work.items[candidate.record.number].target

    def confirmations(self) -> Iterator[PointRecord]:
        """The best of each case and target that are to be measured for longer now."""
        work = self._work
        for (_, target), best in best_records(work.points, work.records).items():
            least = best[0].time_us or 0.0
            for record in best[:CONFIRMED]:
                is_near = (record.time_us or 0.0) <= least * _WITHIN
                is_due = record.outcome is Outcome.MEASURED and work.is_idle(record.number)
                if is_near and is_due and self._backend.gpu_free(self._targets[target]) > 0:
                    yield record
