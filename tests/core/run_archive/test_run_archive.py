"""Archives of runs: what goes in comes out, and what is wrong costs the entry that is wrong."""

from __future__ import annotations

import json
import zipfile
from collections.abc import Callable, Mapping
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.history.errors import BlobMissingError
from workbench.core.run_archive import (
    ArchiveError,
    EntryProblem,
    RunArchive,
    model,
    write_archive,
)
from workbench.core.runs import (
    Artifact,
    Metric,
    MetricSource,
    Run,
    RunKind,
    RunStatus,
    blob_hash,
    new_run_id,
)

START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
SAMPLES = Path(__file__).parents[2] / "data" / "run_archive"
CONTENT = b"samples"


def run_of(minute: int = 0, *contents: bytes, **fields: Any) -> Run:
    created = START + timedelta(minutes=minute)
    artifacts = tuple(Artifact.of(f"{i}.json", "x/y", c) for i, c in enumerate(contents))
    usual: dict[str, Any] = {"kind": RunKind.PROFILE, "status": RunStatus.DONE}
    return Run(
        **{"id": new_run_id(created), "created": created, "artifacts": artifacts, **usual, **fields}
    )


def store(*contents: bytes) -> Callable[[str], bytes]:
    held = {blob_hash(content): content for content in contents}

    def read(name: str) -> bytes:
        if name not in held:
            raise BlobMissingError(name)
        return held[name]

    return read


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """Two runs, the second with a content."""
    path = tmp_path / "runs.tlw.zip"
    write_archive(path, [run_of(0), run_of(1, CONTENT)], store(CONTENT), "gpu7")
    return path


def rewrite(path: Path, changes: Mapping[str, bytes | None]) -> None:
    """Replace entries, add those that are new, and leave out those that are None."""
    with zipfile.ZipFile(path) as file:
        entries = {name: file.read(name) for name in file.namelist()}
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in {**entries, **changes}.items():
            if content is not None:
                file.writestr(name, content)


def lines_of(path: Path) -> list[bytes]:
    with zipfile.ZipFile(path) as file:
        return file.read(model.RUNS).splitlines(keepends=True)


def test_runs_and_contents_come_back_as_they_were(tmp_path: Path) -> None:
    metrics = {"time_us": Metric(2.5, "us", MetricSource.MEASURED, "cuda events")}
    runs = [run_of(0), run_of(1, CONTENT, metrics=metrics, extra={"weather": "sunny"})]
    written = write_archive(tmp_path / "a.tlw.zip", runs, store(CONTENT), "gpu7")
    with RunArchive(tmp_path / "a.tlw.zip") as read:
        assert list(read.runs()) == runs
        assert read.blob(blob_hash(CONTENT)) == CONTENT
        assert (read.manifest.machine, read.manifest.runs) == ("gpu7", 2)
    assert (written.runs, written.blobs, written.lost) == (2, 1, 0)


def test_a_content_of_several_runs_is_in_it_once(tmp_path: Path) -> None:
    path = tmp_path / "a.tlw.zip"
    write_archive(path, [run_of(0, CONTENT), run_of(1, CONTENT)], store(CONTENT))
    with zipfile.ZipFile(path) as file:
        assert sorted(file.namelist()) == [
            f"blobs/{blob_hash(CONTENT)}",
            model.MANIFEST,
            model.RUNS,
        ]


def test_a_content_that_is_stored_no_more_is_told_and_absent(tmp_path: Path) -> None:
    path = tmp_path / "a.tlw.zip"
    assert write_archive(path, [run_of(0, CONTENT)], store()).lost == 1
    with RunArchive(path) as read:
        assert read.blob(blob_hash(CONTENT)) is None


def test_an_archive_that_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot be written"):
        write_archive(tmp_path / "nowhere" / "a.tlw.zip", [run_of()], store())
    assert not list(tmp_path.iterdir())


def test_the_sample_of_each_version_is_read() -> None:
    for number in range(1, model.VERSION + 1):
        with RunArchive(SAMPLES / f"version-{number}.tlw.zip") as read:
            (run,) = read.runs()
            assert isinstance(run, Run)
            assert run.extra == {"weather": "sunny"}
            assert run.metrics["time_us"].extra == {"confidence": [4.4, 4.6]}
            assert read.blob(run.artifacts[0].blob) == b'{"latency": null}'


def test_a_newer_archive_is_refused_with_both_versions(archive: Path) -> None:
    newer = {"format": model.FORMAT, "version": model.VERSION + 1}
    rewrite(archive, {model.MANIFEST: json.dumps(newer).encode()})
    with pytest.raises(ArchiveError, match=rf"version {model.VERSION + 1} .* {model.VERSION}\. "):
        RunArchive(archive)


