"""Stored contents: each once, packed, and collected in the right order under the quota."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from workbench.core.history import BlobMissingError, History
from workbench.core.history.blobs import BlobFiles, pack
from workbench.core.runs import Run, blob_hash

Make = Callable[..., Run]


def noise(seed: int, size_bytes: int = 1000) -> bytes:
    """Bytes that zlib cannot make smaller: they take `size_bytes` and 11 more."""
    return random.Random(seed).randbytes(size_bytes)


def stored(history: History, *contents: bytes) -> list[bool]:
    return [BlobFiles(history.path.parent / "blobs").path(blob_hash(c)).exists() for c in contents]


@given(content=st.binary(max_size=2000))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_content_comes_back(tmp_path: Path, content: bytes) -> None:
    files = BlobFiles(tmp_path)
    files.write(blob_hash(content), pack(content))
    assert files.read(blob_hash(content)) == content


def test_a_content_lies_two_folders_deep_and_packed(history: History, make_run: Make) -> None:
    content = b"x" * 100_000
    history.add(make_run(0, content), [content])
    name = blob_hash(content)
    path = history.path.parent / "blobs" / name[:2] / name[2:4] / name
    assert path.stat().st_size == history.stored_bytes() < 1000


def test_a_content_of_two_runs_is_stored_once(history: History, make_run: Make) -> None:
    history.add(make_run(0, noise(1)), [noise(1)])
    before = history.stored_bytes()
    history.add(make_run(1, noise(1)), [noise(1)])
    assert history.stored_bytes() == before


def test_what_no_run_names_is_collected_first(history: History, make_run: Make) -> None:
    runs = [make_run(i, noise(i)) for i in range(3)]
    for i, run in enumerate(runs):
        history.add(run, [noise(i)])
    history.delete(runs[2].id)
    history.quota_bytes = 3500
    history.add(make_run(3, noise(3)), [noise(3)])
    assert stored(history, *map(noise, range(4))) == [True, True, False, True]


def test_then_the_oldest_runs_lose_theirs_but_keep_their_row(
    history: History, make_run: Make
) -> None:
    runs = [make_run(i, noise(i)) for i in range(3)]
    for i in (1, 0, 2):
        history.add(runs[i], [noise(i)])
    history.quota_bytes = 3500
    history.add(make_run(3, noise(3)), [noise(3)])
    assert stored(history, *map(noise, range(4))) == [False, True, True, True]
    assert history.get(runs[0].id) == runs[0]
    with pytest.raises(BlobMissingError, match="pin runs"):
        history.blob(runs[0].blobs[0])


def test_a_content_that_a_newer_run_names_is_as_young_as_that(
    history: History, make_run: Make
) -> None:
    history.add(make_run(0, noise(0)), [noise(0)])
    history.add(make_run(1, noise(1)), [noise(1)])
    history.add(make_run(2, noise(0)))
    history.quota_bytes = 2500
    history.add(make_run(3, noise(3)), [noise(3)])
    assert stored(history, noise(0), noise(1)) == [True, False]


def test_a_content_that_an_older_run_names_too_stays_as_young(
    history: History, make_run: Make
) -> None:
    history.add(make_run(2, noise(2)), [noise(2)])
    history.add(make_run(1, noise(1)), [noise(1)])
    history.add(make_run(0, noise(2)))
    history.quota_bytes = 2500
    history.add(make_run(3, noise(3)), [noise(3)])
    assert stored(history, noise(2), noise(1)) == [True, False]


@pytest.mark.parametrize("mark", [{"pinned": True}, {"tags": ("best",)}])
def test_a_marked_run_never_loses_its_contents(
    history: History, make_run: Make, mark: dict[str, object]
) -> None:
    history.quota_bytes = 100
    run = make_run(0, noise(0))
    history.add(run, [noise(0)])
    history.update(run.id, lambda r: dataclasses.replace(r, **mark))
    for i in (1, 2):
        history.add(make_run(i, noise(i)), [noise(i)])
    assert stored(history, *map(noise, range(3))) == [True, False, True]


def test_a_run_without_its_mark_is_like_any_other(history: History, make_run: Make) -> None:
    run = make_run(0, noise(0), pinned=True)
    history.add(run, [noise(0)])
    history.update(run.id, lambda r: dataclasses.replace(r, pinned=False))
    history.quota_bytes = 100
    history.add(make_run(1))
    assert stored(history, noise(0)) == [False]


def test_the_run_being_added_keeps_its_contents_over_the_quota(
    history: History, make_run: Make
) -> None:
    history.quota_bytes = 0
    history.add(make_run(0, noise(0), noise(1)), [noise(0), noise(1)])
    assert stored(history, noise(0), noise(1)) == [True, True]


@given(steps=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1500)), max_size=12))
@settings(max_examples=25, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_the_total_is_the_size_of_the_files_and_within_the_quota(
    tmp_path_factory: pytest.TempPathFactory,
    make_run: Make,
    steps: list[tuple[int, int]],
) -> None:
    path = tmp_path_factory.mktemp("quota") / "history.sqlite"
    with History(path, quota_bytes=3000) as history:
        for minute, (seed, size) in enumerate(steps):
            content = noise(seed, size)
            history.add(make_run(minute, content), [content])
            files = [p for p in (path.parent / "blobs").rglob("*") if p.is_file()]
            assert history.stored_bytes() == sum(p.stat().st_size for p in files) <= 3000
            assert history.blob(blob_hash(content)) == content


def test_a_collected_content_is_stored_anew(history: History, make_run: Make) -> None:
    history.add(make_run(0, noise(0)), [noise(0)])
    history.quota_bytes = 0
    history.add(make_run(1))
    assert stored(history, noise(0)) == [False]
    history.add(make_run(2, noise(0)), [noise(0)])
    assert history.blob(blob_hash(noise(0))) == noise(0)


def test_a_lost_file_is_healed_by_the_next_run(history: History, make_run: Make) -> None:
    history.add(make_run(0, noise(0)), [noise(0)])
    BlobFiles(history.path.parent / "blobs").path(blob_hash(noise(0))).unlink()
    history.add(make_run(1, noise(0)), [noise(0)])
    assert history.blob(blob_hash(noise(0))) == noise(0)


@pytest.mark.parametrize("damage", [b"", b"no zlib", pack(b"another content")])
def test_a_damaged_file_is_told_not_returned(
    history: History, make_run: Make, damage: bytes
) -> None:
    history.add(make_run(0, b"content"), [b"content"])
    path = BlobFiles(history.path.parent / "blobs").path(blob_hash(b"content"))
    path.write_bytes(damage)
    with pytest.raises(BlobMissingError, match=r"damaged .* Delete it"):
        history.blob(blob_hash(b"content"))


def test_a_collection_sweeps_what_a_crash_left(history: History, make_run: Make) -> None:
    history.add(make_run(0, noise(0)), [noise(0)])
    files = BlobFiles(history.path.parent / "blobs")
    files.write(blob_hash(b"stray"), pack(b"stray"))
    part = files.path(blob_hash(noise(0))).with_name(".interrupted.part")
    part.write_bytes(b"half")
    history.quota_bytes = 0
    history.add(make_run(1, noise(1)), [noise(1)])
    assert [p.name for p in files.files()] == [blob_hash(noise(1))]
