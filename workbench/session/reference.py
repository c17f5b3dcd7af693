"""The reference of a session: its pages, and the names of TileLang once a worker has read them."""

from __future__ import annotations

import enum
import importlib.metadata
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from workbench.core.data_files import find_data
from workbench.core.jobs import ReferenceRequest, ReferenceResult
from workbench.core.plain import from_plain
from workbench.core.reference.api_cache import read_cache, write_cache
from workbench.core.reference.api_model import Api
from workbench.core.reference.library import Library, Shipped, build_library
from workbench.core.targets.table import TargetTable
from workbench.session.jobs import JobController
from workbench.session.signal import Signal
from workbench.wire.events import Ended
from workbench.wire.messages import Limits

_PACKAGE = "tilelang"
_LANE = "work"
_READING = "The names of the installed TileLang are being read."


class ApiStatus(enum.Enum):
    """Whether the pages of TileLang's names are there."""

    UNKNOWN = "unknown"
    READING = "reading"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True)
class ApiState:
    """How far the names of TileLang are; `text` says it in a sentence."""

    status: ApiStatus = ApiStatus.UNKNOWN
    text: str = ""


class ReferenceController:
    """Builds the reference when it is first wanted, and asks once for the names of TileLang."""

    def __init__(
        self,
        jobs: JobController,
        targets: TargetTable,
        limits: Callable[[], Limits],
        cache: Path,
    ) -> None:
        self.changed: Signal[[]] = Signal()
        self.state = ApiState()
        self._jobs, self._targets, self._limits, self._cache = jobs, targets, limits, cache
        self._library: Library | None = None
        self._api: Api | None = None

    @property
    def library(self) -> Library:
        """All pages that are there now. Raises as `build_library` does."""
        if self._library is None:
            self._library = build_library(self._shipped, self._api)
        return self._library

    def load(self) -> None:
        """Have the names of TileLang: from the cache, else from a worker; once, unless it fails."""
        if self.state.status in (ApiStatus.READING, ApiStatus.READY):
            return
        version = self._version()
        kept = read_cache(self._cache, version) if version is not None else None
        if kept is not None:
            self._take(kept)
            return
        self._set(ApiState(ApiStatus.READING, _READING))
        self._jobs.submit(
            ReferenceRequest(),
            self._on_ended,
            label="Read the names of TileLang",
            lane=_LANE,
            limits=self._limits(),
            quiet=True,
        )

    @cached_property
    def _shipped(self) -> Shipped:
        return Shipped(find_data("resources"), find_data("kernels"), self._targets)

    def _version(self) -> str | None:
        """The worker's TileLang, else that of this installation, if it is known already."""
        return self._jobs.state.versions.get(_PACKAGE) or installed_tilelang()

    def _on_ended(self, ended: Ended) -> None:
        if ended.outcome != "done":
            self._set(ApiState(ApiStatus.FAILED, failure_text(ended)))
            return
        api = from_plain(ReferenceResult, ended.result).api
        keep(self._cache, api)
        self._take(api)

    def _take(self, api: Api) -> None:
        self._api, self._library = api, None
        text = f"{len(api.entries)} names of TileLang {api.tilelang}"
        self._set(ApiState(ApiStatus.READY, text))

    def _set(self, state: ApiState) -> None:
        self.state = state
        self.changed.emit()


def installed_tilelang() -> str | None:
    """The version of TileLang beside the workbench; None where there is none."""
    try:
        return importlib.metadata.version(_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        return None


def failure_text(ended: Ended) -> str:
    """Why the names of TileLang are not there, in a sentence."""
    why = ended.failure.message if ended.failure is not None else f"the job was {ended.outcome}"
    return f"The names of TileLang could not be read: {why.rstrip('.')}."


def keep(cache: Path, api: Api) -> None:
    """Keep the names for the next time; a cache that cannot be written costs that time alone."""
    try:
        write_cache(cache, api)
    except OSError:
        return
