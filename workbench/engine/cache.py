"""The two-level cache of compile jobs.

Level 1, in memory: document, the workspace files it imported, arguments and target give the built
PrimFunc. Level 2, on disk: the PrimFunc's text with target, configuration and tool versions gives
what TileLang and the CUDA compiler made of it. Level 2 serves every executor and later starts.
"""

from __future__ import annotations

import collections
import contextlib
import hashlib
import json
import os
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.jobs import KernelChoice, Source
from workbench.core.plain import to_plain

BUILT_ENTRIES = 32
DISK_BYTES = 512 * 1024**2
_FORMAT = "compiled-2"


def digest(*parts: Any) -> str:
    """A SHA-256 over plain values, in hexadecimal."""
    text = json.dumps(to_plain(parts), sort_keys=True, default=repr)
    return hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class _Entry:
    value: Any
    files: Mapping[str, str]


class BuiltCache:
    """Built kernels by document, arguments and target; the least recently used are dropped."""

    def __init__(self, entries: int = BUILT_ENTRIES) -> None:
        self._entries: collections.OrderedDict[str, _Entry] = collections.OrderedDict()
        self._limit = entries

    def get(self, source: Source, choice: KernelChoice, target: Mapping[str, Any]) -> Any | None:
        """What was built before, where neither the document nor a file it imported has changed."""
        key = _built_key(source, choice, target)
        entry = self._entries.get(key)
        if entry is None:
            return None
        if any(file_digest(path) != known for path, known in entry.files.items()):
            del self._entries[key]
            return None
        self._entries.move_to_end(key)
        return entry.value

    def put(
        self,
        source: Source,
        choice: KernelChoice,
        target: Mapping[str, Any],
        value: Any,
        files: tuple[str, ...],
    ) -> None:
        """Remember `value` with the digests of the workspace `files` that it was built from."""
        known = {path: file_digest(path) for path in files}
        self._entries[_built_key(source, choice, target)] = _Entry(value, known)
        while len(self._entries) > self._limit:
            self._entries.popitem(last=False)


def file_digest(path: str) -> str:
    """A SHA-256 of a file's bytes, or "absent"."""
    try:
        return hashlib.sha256(Path(path).read_bytes()).hexdigest()
    except OSError:
        return "absent"


def _built_key(source: Source, choice: KernelChoice, target: Mapping[str, Any]) -> str:
    args = {name: repr(value) for name, value in choice.args.items()}
    return digest(source.path, source.text, source.modules, choice.name, args, target)


class DiskCache:
    """JSON entries in a folder, written by replacement, the oldest removed over a size limit."""

    def __init__(self, folder: Path | None, limit_bytes: int = DISK_BYTES) -> None:
        self._folder = folder
        self._limit = limit_bytes

    def get(self, key: str) -> dict[str, Any] | None:
        """The entry of `key`, or None where there is none or it cannot be read."""
        if self._folder is None:
            return None
        path = self._path(key)
        try:
            entry = json.loads(path.read_bytes())
            os.utime(path)  # its age is its last use
        except (OSError, ValueError):
            return None
        return entry["value"] if isinstance(entry, dict) and entry.get("form") == _FORMAT else None

    def put(self, key: str, value: Mapping[str, Any]) -> None:
        """Keep `value` under `key`; a full or read-only disk costs the entry alone."""
        if self._folder is None:
            return
        with contextlib.suppress(OSError):
            path = self._path(key)
            path.parent.mkdir(parents=True, exist_ok=True)
            _write_replacing(path, json.dumps({"form": _FORMAT, "value": value}))
            self._prune()

    def _path(self, key: str) -> Path:
        assert self._folder is not None
        return self._folder / key[:2] / f"{key}.json"

    def _prune(self) -> None:
        assert self._folder is not None
        files = [(p.stat().st_mtime, p.stat().st_size, p) for p in self._folder.glob("*/*.json")]
        excess = sum(size for _, size, _ in files) - self._limit
        for _, size, path in sorted(files):
            if excess <= 0:
                return
            path.unlink(missing_ok=True)
            excess -= size


def disk_cache() -> DiskCache:
    """The disk cache of this process: the folder that the session named, or none."""
    folder = os.environ.get("TILELANG_WORKBENCH_CACHE")
    return DiskCache(Path(folder, "compiled") if folder else None)


def remembered(cache: DiskCache, key: str, make: Callable[[], dict[str, Any]]) -> tuple[Any, bool]:
    """The entry of `key`, made and kept where it is missing, and whether it was there."""
    known = cache.get(key)
    if known is not None:
        return known, True
    value = make()
    cache.put(key, value)
    return value, False


def _write_replacing(path: Path, text: str) -> None:
    handle, name = tempfile.mkstemp(dir=path.parent, suffix=".tmp")
    with os.fdopen(handle, "w", encoding="utf-8") as stream:
        stream.write(text)
    os.replace(name, path)
