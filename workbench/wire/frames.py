"""One message on a pipe: a JSON header and binary blobs, each framed by its length.

Layout of a frame, integers big-endian: 4 bytes "TLW1", 4 bytes length of the header, the
header as UTF-8 JSON, then the blobs one after another. The header's key "blobs" lists
their lengths.
"""

from __future__ import annotations

import json
import struct
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import IO, Any

MAGIC = b"TLW1"
_PREFIX = struct.Struct(">4sI")
MAX_HEADER_BYTES = 64 * 1024**2
MAX_BLOB_BYTES = 4 * 1024**3


class FrameError(Exception):
    """The stream does not hold a frame where one must begin, or ends within one."""


@dataclass(frozen=True)
class Frame:
    """A message: `header` is JSON-like, `blobs` are opaque bytes that it refers to by index."""

    header: dict[str, Any]
    blobs: tuple[bytes, ...] = ()


def encode_frame(header: dict[str, Any], blobs: Sequence[bytes] = ()) -> bytes:
    """The bytes of one frame; raises TypeError where the header is not JSON.

    NaN and infinities are written as Python reads them.
    """
    text = json.dumps({**header, "blobs": [len(b) for b in blobs]})
    data = text.encode()
    return b"".join([_PREFIX.pack(MAGIC, len(data)), data, *blobs])


def read_frame(stream: IO[bytes]) -> Frame | None:
    """The next frame, or None at a clean end of the stream; raises FrameError."""
    prefix = _read_exactly(stream, _PREFIX.size, allow_end=True)
    if prefix is None:
        return None
    magic, header_bytes = _PREFIX.unpack(prefix)
    if magic != MAGIC or header_bytes > MAX_HEADER_BYTES:
        raise FrameError(f"expected a frame, found {prefix!r}")
    header = _parse_header(_read_all(stream, header_bytes))
    sizes = header.pop("blobs", [])
    return Frame(header, tuple(_read_all(stream, _checked_size(size)) for size in sizes))


class FrameWriter:
    """Writes whole frames to a stream from any thread."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._lock = threading.Lock()

    def write(self, header: dict[str, Any], blobs: Sequence[bytes] = ()) -> None:
        """Write and flush one frame; raises OSError where the other side is gone."""
        data = encode_frame(header, blobs)
        with self._lock:
            self._stream.write(data)
            self._stream.flush()


def _checked_size(size: Any) -> int:
    if not isinstance(size, int) or not 0 <= size <= MAX_BLOB_BYTES:
        raise FrameError(f"a blob cannot have {size!r} bytes")
    return size


def _parse_header(data: bytes) -> dict[str, Any]:
    try:
        header = json.loads(data)
    except ValueError as error:
        raise FrameError(f"the header is not JSON: {error}") from None
    if not isinstance(header, dict):
        raise FrameError("the header is not an object")
    return header


def _read_all(stream: IO[bytes], count: int) -> bytes:
    data = _read_exactly(stream, count, allow_end=False)
    assert data is not None
    return data


def _read_exactly(stream: IO[bytes], count: int, *, allow_end: bool) -> bytes | None:
    chunks: list[bytes] = []
    missing = count
    while missing:
        chunk = stream.read(missing)
        if not chunk:
            if allow_end and missing == count:
                return None
            raise FrameError(f"the stream ended {missing} bytes before the end of a frame")
        chunks.append(chunk)
        missing -= len(chunk)
    return b"".join(chunks)