@pytest.mark.parametrize(
    ("manifest", "says"),
    [
        (None, "no archive of runs"),
        (b"[]", "no archive of runs"),
        (b'{"format": "tilelang-workbench-runs", "version": true}', "its version is True"),
        (b"{", "cannot be read"),
    ],
)
def test_another_zip_file_is_refused(archive: Path, manifest: bytes | None, says: str) -> None:
    rewrite(archive, {model.MANIFEST: manifest})
    with pytest.raises(ArchiveError, match=says):
        RunArchive(archive)


def test_what_is_no_zip_file_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "a.tlw.zip"
    with pytest.raises(ArchiveError, match="There is no file"):
        RunArchive(path)
    path.write_bytes(b"nothing of the kind")
    with pytest.raises(ArchiveError, match="cannot be read as an archive of runs"):
        RunArchive(path)


def test_a_damaged_line_costs_that_run(archive: Path) -> None:
    first, second = lines_of(archive)
    rewrite(archive, {model.RUNS: first.replace(b"profile", b"compile") + b"{\n" + second})
    with RunArchive(archive) as read:
        changed, broken, run = read.runs()
    assert isinstance(run, Run)
    assert isinstance(changed, EntryProblem)
    assert isinstance(broken, EntryProblem)
    assert (changed.entry, broken.entry) == ("runs.jsonl, line 1", "runs.jsonl, line 2")
    assert "another hash" in changed.message


def test_a_run_of_an_unknown_kind_costs_that_run(archive: Path) -> None:
    plain = {**run_of().to_json(), "kind": "guess"}
    line = json.dumps({"sha256": model.run_hash(plain), "run": plain}).encode() + b"\n"
    rewrite(archive, {model.RUNS: line + lines_of(archive)[1]})
    with RunArchive(archive) as read:
        problem, run = read.runs()
    assert isinstance(run, Run)
    assert "it holds no run: " in str(problem)


def test_flipped_bytes_cost_the_content_that_they_are_in(archive: Path) -> None:
    with zipfile.ZipFile(archive) as file:
        entry = file.getinfo(f"blobs/{blob_hash(CONTENT)}")
    content = bytearray(archive.read_bytes())
    begin = entry.header_offset + 30 + len(entry.filename)
    content[begin + 1] ^= 0xFF
    archive.write_bytes(content)
    with RunArchive(archive) as read:
        assert len([run for run in read.runs() if isinstance(run, Run)]) == 2
        assert isinstance(read.blob(blob_hash(CONTENT)), EntryProblem)


def test_a_content_of_another_hash_is_not_taken(archive: Path) -> None:
    rewrite(archive, {f"blobs/{blob_hash(CONTENT)}": b"another"})
    with RunArchive(archive) as read:
        problem = read.blob(blob_hash(CONTENT))
    assert isinstance(problem, EntryProblem)
    assert problem.message == "its content has another hash"


def test_a_content_that_unpacks_beyond_its_bound_is_not_taken(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = bytes(2**20)
    rewrite(archive, {f"blobs/{blob_hash(bomb)}": bomb})
    monkeypatch.setattr(model, "MOST_BLOB_BYTES", 2**16)
    with RunArchive(archive) as read:
        problem = read.blob(blob_hash(bomb))
    assert isinstance(problem, EntryProblem)
    assert "larger than" in problem.message


def test_an_endless_line_costs_that_line(archive: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    second = lines_of(archive)[1]
    rewrite(archive, {model.RUNS: b"[" * 2**18 + b"\n" + second})
    monkeypatch.setattr(model, "MOST_RUN_BYTES", 2**16)
    with RunArchive(archive) as read:
        problem, run = read.runs()
    assert isinstance(run, Run)
    assert isinstance(problem, EntryProblem)
    assert "larger than" in problem.message


def test_an_archive_is_not_read_beyond_what_all_of_it_may_be(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MOST_BYTES", 600)
    with RunArchive(archive) as read, pytest.raises(ArchiveError, match="not read further"):
        list(read.runs())


def test_more_runs_than_any_archive_has_are_not_read(
    archive: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MOST_RUNS", 1)
    with RunArchive(archive) as read:
        run, problem = read.runs()
    assert isinstance(run, Run)
    assert "more than 1 runs" in str(problem)
    with pytest.raises(ArchiveError, match="export them in several"):
        write_archive(archive, [run_of(), run_of(1)], store())


def test_what_would_not_be_read_is_not_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model, "MOST_BLOB_BYTES", 4)
    path = tmp_path / "a.tlw.zip"
    assert write_archive(path, [run_of(0, CONTENT)], store(CONTENT)).lost == 1
    monkeypatch.setattr(model, "MOST_BYTES", 100)
    with pytest.raises(ArchiveError, match="export fewer runs"):
        write_archive(tmp_path / "b.tlw.zip", [run_of()], store())
    assert [file.name for file in tmp_path.iterdir()] == [path.name]
