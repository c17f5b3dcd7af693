"""What a profile is shown from: its result, where it was measured, and what stands around it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.profiles import ProfileResult
from workbench.core.targets.model import Architecture


@dataclass(frozen=True)
class Progress:
    """A profile that is being measured: what it does, and the part that is done if it is known."""

    text: str = ""
    fraction: float | None = None


@dataclass(frozen=True)
class ShapePoint:
    """One profile of a series: the arguments it was measured with, and its case."""

    arguments: Mapping[str, Any]
    result: ProfileResult
    case: str = ""
    stale: bool = False


@dataclass(frozen=True)
class KnownProfile:
    """A profile of the history that can be shown: its run, and what it is in one sentence."""

    run: str
    sentence: str


@dataclass(frozen=True)
class ProfileSubject:
    """One kernel in front, or a run of the history.

    `where` is the place in words ("GPU of gpu1"), `origin` says of a run where it is from when it
    is not of the document in front. `label` and `mark` are those of the target whose predictions
    `analysis` holds, `arch` is the device's. `place` is the one that is chosen to measure on, ""
    where there is none, and `no_place` why. `known` is a profile of the history, where this has no
    result.
    """

    title: str = ""
    result: ProfileResult | None = None
    where: str = ""
    origin: str = ""
    created: datetime | None = None
    label: str = ""
    mark: int = 0
    analysis: AnalyzeResult | None = None
    arch: Architecture | None = None
    trusted: bool = True
    stale: bool = False
    running: Progress | None = None
    place: str = ""
    no_place: str = ""
    lost: bool = False
    series: tuple[ShapePoint, ...] = field(default=())
    is_open: bool = True
    known: KnownProfile | None = None
