"""The files of the content-addressed blobs: packed with zlib, named by the content's sha256."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from pathlib import Path

from workbench.core.atomic_files import write_atomically
from workbench.core.history.errors import BlobMissingError
from workbench.core.runs import blob_hash


def pack(content: bytes) -> bytes:
    """Return the bytes that are written for `content`."""
    return zlib.compress(content, 6)


class BlobFiles:
    """The folder of the blobs: `<folder>/ab/cd/abcd...` for the hash abcd..."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def path(self, name: str) -> Path:
        """Return where the blob with the hash `name` lies, or would."""
        return self.folder / name[:2] / name[2:4] / name

    def write(self, name: str, packed: bytes) -> bool:
        """Store `packed` under `name`; return whether there was no such file before."""
        path = self.path(name)
        is_new = not path.is_file()
        if not is_new and path.stat().st_size == len(packed):
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        # Not durable: damage by a power loss shows in the hash, and waiting for the disk is slow.
        write_atomically(path, packed, durable=False)
        return is_new

    def read(self, name: str) -> bytes:
        """Return the content with the hash `name`; raises `BlobMissingError`."""
        path = self.path(name)
        try:
            content = zlib.decompress(path.read_bytes())
        except FileNotFoundError:
            raise BlobMissingError(
                f"{name[:12]} is not stored any more ({path}): it was removed to keep within the "
                "history quota, or never came. Run the kernel again, and pin runs to keep theirs."
            ) from None
        except zlib.error as error:
            raise self._damaged(path, str(error)) from error
        if blob_hash(content) != name:
            raise self._damaged(path, "its content has another hash")
        return content

    def remove(self, path: Path) -> bool:
        """Remove the file of a blob; return False where the system holds on to it."""
        try:
            path.unlink(missing_ok=True)
        except PermissionError:  # Windows, while another process reads it
            return False
        return True

    def files(self) -> Iterator[Path]:
        """Give every file in the folder, leftovers of interrupted writes too."""
        return (path for path in self.folder.glob("*/*/*") if path.is_file())

    @staticmethod
    def _damaged(path: Path, reason: str) -> BlobMissingError:
        return BlobMissingError(
            f"The stored file {path} is damaged ({reason}). Delete it and run the kernel again."
        )
