"""Writes archives of runs."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import uuid
import zipfile
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from workbench import __version__
from workbench.core.history.errors import BlobMissingError
from workbench.core.run_archive import model
from workbench.core.run_archive.model import ArchiveError
from workbench.core.runs import Run

_BEGIN_OF_ZIP = (1980, 1, 1, 0, 0, 0)  # a fixed time: equal runs make equal entries


@dataclass(frozen=True)
class Written:
    """What an archive holds now; `lost` contents are stored no more, or are too large."""

    runs: int
    blobs: int
    lost: int


def write_archive(
    path: Path,
    runs: Collection[Run],
    blob: Callable[[str], bytes],
    machine: str | None = None,
    step: Callable[[int, int, str], object] = lambda done, total, what: None,
    machine_id: str | None = None,
) -> Written:
    """Write `runs` and what they refer to, read by `blob` (raises BlobMissingError) one by one.

    The file is put in its place when it is whole. `machine` is by default this one's name, and
    `machine_id` what tells it from others of that name. `step` is told how many are written, of
    how many, and what they are; what it raises ends the writing.
    Raises ArchiveError.
    """
    part = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            writer = _Writer(file, step)
            of_machine = {"machine": machine or platform.node() or None, "machine_id": machine_id}
            written = writer.write(runs, blob, of_machine)
        os.replace(part, path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ArchiveError(f"{path} cannot be written: {reason}. Name another with -o.") from error
    finally:
        with contextlib.suppress(OSError):
            part.unlink(missing_ok=True)
    return written


class _Writer:
    """One archive as it is written; counts its unpacked bytes."""

    def __init__(self, file: zipfile.ZipFile, step: Callable[[int, int, str], object]) -> None:
        self._file, self._step = file, step
        self._bytes = 0

    def write(
        self, runs: Collection[Run], blob: Callable[[str], bytes], machine: dict[str, str | None]
    ) -> Written:
        if len(runs) > model.MOST_RUNS:
            raise ArchiveError(
                f"An archive holds {model.MOST_RUNS:,} runs at most, these are {len(runs):,}: "
                "export them in several."
            )
        names: dict[str, None] = {}  # what runs refer to, each once
        count = 0
        with self._file.open(_entry(model.RUNS), "w") as lines:
            for run in runs:
                line = _run_line(run)
                self._count(len(line))
                lines.write(line)
                names.update(dict.fromkeys(run.blobs))
                count += 1
                self._step(count, len(runs), "runs")
        stored = sum(self._put_blobs(names, blob))
        self._put(model.MANIFEST, _line(_manifest(count, machine)))
        return Written(count, stored, len(names) - stored)

    def _put_blobs(self, names: Collection[str], blob: Callable[[str], bytes]) -> Iterable[bool]:
        """Write contents; whether each was there."""
        for at, name in enumerate(names):
            self._step(at, len(names), "texts and artifacts")
            yield self._put_blob(name, blob)

    def _put_blob(self, name: str, blob: Callable[[str], bytes]) -> bool:
        """Write a content; False where it is lost."""
        try:
            content = blob(name)
        except BlobMissingError:
            return False
        if len(content) > model.MOST_BLOB_BYTES:
            return False
        self._put(model.blob_entry(name), content)
        return True

    def _put(self, name: str, content: bytes) -> None:
        self._count(len(content))
        self._file.writestr(_entry(name), content)

    def _count(self, size: int) -> None:
        self._bytes += size
        if self._bytes > model.MOST_BYTES:
            raise ArchiveError(
                f"An archive holds {model.MOST_BYTES / 2**30:.0f} GiB at most: export fewer runs."
            )


def _manifest(runs: int, machine: dict[str, str | None]) -> dict[str, Any]:
    return {
        "format": model.FORMAT,
        "version": model.VERSION,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        **machine,
        "writer": f"tilelang-workbench {__version__}",
        "runs": runs,
    }


def _run_line(run: Run) -> bytes:
    plain = run.to_json()
    return _line({"sha256": model.run_hash(plain), "run": plain})


def _line(value: Any) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode("ascii") + b"\n"


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _BEGIN_OF_ZIP)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry
