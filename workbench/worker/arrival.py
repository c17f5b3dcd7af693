"""The first code of a worker on another machine: takes the worker's own code through its input.

It is given to `python -c` as a text, so it needs nothing but the standard library, and it is read
by whatever Python is there: its syntax is that of Python 3.4. What it says are lines of `MARK` and
JSON, before the first frame of the protocol.
"""

import sys
from typing import Any, Optional

sys.path[:] = [path for path in sys.path if path]  # files where a login begins are none of ours

import atexit  # noqa: E402
import hashlib  # noqa: E402
import io  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import platform  # noqa: E402
import shutil  # noqa: E402
import struct  # noqa: E402
import tempfile  # noqa: E402
import time  # noqa: E402
import zipfile  # noqa: E402

MARK = b"TLW-ARRIVAL "
HEAD = struct.Struct(">4sQ32s")  # "TLWA", length, sha256
MOST_BYTES = 64 * 1024 * 1024
OLDEST = (3, 10)
SIZES = "sizes.json"
KEPT_SECONDS = 30 * 24 * 3600


class RefusalError(Exception):
    """Why no worker starts here: a word that the other side knows, and what belongs to it."""

    def __init__(self, word: str, **details: str) -> None:
        Exception.__init__(self, word)
        self.message = dict(details, error=word)  # type: dict[str, str]


def say(**message: Any) -> None:
    """Write one line of ours; it begins a line of its own whatever was printed before."""
    message.update(
        python=platform.python_version(), executable=sys.executable, node=platform.node()
    )
    text = b"\n" + MARK + json.dumps(message).encode("ascii") + b"\n"
    while text:
        text = text[os.write(1, text) :]


def arrive(digest: str) -> str:
    """The folder that holds the code named by `digest`, there or received now."""
    if sys.version_info < OLDEST:
        raise RefusalError("python")
    if os.isatty(0):
        raise RefusalError("terminal")
    root = cache_root()
    folder = None if root is None else os.path.join(root, digest)
    if folder is not None and is_complete(folder):
        os.utime(folder)
        say(need=False)
        return folder
    say(need=True)
    content = receive(digest)
    try:
        return unpack(content, root, digest)
    except OSError as error:
        raise RefusalError("folder", detail=str(error)) from error


def cache_root() -> Optional[str]:
    """The folder for code that arrived, made if need be; None where there can be none."""
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    cache = os.environ.get("TILELANG_WORKBENCH_CACHE") or os.path.join(base, "tilelang-workbench")
    root = os.path.join(cache, "worker")
    try:
        os.makedirs(root, mode=0o700, exist_ok=True)
        with tempfile.TemporaryFile(dir=root):
            os.environ.setdefault("TILELANG_WORKBENCH_CACHE", cache)
            return root
    except OSError:
        return None


def is_complete(folder: str) -> bool:
    """Whether every file is there as it was unpacked; who tidies a disk may have taken some."""
    try:
        with open(os.path.join(folder, SIZES)) as file:
            sizes = json.load(file)
        return all(os.path.getsize(os.path.join(folder, n)) == size for n, size in sizes.items())
    except (OSError, ValueError):
        return False


def receive(digest: str) -> bytes:
    """The archive from the input; refused where it is not the one that was announced."""
    magic, length, sha256 = HEAD.unpack(read(HEAD.size))
    if magic != b"TLWA" or length > MOST_BYTES:
        raise RefusalError("archive", detail="the archive does not begin as one: %r" % magic)
    content = read(length)
    found = hashlib.sha256(content).digest()
    if found != sha256 or hashlib.sha256(content).hexdigest() != digest:
        raise RefusalError("hash", detail=hashlib.sha256(content).hexdigest())
    return content


def read(count: int) -> bytes:
    """So many bytes of the input, unbuffered: what follows them is the protocol's."""
    parts = []
    while count:
        part = os.read(0, min(count, 1024 * 1024))
        if not part:
            raise RefusalError("archive", detail="the input ended %d bytes too early" % count)
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def unpack(content: bytes, root: Optional[str], digest: str) -> str:
    """Put the archive's files in the folder of its hash, or in one that goes with this process."""
    part = tempfile.mkdtemp(prefix="." + digest[:8], dir=root)
    try:
        fill(part, content)
        if root is None:
            atexit.register(shutil.rmtree, part, ignore_errors=True)
            return part
        return take_place(part, os.path.join(root, digest))
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise


def fill(folder: str, content: bytes) -> None:
    """Unpack the archive, with the sizes by which it is known to be whole."""
    archive = zipfile.ZipFile(io.BytesIO(content))
    archive.extractall(folder)
    with open(os.path.join(folder, SIZES), "w") as file:
        json.dump({entry.filename: entry.file_size for entry in archive.infolist()}, file)


def take_place(part: str, folder: str) -> str:
    """Make `part` the folder at once; another worker may do the same at this moment."""
    if os.path.isdir(folder) and not is_complete(folder):
        os.rename(folder, part + ".old")
    try:
        os.rename(part, folder)
    except OSError:
        if not is_complete(folder):
            raise
        shutil.rmtree(part, ignore_errors=True)
    drop_old(os.path.dirname(folder))
    return folder


def drop_old(root: str) -> None:
    """Remove what nobody has used for a month, and what was left behind half done."""
    for name in os.listdir(root):
        path = os.path.join(root, name)
        try:
            if os.stat(path).st_mtime < time.time() - KEPT_SECONDS:
                shutil.rmtree(path, ignore_errors=True)
        except OSError:
            continue  # another worker removed it first


def main(digest: str, host: str) -> None:
    """Become the supervisor, with the code that belongs to `digest`."""
    try:
        folder = arrive(digest)
    except RefusalError as refusal:
        say(**refusal.message)
        sys.exit(3)
    os.chdir(folder)  # an executor looks for modules where it starts
    sys.path.insert(0, folder)
    os.environ["TILELANG_WORKBENCH_HOST"] = host
    say(ready=True)
    from workbench.worker import supervisor

    supervisor.main(supervisor.SILENCE_SECONDS)


if __name__ == "__main__":
    main(*sys.argv[1:])
