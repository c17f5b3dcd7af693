"""Which points are worth a measurement: estimates, put right by what neighbours measured.

An estimate orders configurations well and is off by some percent, by much the same factor for like
ones. So each measurement corrects the estimates near it: the factor of a point is the mean of the
measured factors, weighted by how many arguments it shares with each and how near the others are.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.sweeps.model import Outcome, PointRecord, Stage
from workbench.core.sweeps.space import Point

_PRIOR = 0.15  # the weight of "the estimate is right" beside the measurements
_REACH = 0.35  # of the whole range of an argument: how far a measurement tells of others
EXPLORED = 5  # each such measurement goes to the point that least is known of
_PATIENCE = 0.03  # measuring ends where nothing left is thought to be within this of the best


@dataclass(frozen=True)
class Candidate:
    """A point that can be measured, with its estimate in microseconds where there is one."""

    point: Point
    record: PointRecord

    @property
    def predicted(self) -> float | None:
        """The estimated time, in microseconds."""
        return self.record.facts.predicted_us


def candidates(points: Sequence[Point], records: Sequence[PointRecord]) -> list[Candidate]:
    """The points that have compiled and were not measured."""
    return [
        Candidate(point, record)
        for point, record in zip(points, records, strict=True)
        if record.outcome is Outcome.PREDICTED and record.stage is Stage.COMPILE
    ]


class Ranking:
    """Orders candidates by their corrected estimates; times of different cases are never mixed.

    `points` and `records` are all of the sweep's.
    """

    def __init__(self, points: Sequence[Point], records: Sequence[PointRecord]) -> None:
        self._scales = _scales(points)
        self._measured = [
            (point, math.log(record.time_us / record.facts.predicted_us))
            for point, record in zip(points, records, strict=True)
            if record.time_us and record.facts.predicted_us
        ]
        self._seen = [p for p, r in zip(points, records, strict=True) if r.time_us is not None]
        self._best: dict[tuple[str, str], float] = {}
        for point, record in zip(points, records, strict=True):
            if record.time_us is not None:
                group = (point.case, point.target)
                self._best[group] = min(record.time_us, self._best.get(group, math.inf))

    def expected_us(self, candidate: Candidate) -> float | None:
        """The estimate as the measurements near it correct it; None without an estimate."""
        if candidate.predicted is None:
            return None
        total, weight = _PRIOR * self._mean_factor(candidate.point), _PRIOR
        for point, factor in self._measured:
            nearness = self.nearness(point, candidate.point)
            total += nearness * factor
            weight += nearness
        return candidate.predicted * math.exp(total / weight)

    def _mean_factor(self, point: Point) -> float:
        known = [f for p, f in self._measured if _group(p) == _group(point)]
        return sum(known) / len(known) if known else 0.0

    def nearness(self, one: Point, other: Point) -> float:
        """From 0 (tells nothing) to 1 (the same): a Gaussian of the distance of the arguments."""
        if _group(one) != _group(other):
            return 0.0
        distance = 0.0
        for name, scale in self._scales.items():
            distance += _distance(one.args.get(name), other.args.get(name), scale) ** 2
        return math.exp(-distance / (2 * _REACH**2))

    def next(self, left: Sequence[Candidate], taken: int) -> Candidate | None:
        """The point to measure next, where `taken` were; None where none is left.

        The one that is expected to be fastest, relative to the best of its case; each fifth is
        the one of which the measurements tell least, among the better half.
        """
        if not left:
            return None
        ordered = sorted(left, key=self._promise)
        if taken and taken % EXPLORED == 0:
            half = ordered[: max(1, (len(ordered) + 1) // 2)]
            return min(half, key=self._knowledge)
        return ordered[0]

    def _promise(self, candidate: Candidate) -> float:
        expected = self.expected_us(candidate)
        if expected is None:
            return math.inf
        best = self._best.get(_group(candidate.point))
        return expected / best if best else expected

    def _knowledge(self, candidate: Candidate) -> float:
        return sum(self.nearness(point, candidate.point) for point in self._seen)

    def is_worth_it(self, candidate: Candidate) -> bool:
        """Whether a point could still be the best of its case: nothing measured rules it out."""
        best = self._best.get(_group(candidate.point))
        expected = self.expected_us(candidate)
        if best is None or expected is None:
            return True
        return expected * (1 - _doubt(len(self._measured))) < best * (1 + _PATIENCE)


def _doubt(measured: int) -> float:
    """How far off a corrected estimate may be; it shrinks with what was measured."""
    return 0.25 if measured < LEAST_FOR_STOP else 0.08


LEAST_FOR_STOP = 8


def _group(point: Point) -> tuple[str, str]:
    return point.case, point.target


def _scales(points: Sequence[Point]) -> Mapping[str, tuple[float, float] | None]:
    """The range of each argument's logarithm; None for those that are no positive numbers."""
    names = dict.fromkeys(name for point in points for name in point.args)
    found: dict[str, tuple[float, float] | None] = {}
    for name in names:
        values = [point.args.get(name) for point in points]
        numbers = [_log(value) for value in values]
        known = [number for number in numbers if number is not None]
        is_numeric = len(known) == len(numbers) and bool(known)
        found[name] = (min(known), max(known)) if is_numeric else None
    return found


def _log(value: Any) -> float | None:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value < 0:
        return None
    return math.log2(value + 1)


def _distance(one: Any, other: Any, scale: tuple[float, float] | None) -> float:
    if scale is None:
        return 0.0 if one == other else 0.5
    low, high = scale
    first, second = _log(one), _log(other)
    if first is None or second is None or high == low:
        return 0.0
    return abs(first - second) / (high - low)


def best_records(
    points: Sequence[Point], records: Sequence[PointRecord]
) -> dict[tuple[str, str], list[PointRecord]]:
    """The measured points of each case and target, the fastest first."""
    found: dict[tuple[str, str], list[PointRecord]] = {}
    for point, record in zip(points, records, strict=True):
        if record.time_us is not None:
            found.setdefault(_group(point), []).append(record)
    return {group: sorted(each, key=lambda r: r.time_us or 0) for group, each in found.items()}
