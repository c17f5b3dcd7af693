"""Reads archives of runs, which anybody may have written."""

from __future__ import annotations

import json
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any

from workbench.core.plain import PlainError
from workbench.core.run_archive import model
from workbench.core.run_archive.model import ArchiveError, EntryProblem, Manifest
from workbench.core.runs import Run, blob_hash

#: What reading an entry of a damaged, encrypted or foreign zip file raises.
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError)
_TEXTS = ("created", "machine", "machine_id", "writer")


class RunArchive:
    """An archive to read from; close it, or use it in `with`.

    Nothing is unpacked to a file, so that no name in it leads anywhere, and nothing is read beyond
    the bounds of `model`. Raises ArchiveError for a file that is no archive, or a newer one's.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._left = model.MOST_BYTES
        try:
            self._file = zipfile.ZipFile(path)
        except (zipfile.BadZipFile, OSError, ValueError) as error:
            raise ArchiveError(_unreadable(path, error)) from error
        try:
            self.manifest = self._read_manifest()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> RunArchive:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def runs(self) -> Iterator[Run | EntryProblem]:
        """Every run in its order, and what is wrong with the lines that hold none."""
        try:
            with self._file.open(model.RUNS) as lines:
                yield from self._runs_in(lines)
        except KeyError:
            yield EntryProblem(model.RUNS, "the archive does not hold it")
        except _DAMAGE as error:
            yield EntryProblem(model.RUNS, f"damaged ({error}): what follows is lost")

    def blob(self, name: str) -> bytes | EntryProblem | None:
        """The content with the sha256 `name`, checked; None where the archive lacks it."""
        entry = model.blob_entry(name)
        try:
            with self._file.open(entry) as file:
                content = self._read(file, model.MOST_BLOB_BYTES)
        except KeyError:
            return None
        except _DAMAGE as error:
            return EntryProblem(entry, f"damaged ({error})")
        if content is None:
            return EntryProblem(entry, _too_large(model.MOST_BLOB_BYTES))
        if blob_hash(content) != name:
            return EntryProblem(entry, "its content has another hash")
        return content

    def _read_manifest(self) -> Manifest:
        try:
            with self._file.open(model.MANIFEST) as file:
                content = self._read(file, model.MOST_MANIFEST_BYTES)
            values = json.loads(content or b"")
        except KeyError as error:
            raise ArchiveError(_foreign(self.path)) from error
        except (*_DAMAGE, ValueError, RecursionError) as error:
            raise ArchiveError(_unreadable(self.path, error)) from error
        if not isinstance(values, dict) or values.get("format") != model.FORMAT:
            raise ArchiveError(_foreign(self.path))
        return self._checked(values)

    def _checked(self, values: dict[str, Any]) -> Manifest:
        version = values.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise ArchiveError(f"{self.path} is damaged: its version is {version!r:.40}.")
        if version > model.VERSION:
            raise ArchiveError(
                f"{self.path} has version {version} of the archive of runs; this workbench reads "
                f"up to version {model.VERSION}. Update the workbench."
            )
        texts = {name: values.get(name) for name in _TEXTS}
        known = {name: text for name, text in texts.items() if isinstance(text, str)}
        count = values.get("runs")
        return Manifest(version, runs=count if isinstance(count, int) else None, **known)

    def _runs_in(self, lines: IO[bytes]) -> Iterator[Run | EntryProblem]:
        number = 0
        while line := self._line(lines):
            number += 1
            if number > model.MOST_RUNS:
                yield EntryProblem(model.RUNS, f"more than {model.MOST_RUNS:,} runs: the rest stay")
                return
            place = f"{model.RUNS}, line {number}"
            if len(line) > model.MOST_RUN_BYTES:
                yield EntryProblem(place, _too_large(model.MOST_RUN_BYTES))
            else:
                yield _run_of(line, place)

    def _line(self, lines: IO[bytes]) -> bytes:
        """The next line, of one that is too long only a beginning that is too long as well."""
        line = self._taken(lines.readline(model.MOST_RUN_BYTES + 1))
        rest = line
        while len(rest) > model.MOST_RUN_BYTES and not rest.endswith(b"\n"):
            rest = self._taken(lines.readline(model.MOST_RUN_BYTES + 1))
        return line

    def _read(self, file: IO[bytes], most: int) -> bytes | None:
        """What an entry holds; None where that is more than `most` bytes."""
        content = self._taken(file.read(most + 1))
        return content if len(content) <= most else None

    def _taken(self, content: bytes) -> bytes:
        self._left -= len(content)
        if self._left < 0:
            raise ArchiveError(
                f"{self.path} unpacks to more than {model.MOST_BYTES / 2**30:.0f} GiB, which no "
                "archive of runs does: it is not read further."
            )
        return content


def _run_of(line: bytes, place: str) -> Run | EntryProblem:
    try:
        values = json.loads(line)
        if not isinstance(values, dict) or values.get("sha256") != model.run_hash(values["run"]):
            return EntryProblem(place, "it has another hash than it should: damaged")
        return Run.from_json(values["run"])
    except PlainError as error:
        return EntryProblem(place, f"it holds no run: {error}")
    except (ValueError, KeyError, RecursionError) as error:
        return EntryProblem(place, f"damaged ({type(error).__name__}: {error!s:.80})")


def _too_large(most: int) -> str:
    return f"larger than {most / 2**20:.0f} MiB, which nothing that a run refers to is"


def _foreign(path: Path) -> str:
    return f"{path} is no archive of runs. `runs export` writes them."


def _unreadable(path: Path, error: BaseException) -> str:
    if isinstance(error, FileNotFoundError):
        return f"There is no file {path}."
    reason = (isinstance(error, OSError) and error.strerror) or str(error)
    return f"{path} cannot be read as an archive of runs: {reason}."
