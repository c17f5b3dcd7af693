"""The profiles of one document: the newest of each target, and those of a series of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from workbench.core.profiles import ProfileResult
    from workbench.session.hosts.places import Place

_MOST_SHAPES = 64


@dataclass(frozen=True)
class Profiled:
    """What was measured: the revision that it is about, for which target, where and when.

    `lost` says that the connection to the place was lost before it ended. `run` is the id of the
    history's run that it was read from, and `origin` whence that was imported.
    """

    revision: int
    target: str
    place: Place
    result: ProfileResult
    created: datetime
    kernel: str = ""
    case: str = ""
    arguments: Mapping[str, Any] = field(default_factory=dict)
    lost: bool = False
    run: str = ""
    origin: str = ""


class Profiles:
    """`latest` is what came last; `newest` what is known by target, failures not counted."""

    def __init__(self) -> None:
        self.latest: Profiled | None = None
        self.newest: dict[str, Profiled] = {}
        self._shapes: dict[tuple[str, str, str], Profiled] = {}

    def take(self, found: Profiled) -> None:
        """Keep a profile, in place of an earlier one of the same shape."""
        self.latest = found
        if found.result.failure is not None:
            return
        self.newest[found.target] = found
        key = (found.kernel, found.place.text, repr(sorted(found.arguments.items())))
        self._shapes.pop(key, None)
        self._shapes[key] = found
        while len(self._shapes) > _MOST_SHAPES:
            del self._shapes[next(iter(self._shapes))]

    def shapes(self) -> tuple[Profiled, ...]:
        """The profiles of the latest one's kernel, target and place."""
        latest = self.latest
        if latest is None:
            return ()
        same = (latest.kernel, latest.target, latest.place)
        return tuple(
            each for each in self._shapes.values() if (each.kernel, each.target, each.place) == same
        )
