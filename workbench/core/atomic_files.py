"""Writing of whole files: a reader, or a crash, meets the old content or the new, never a part."""

from __future__ import annotations

import contextlib
import os
import uuid
from pathlib import Path


def write_atomically(path: Path, content: bytes, *, durable: bool = True) -> None:
    """Replace the file at `path` by `content`, its permissions kept.

    A symbolic link keeps pointing at its file. `durable` waits until the bytes are on the disk.
    Raises `OSError` and leaves the old file.
    """
    target = Path(os.path.realpath(path))
    part = target.with_name(f".{uuid.uuid4().hex}.part")
    try:
        with part.open("xb") as file:
            file.write(content)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        with contextlib.suppress(FileNotFoundError):  # a new file has those of any new file
            part.chmod(target.stat().st_mode & 0o7777)
        os.replace(part, target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise
