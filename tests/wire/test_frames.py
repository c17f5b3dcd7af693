from __future__ import annotations

import io
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.wire.frames import Frame, FrameError, FrameWriter, encode_frame, read_frame

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda s: st.lists(s, max_size=3),
    max_leaves=10,
)


@given(st.dictionaries(st.text().filter(lambda k: k != "blobs"), JSON), st.lists(st.binary()))
def test_a_frame_survives_the_pipe(header: dict[str, object], blobs: list[bytes]) -> None:
    stream = io.BytesIO(encode_frame(header, blobs))
    assert read_frame(stream) == Frame(header, tuple(blobs))
    assert read_frame(stream) is None


def test_frames_follow_one_another() -> None:
    stream = io.BytesIO(encode_frame({"a": 1}, [b"x"]) + encode_frame({"b": 2}))
    assert [read_frame(stream), read_frame(stream)] == [Frame({"a": 1}, (b"x",)), Frame({"b": 2})]


@given(st.integers(1, 40))
def test_a_cut_frame_is_an_error(kept: int) -> None:
    data = encode_frame({"type": "hello"}, [b"0123456789"])
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(data[: min(kept, len(data) - 1)]))


@pytest.mark.parametrize(
    "data",
    [
        b"Traceback (most recent call last)",
        b"TLW1\xff\xff\xff\xff",
        b"TLW1\x00\x00\x00\x02[]",
        b"TLW1\x00\x00\x00\x02{x",
        b'TLW1\x00\x00\x00\x0e{"blobs":[-1]}',
    ],
)
def test_what_is_no_frame_is_refused(data: bytes) -> None:
    with pytest.raises(FrameError):
        read_frame(io.BytesIO(data))


def test_threads_do_not_interleave_frames() -> None:
    stream = io.BytesIO()
    writer = FrameWriter(stream)

    def write(name: int) -> None:
        for _ in range(50):
            writer.write({"from": name}, [bytes([name]) * 1000])

    threads = [threading.Thread(target=write, args=(name,)) for name in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    stream.seek(0)
    frames = [read_frame(stream) for _ in range(200)]
    assert all(f is not None and set(f.blobs[0]) == {f.header["from"]} for f in frames)
