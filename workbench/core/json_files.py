"""Small versioned JSON files of the user: reading with every fault told, migration, writing."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from workbench.core.atomic_files import write_atomically

#: Leads the content of one version to that of the next; "version" itself is seen to elsewhere.
Migration = Callable[[dict[str, Any]], dict[str, Any]]


class JsonFileError(Exception):
    """A file of the user cannot be written; the message says what, where and what next."""


@dataclass(frozen=True)
class Content:
    """What a file holds, migrated to the current version.

    `found_version` is that in the file, None where it has none that can be used; `problems` are
    sentences for the person. `is_broken` where the file is there but could not be read.
    """

    values: dict[str, Any] = field(default_factory=dict)
    found_version: int | None = None
    problems: tuple[str, ...] = ()
    is_broken: bool = False


class JsonFile:
    """A JSON object with a "version" at `path`; `migrations[n - 1]` leads from version n on."""

    def __init__(self, path: Path, migrations: Sequence[Migration] = ()) -> None:
        self.path = path
        self.version = len(migrations) + 1
        self._migrations = tuple(migrations)

    def read(self) -> Content:
        """Return the content; that of a missing file is empty. A file at fault is a problem."""
        try:
            text = self.path.read_bytes()
        except FileNotFoundError:
            return Content()
        except OSError as error:
            reason = error.strerror or str(error)
            return Content(problems=(f"{self.path} cannot be read: {reason}.",), is_broken=True)
        try:
            values = json.loads(text)
            version = _version(values)
            values = self._migrate(values, version)
        except (ValueError, RecursionError) as error:
            return Content(problems=(f"{self.path} is damaged: {error}.",), is_broken=True)
        problems = (self._newer(version),) if version > self.version else ()
        return Content(values, version, problems)

    def write(self, values: dict[str, Any]) -> None:
        """Replace the content; raises `JsonFileError`, always for a file of a newer version.

        What is replaced is first copied to `<name>.v<version>.bak` where it has an older version,
        and to `<name>.broken` where it cannot be read.
        """
        found = self.read()
        if found.found_version is not None and found.found_version > self.version:
            raise JsonFileError(self._newer(found.found_version))
        text = json.dumps({"version": self.version, **_without_version(values)}, indent=2)
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._keep_old(found)
            write_atomically(self.path, (text + "\n").encode())
        except OSError as error:
            raise JsonFileError(
                f"{self.path} cannot be written: {error.strerror or error}. "
                "Make its folder writable or free some space, then try again."
            ) from error

    def _keep_old(self, found: Content) -> None:
        if found.is_broken:
            shutil.copyfile(self.path, f"{self.path}.broken")
        elif found.found_version is not None and found.found_version < self.version:
            shutil.copyfile(self.path, f"{self.path}.v{found.found_version}.bak")

    def _migrate(self, values: dict[str, Any], version: int) -> dict[str, Any]:
        for step in self._migrations[version - 1 :]:
            values = step(_without_version(values))
        return _without_version(values)

    def _newer(self, found: int) -> str:
        return (
            f"{self.path} has version {found}; this workbench writes version {self.version}. "
            "Update the workbench to change it."
        )


def _version(values: Any) -> int:
    """Return the version of a file's content; raises `ValueError` where it is not of our form."""
    if not isinstance(values, dict):
        raise ValueError("it holds no JSON object")
    version = values.get("version")
    if not isinstance(version, int) or isinstance(version, bool) or version < 1:
        raise ValueError(f'its "version" must be a whole number from 1 on, not {version!r:.40}')
    return version


def _without_version(values: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in values.items() if key != "version"}
