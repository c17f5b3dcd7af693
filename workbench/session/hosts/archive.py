"""The worker's own code as one archive, for machines on which nobody installed the workbench."""

from __future__ import annotations

import base64
import functools
import hashlib
import io
import struct
import zipfile
import zlib
from dataclasses import dataclass
from pathlib import Path

_PACKAGE = Path(__file__).resolve().parents[2]
#: What the worker consists of; the data folders stay here, as nothing of the engine reads them.
_PARTS = ("__init__.py", "core", "wire", "engine", "worker")
_ARRIVAL = _PACKAGE / "worker" / "arrival.py"
_HEAD = struct.Struct(">4sQ32s")  # as worker/arrival.py reads it
_EPOCH = (1980, 1, 1, 0, 0, 0)  # the archive of the same files is the same bytes


@dataclass(frozen=True)
class WorkerArchive:
    """A zip of the worker's modules; `digest` is its sha256 in hexadecimal."""

    content: bytes
    digest: str

    @property
    def message(self) -> bytes:
        """The archive as it goes through the pipe: its length and hash, then its bytes."""
        return _HEAD.pack(b"TLWA", len(self.content), bytes.fromhex(self.digest)) + self.content


@functools.lru_cache(maxsize=1)
def worker_archive() -> WorkerArchive:
    """The archive of this installation, made once a process."""
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for path in _files():
            name = path.relative_to(_PACKAGE.parent).as_posix()
            entry = zipfile.ZipInfo(name, _EPOCH)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
            archive.writestr(entry, path.read_bytes())
    content = stream.getvalue()
    return WorkerArchive(content, hashlib.sha256(content).hexdigest())


@functools.lru_cache(maxsize=1)
def arrival_code() -> str:
    """The words of `python -c` that receive the archive."""
    return code_of(_ARRIVAL)


def code_of(program: Path) -> str:
    """A program's text for `python -c`: no quote that a shell could stumble over.

    In single quotes every shell leaves it as it is: it has neither those nor a backslash, an
    exclamation mark or a line break.
    """
    packed = base64.b64encode(zlib.compress(program.read_bytes(), 9)).decode()
    return f'import base64,zlib;exec(zlib.decompress(base64.b64decode("{packed}")))'


def _files() -> list[Path]:
    found = [
        path for part in _PARTS for path in (_PACKAGE / part, *(_PACKAGE / part).rglob("*.py"))
    ]
    return sorted(path for path in found if path.is_file() and "__pycache__" not in path.parts)
