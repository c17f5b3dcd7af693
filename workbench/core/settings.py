"""The person's settings: what there is, what each may be, and the file they are kept in."""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.history import DEFAULT_QUOTA_BYTES
from workbench.core.json_files import JsonFile, Migration

_MIB = 1024**2
_GIB = 1024**3
_MOST_RECENT_FILES = 20


class Theme(enum.Enum):
    """The colours of the window; `SYSTEM` follows the desktop."""

    SYSTEM = "system"
    LIGHT = "light"
    DARK = "dark"


@dataclass(frozen=True)
class Settings:
    """Every setting with its default.

    `live_delay_ms` is the pause in typing after which a live refresh starts; `inlay_hints` says
    whether shapes and sizes are written behind lines; `job_time_limit_s` and
    `job_memory_limit_bytes` (resident, of the executor) end a job; `recent_files` are absolute
    paths, the newest first. `hints_off` are the codes of guidelines that are not told.
    """

    theme: Theme = Theme.SYSTEM
    live_refresh: bool = True
    live_delay_ms: int = 400
    inlay_hints: bool = True
    job_time_limit_s: int = 300
    job_memory_limit_bytes: int = 8 * _GIB
    history_quota_bytes: int = DEFAULT_QUOTA_BYTES
    default_targets: tuple[str, ...] = ("h100",)
    recent_files: tuple[str, ...] = ()
    hints_off: tuple[str, ...] = ()

    def with_recent_file(self, path: Path) -> tuple[str, ...]:
        """Return `recent_files` with `path` in front, each once, the oldest beyond 20 dropped."""
        newest = str(path.absolute())
        return (newest, *(p for p in self.recent_files if p != newest))[:_MOST_RECENT_FILES]


@dataclass(frozen=True)
class LoadedSettings:
    """The settings read, and a sentence for every entry that had to be left at its default."""

    settings: Settings
    problems: tuple[str, ...] = ()


#: `MIGRATIONS[n - 1]` leads the entries of version n to those of version n + 1.
MIGRATIONS: tuple[Migration, ...] = ()


class SettingsFile:
    """The JSON file of the settings; it holds only what the person has set.

    An entry at fault costs that entry, entries unknown here are kept, and a file of a newer
    version is read as far as it is known but never written.

    Versions: 1. one entry for each field of `Settings`, enums by value.
    """

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path, MIGRATIONS)

    def load(self) -> LoadedSettings:
        """Return the settings of the file, defaults where it says nothing; never raises."""
        content = self._file.read()
        values, problems = {}, [*content.problems]
        for name in _RULES.keys() & content.values.keys():
            try:
                values[name] = _RULES[name](content.values[name])
            except ValueError as error:
                problems.append(f"{self._file.path}: {name} {error}. Its default is used.")
        return LoadedSettings(Settings(**values), tuple(problems))

    def update(self, **changes: Any) -> LoadedSettings:
        """Set the named fields, every other entry kept as it is in the file now; return the result.

        Raises `TypeError` for an unknown name, `ValueError` for a value that may not be, and
        `JsonFileError` where the file cannot be written.
        """
        entries = {name: _checked(name, value) for name, value in changes.items()}
        self._file.write({**self._file.read().values, **entries})
        return self.load()


def _checked(name: str, value: Any) -> Any:
    """Return the JSON value of a setting, having read it back as the file's reader would."""
    if name not in _RULES:
        raise TypeError(f"there is no setting {name!r}")
    plain = value.value if isinstance(value, enum.Enum) else value
    plain = list(plain) if isinstance(plain, tuple) else plain
    try:
        _RULES[name](plain)
    except ValueError as error:
        raise ValueError(f"{name} {error}") from None
    return plain


def _theme(value: Any) -> Theme:
    names = [theme.value for theme in Theme]
    if value not in names:
        raise ValueError(f"must be one of {', '.join(names)}, not {value!r:.40}")
    return Theme(value)


def _switch(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"must be true or false, not {value!r:.40}")
    return value


def _whole(low: int, high: int) -> Callable[[Any], int]:
    def read(value: Any) -> int:
        is_whole = isinstance(value, int) and not isinstance(value, bool)
        if not is_whole or not low <= value <= high:
            raise ValueError(f"must be a whole number from {low} to {high}, not {value!r:.40}")
        return int(value)

    return read


def _texts(value: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) and item for item in value):
        raise ValueError(f"must be a list of texts, not {value!r:.40}")
    return tuple(value)


#: How each field is read from JSON; a rule raises `ValueError` with the end of a sentence.
_RULES: dict[str, Callable[[Any], Any]] = {
    "theme": _theme,
    "live_refresh": _switch,
    "live_delay_ms": _whole(0, 60_000),
    "inlay_hints": _switch,
    "job_time_limit_s": _whole(1, 7 * 24 * 3600),
    "job_memory_limit_bytes": _whole(256 * _MIB, 1024 * _GIB * 1024),
    "history_quota_bytes": _whole(0, 1024 * _GIB * 1024),
    "default_targets": _texts,
    "recent_files": _texts,
    "hints_off": _texts,
}
