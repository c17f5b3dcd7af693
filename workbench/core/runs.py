"""The record of one run: what was done with a kernel, how, and what came out."""

from __future__ import annotations

import dataclasses
import enum
import hashlib
import re
import secrets
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta, timezone
from typing import Any

from workbench.core.diagnostic_json import diagnostic_from_json, diagnostic_to_json
from workbench.core.diagnostics import Diagnostic
from workbench.core.plain import PlainError, from_plain, to_plain


class RunKind(enum.Enum):
    """What was done with the kernel."""

    COMPILE = "compile"
    VERIFY = "verify"
    PROFILE = "profile"
    PREDICT = "predict"
    SWEEP_POINT = "sweep_point"
    SCRIPT = "script"


#: The host of what was done on the machine whose history it is.
LOCAL_HOST = "this machine"

#: The arguments beside a case that are named where there is little room: M, N, K and another.
MOST_OVERRIDES = 4

#: The metrics of a verification that ran some blocks only: how many, and of how many.
SAMPLED = ("sample.blocks_run", "sample.blocks_total")


class RunStatus(enum.Enum):
    """How the job ended; each ends exactly once. `LOST`: its worker or host went away."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    LOST = "lost"


class MetricSource(enum.Enum):
    """Where a number comes from; the two are never mixed without this label."""

    MEASURED = "measured"
    PREDICTED = "predicted"


@dataclass(frozen=True)
class Metric:
    """One number of a run; `value` is None where it is unknown, `unit` is "" for a plain count.

    `method` says how it was measured or predicted ("cuda events", "roofline", ...).
    """

    value: int | float | None
    unit: str
    source: MetricSource
    method: str | None = None
    extra: dict[str, Any] = field(default_factory=dict, repr=False)


@dataclass(frozen=True)
class Artifact:
    """A file that a run produced, by reference; `blob` is the sha256 of its `size_bytes` bytes."""

    name: str
    media_type: str
    blob: str
    size_bytes: int
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, name: str, media_type: str, content: bytes) -> Artifact:
        """Return the reference to `content`, which is to be stored under its hash."""
        return cls(name, media_type, blob_hash(content), len(content))


@dataclass(frozen=True)
class Run:
    """One compile, verification, profile, prediction or sweep point, or a script that was run.

    `document` is the file's path relative to the workspace with "/" (None: never saved), and
    `text_blob` the hash of its text as it was run. `group` joins the points of one sweep or series.
    `overrides` are the arguments and sizes that are not those of `case`, None where that is not
    known. `origin` is the file that a run was imported from, None for one recorded here. `note` is
    what the person wrote about it. `attached_to` are files of the workspace, written as `document`
    is, that the person said it is a run of. `extra` holds the fields of a newer writer.
    """

    id: str
    created: datetime
    kind: RunKind
    status: RunStatus
    document: str | None = None
    text_blob: str | None = None
    kernel: str | None = None
    case: str | None = None
    args: dict[str, Any] = field(default_factory=dict)
    overrides: dict[str, Any] | None = None
    target: str | None = None
    host: str | None = None
    device: str | None = None
    seconds: float | None = None
    error: str | None = None
    versions: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, Metric] = field(default_factory=dict)
    diagnostics: tuple[Diagnostic, ...] = ()
    artifacts: tuple[Artifact, ...] = ()
    group: str | None = None
    origin: str | None = None
    tags: tuple[str, ...] = ()
    pinned: bool = False
    note: str | None = None
    attached_to: tuple[str, ...] = ()
    extra: dict[str, Any] = field(default_factory=dict, repr=False)

    @property
    def documents(self) -> tuple[str, ...]:
        """The files that it is a run of, each once: its own, and those it was attached to."""
        own = () if self.document is None else (self.document,)
        return tuple(dict.fromkeys(own + self.attached_to))

    @property
    def blobs(self) -> tuple[str, ...]:
        """The hashes of everything stored for the run, each once, its text first."""
        text = () if self.text_blob is None else (self.text_blob,)
        return tuple(dict.fromkeys(text + tuple(artifact.blob for artifact in self.artifacts)))

    def case_title(self, most: int | None = None) -> str | None:
        """The case with what was asked for beside it: "4096x4096x4096, M=8192".

        Of more than `most` such arguments the first are named.
        """
        if self.case is None:
            return None
        told = [f"{name}={value}" for name, value in (self.overrides or {}).items()]
        shown = told[:most]
        more = [f"… {len(told) - len(shown)} more"] if len(shown) < len(told) else []
        return ", ".join([self.case, *shown, *more])

    @property
    def sample(self) -> str | None:
        """What stands beside a verdict on some blocks only; None where all were run."""
        metrics = [self.metrics.get(name) for name in SAMPLED]
        known = [metric.value for metric in metrics if metric is not None]
        if len(known) < len(SAMPLED) or None in known:
            return None
        return f"sampled {known[0]:,} of {known[1]:,} blocks"

    @property
    def protected(self) -> bool:
        """Whether a person marked the run as one to keep: its blobs are then never collected."""
        return self.pinned or bool(self.tags)

    def to_json(self) -> dict[str, Any]:
        """Return the run as a JSON object. A number that is not finite stays a Python float."""
        return {
            **_lay_out(self),
            "created": self.created.isoformat(timespec="microseconds"),
            "metrics": {name: _lay_out(metric) for name, metric in self.metrics.items()},
            "artifacts": [_lay_out(artifact) for artifact in self.artifacts],
            "diagnostics": [diagnostic_to_json(item) for item in self.diagnostics],
        }

    @classmethod
    def from_json(cls, data: Any) -> Run:
        """Return the run that `data` holds, fields of a newer writer kept in it.

        Raises `PlainError` naming the field that is missing or has another form.
        """
        if not isinstance(data, dict):
            raise PlainError(f"Run: expected an object, got {type(data).__name__}")
        diagnostics = _read_diagnostics(data.get("diagnostics", []))
        collected = {**_collect(cls, data), "diagnostics": []}
        for name, read in _READERS.items():
            if name in data:
                collected[name] = read(data[name])
        try:
            run = from_plain(cls, collected)
        except OverflowError as error:  # an integer that no float can hold
            raise PlainError(f"Run: {error}") from None
        _check_names(run)
        return dataclasses.replace(run, diagnostics=diagnostics) if diagnostics else run


def _lay_out(record: Run | Metric | Artifact) -> dict[str, Any]:
    """Return the record's fields with those of a newer writer beside them."""
    own: dict[str, Any] = to_plain(record)
    return {**own.pop("extra"), **own}


def _collect(cls: type[Run | Metric | Artifact], data: Any) -> Any:
    """Return `data` with the keys that `cls` does not know gathered in "extra"."""
    if not isinstance(data, dict):
        return data
    known = _KNOWN_FIELDS[cls]
    if known.issuperset(data):  # as nearly always
        return data
    unknown = {key: value for key, value in data.items() if key not in known}
    return {**{key: data[key] for key in data.keys() & known}, "extra": unknown}


#: The fields of each record that are read as what they are; all others are a newer writer's.
_KNOWN_FIELDS: dict[type[Any], frozenset[str]] = {
    cls: frozenset(field.name for field in dataclasses.fields(cls)) - {"extra"}
    for cls in (Run, Metric, Artifact)
}


def _read_time(data: Any) -> datetime:
    try:
        time = datetime.fromisoformat(data)
    except (TypeError, ValueError):
        raise PlainError(f"Run.created: {data!r:.60} is no ISO 8601 time") from None
    if time.tzinfo is None:
        raise PlainError(f"Run.created: {data!r:.60} has no offset from UTC")
    return time


def _read_metrics(data: Any) -> Any:
    if not isinstance(data, dict):
        return data
    return {name: _collect(Metric, metric) for name, metric in data.items()}


def _read_artifacts(data: Any) -> Any:
    return [_collect(Artifact, item) for item in data] if isinstance(data, list) else data


def _read_diagnostics(data: Any) -> tuple[Diagnostic, ...]:
    if not isinstance(data, list):
        raise PlainError(f"Run.diagnostics: expected a list, got {type(data).__name__}")
    return tuple(diagnostic_from_json(item) for item in data)


#: What is done to a field's JSON before the annotations decide; each leaves a wrong form to them.
_READERS: dict[str, Callable[[Any], Any]] = {
    "created": _read_time,
    "metrics": _read_metrics,
    "artifacts": _read_artifacts,
}


def blob_hash(content: bytes) -> str:
    """Return the name under which `content` is stored: its sha256 in lower-case hex."""
    return hashlib.sha256(content).hexdigest()


def is_blob_hash(text: str) -> bool:
    """Say whether `text` is a sha256 in lower-case hex."""
    return re.fullmatch("[0-9a-f]{64}", text) is not None


# Crockford's base32 in lower case, without i, l, o, u: ids order as their numbers do.
_DIGITS = "0123456789abcdefghjkmnpqrstvwxyz"
_TIME_DIGITS = 11  # 55 bits of microseconds since 1970: until the year 3111
_RANDOM_DIGITS = 9  # 45 bits within one microsecond
_EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)


def new_run_id(created: datetime) -> str:
    """Return a new id of 20 characters that sorts by `created` (to the microsecond, UTC)."""
    moment = _base32(microseconds(created), _TIME_DIGITS)
    return moment + _base32(secrets.randbits(5 * _RANDOM_DIGITS), _RANDOM_DIGITS)


def microseconds(time: datetime) -> int:
    """Return the microseconds from 1970 to `time`, exactly; it must have an offset from UTC."""
    if time.tzinfo is None:
        raise ValueError(f"{time} has no offset from UTC")
    return (time - _EPOCH) // timedelta(microseconds=1)


def _base32(number: int, digits: int) -> str:
    if not 0 <= number < 32**digits:
        raise ValueError(f"{number} does not fit into {digits} base32 digits")
    return "".join(_DIGITS[number >> 5 * place & 31] for place in reversed(range(digits)))


def _check_names(run: Run) -> None:
    """Refuse ids and hashes that could not be names of files."""
    if re.fullmatch("[0-9a-z][0-9a-z_-]{0,63}", run.id) is None:
        raise PlainError(f"id must be 1 to 64 of 0-9 a-z _ -, not {run.id[:80]!r}")
    for name in run.blobs:
        if not is_blob_hash(name):
            raise PlainError(f"a blob must be named by its sha256, not {name[:80]!r}")
