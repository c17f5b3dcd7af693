"""Copies of unsaved text in the user's data folder, and those that a crash has left there.

Each running window has a folder of its own below `recovery`, with a file `lock` that it holds
locked and one JSON file a document. The system lets go of the lock when the process ends, however
it ends: a folder whose lock is free belongs to nobody any more.

Version 1 of a copy: `path` (string or null), `text` with its own line ends, `base` (SHA-256 of
the file that the text was made from, or null), `written` (seconds since 1970), and where it holds
`foreign` (true: the text came with a run of another machine).
"""

from __future__ import annotations

import hashlib
import json
import shutil
import time
import uuid
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core.atomic_files import write_atomically
from workbench.core.json_files import JsonFile
from workbench.core.user_folders import user_data_folder
from workbench.session.folder_lock import FolderLock

# From the first change on, so that who types without a pause has copies too. The window asks for
# what is due once a second: together less than the five seconds that may be lost.
DELAY_SECONDS = 2.0
RETRY_SECONDS = 30.0


@dataclass(frozen=True)
class Snapshot:
    """The unsaved text of a document; `base` is the content of its file that it was made from."""

    path: Path | None
    text: str
    base: bytes | None = None
    foreign: bool = False


@dataclass(frozen=True)
class RecoveryCopy:
    """A copy that a crash has left; `base_digest` is that of the file it was made from."""

    file: Path
    path: Path | None
    text: str
    written: float
    base_digest: str | None
    foreign: bool = False


@dataclass(frozen=True)
class Leftovers:
    """What crashes have left, the newest first, and what of it cannot be read, in sentences."""

    copies: tuple[RecoveryCopy, ...]
    problems: tuple[str, ...] = ()


class RecoveryStore:
    """The copies of one running window. `close` takes its folder away."""

    def __init__(
        self, root: Path | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._root = root if root is not None else user_data_folder() / "recovery"
        self._clock = clock
        self._due: dict[str, tuple[float, Callable[[], Snapshot]]] = {}
        self._claimed: list[FolderLock] = []
        self._own = self._make_folder()

    @property
    def is_waiting(self) -> bool:
        """Whether something is to be written: then `write_due` should be called every second."""
        return bool(self._due)

    def note_change(self, key: str, read: Callable[[], Snapshot]) -> None:
        """Have the document `key` copied soon; `read` then gives its text."""
        if key not in self._due:
            self._due[key] = (self._clock() + DELAY_SECONDS, read)

    def write_due(self) -> tuple[str, ...]:
        """Write what is due; returns a sentence for each copy that could not be written.

        What failed is tried again after `RETRY_SECONDS`.
        """
        now = self._clock()
        problems = []
        for key, (when, read) in list(self._due.items()):
            if when > now:
                continue
            try:
                self._write(key, read())
                del self._due[key]
            except OSError as error:
                self._due[key] = (now + RETRY_SECONDS, read)
                problems.append(_failure(self._file(key), error))
        return tuple(problems)

    def discard(self, key: str) -> None:
        """Forget a document that is saved or closed."""
        self._due.pop(key, None)
        self._file(key).unlink(missing_ok=True)

    def left_by_crash(self) -> Leftovers:
        """Claim and read the copies of windows that have crashed; no other window gets them."""
        copies: list[RecoveryCopy] = []
        problems: list[str] = []
        for folder in self._abandoned():
            for file in sorted(folder.glob("*.json")):
                try:
                    copies.append(_read(file))
                except ValueError as error:
                    problems.append(str(error))
        copies.sort(key=lambda copy: -copy.written)
        return Leftovers(tuple(copies), tuple(problems))

    def drop(self, copy: RecoveryCopy) -> None:
        """Delete a copy that was taken over or refused."""
        copy.file.unlink(missing_ok=True)

    def leave(self) -> None:
        """Write what is not written yet and let go of it: the next start finds it as after a crash.

        Raises OSError where a copy cannot be written; what was written before stays.
        """
        for key, (_, read) in list(self._due.items()):
            self._write(key, read())
            del self._due[key]
        self._own.release()
        for lock in self._claimed:
            lock.release()
        self._claimed.clear()

    def close(self) -> None:
        """Take this window's folder away, and the claimed ones that are empty by now."""
        self._due.clear()
        for lock in self._claimed:
            is_empty = not any(lock.folder.glob("*.json"))
            lock.release()
            if is_empty:
                shutil.rmtree(lock.folder, ignore_errors=True)
        self._claimed.clear()
        self._own.release()
        shutil.rmtree(self._own.folder, ignore_errors=True)

    def _make_folder(self) -> FolderLock:
        """Lock a folder before it has the name by which other windows see it."""
        name = uuid.uuid4().hex
        hidden = self._root / f".{name}"
        hidden.mkdir(parents=True)
        lock = FolderLock(hidden)
        if not lock.acquire():
            raise RuntimeError(f"{hidden} is new and locked by another process.")
        hidden.rename(self._root / name)
        lock.folder = self._root / name
        return lock

    def _abandoned(self) -> Iterator[Path]:
        for folder in sorted(self._root.iterdir()):
            if folder.name.startswith(".") or folder == self._own.folder or not folder.is_dir():
                continue
            lock = FolderLock(folder)
            if lock.acquire():
                self._claimed.append(lock)
                yield folder

    def _file(self, key: str) -> Path:
        return self._own.folder / f"{hashlib.sha256(key.encode()).hexdigest()[:32]}.json"

    def _write(self, key: str, snapshot: Snapshot) -> None:
        values = {
            "version": 1,
            "path": str(snapshot.path) if snapshot.path else None,
            "text": snapshot.text,
            "base": digest(snapshot.base) if snapshot.base is not None else None,
            "written": time.time(),
            **({"foreign": True} if snapshot.foreign else {}),
        }
        # A crash of this process loses nothing that the system has; waiting for the disk would
        # stop the window.
        write_atomically(self._file(key), json.dumps(values).encode(), durable=False)


def digest(content: bytes) -> str:
    """The SHA-256 of a file's content."""
    return hashlib.sha256(content).hexdigest()


def _read(file: Path) -> RecoveryCopy:
    """Read a copy; raises ValueError, whose message says what is wrong with which file."""
    content = JsonFile(file).read()
    if content.problems:
        raise ValueError(content.problems[0])
    values = content.values
    try:
        path, base = values["path"], values["base"]
        return RecoveryCopy(
            file=file,
            path=Path(path) if path is not None else None,
            text=str(values["text"]),
            written=float(values["written"]),
            base_digest=str(base) if base is not None else None,
            foreign=values.get("foreign") is True,
        )
    except (KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{file} is no copy of a document: {error!r}.") from error


def _failure(file: Path, error: OSError) -> str:
    return (
        f"Unsaved text cannot be copied to {file.parent}: {error.strerror or error}. "
        "Save your documents, and free some space or make the folder writable."
    )
