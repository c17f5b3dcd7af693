"""Writes archives of runs."""

from __future__ import annotations

import contextlib
import json
import os
import platform
import uuid
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
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
    runs: Sequence[Run],
    blob: Callable[[str], bytes],
    machine: str | None = None,
) -> Written:
    """Write `runs` and what they refer to, read by `blob` (raises BlobMissingError) one by one.

    The file is put in its place when it is whole. `machine` is by default this one's name.
    Raises ArchiveError.
    """
    part = path.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with zipfile.ZipFile(part, "w", zipfile.ZIP_DEFLATED) as file:
            written = _Writer(file).write(runs, blob, machine or platform.node() or None)
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

    def __init__(self, file: zipfile.ZipFile) -> None:
        self._file = file
        self._bytes = 0

    def write(
        self, runs: Sequence[Run], blob: Callable[[str], bytes], machine: str | None
    ) -> Written:
        if len(runs) > model.MOST_RUNS:
            raise ArchiveError(
                f"An archive holds {model.MOST_RUNS:,} runs at most, these are {len(runs):,}: "
                "export them in several."
            )
        self._put(model.MANIFEST, _line(_manifest(runs, machine)))
        with self._file.open(_entry(model.RUNS), "w") as lines:
            for line in map(_run_line, runs):
                self._count(len(line))
                lines.write(line)
        found = [self._put_blob(name, blob) for name in _blobs_of(runs)]
        return Written(len(runs), sum(found), len(found) - sum(found))

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


def _manifest(runs: Sequence[Run], machine: str | None) -> dict[str, Any]:
    return {
        "format": model.FORMAT,
        "version": model.VERSION,
        "created": datetime.now(timezone.utc).isoformat(timespec="seconds"),
        "machine": machine,
        "writer": f"tilelang-workbench {__version__}",
        "runs": len(runs),
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


def _blobs_of(runs: Iterable[Run]) -> Iterator[str]:
    """The hashes that runs refer to, each once."""
    yield from dict.fromkeys(name for run in runs for name in run.blobs)
