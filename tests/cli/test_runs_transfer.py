from __future__ import annotations

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from workbench.core.run_archive import RunArchive
from workbench.core.runs import (
    Artifact,
    Metric,
    MetricSource,
    Run,
    RunKind,
    RunStatus,
    new_run_id,
)
from workbench.session.recording import open_history

TABLE = Path(__file__).parents[1] / "data" / "counters" / "ncu" / "c12_flash_sm80.raw.csv.gz"
START = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)


@pytest.fixture
def runs(tmp_path: Path) -> list[Run]:
    """Two runs of a workspace called `there`: a compile of `relu`, a profile of `matmul`."""
    (tmp_path / "there" / ".workbench").mkdir(parents=True)
    (tmp_path / "here" / ".workbench").mkdir(parents=True)
    kinds = ((RunKind.COMPILE, "relu"), (RunKind.PROFILE, "matmul"))
    made = []
    with open_history(tmp_path / "there") as history:
        for minute, (kind, kernel) in enumerate(kinds):
            created = START + timedelta(minutes=minute)
            artifacts = (Artifact.of("a.txt", "text/plain", kernel.encode()),)
            run = Run(
                new_run_id(created),
                created,
                kind,
                RunStatus.DONE,
                kernel=kernel,
                artifacts=artifacts,
            )
            history.add(run, [kernel.encode()])
            made.append(run)
    return made


def export(cli: Any, *words: object) -> Any:
    return cli("runs", "export", *words, "--workspace", "there", "--json")


def bring(cli: Any, *words: object) -> Any:
    return cli("runs", "import", *words, "--workspace", "here", "--json")


def test_runs_travel_from_one_workspace_to_another(cli: Any, runs: list[Run]) -> None:
    done = export(cli, "-o", "a.tlw.zip")
    assert (done.status, done.json["runs"], done.json["contents"]) == (0, 2, 2)
    (file,) = bring(cli, "a.tlw.zip").json["files"]
    assert (file["status"], sorted(file["imported"])) == ("ok", [run.id for run in runs])
    listed = cli("runs", "list", "--workspace", "here", "--json").json["runs"]
    assert {run["id"] for run in listed} == {run.id for run in runs}


def test_a_second_import_tells_what_was_here(cli: Any, runs: list[Run]) -> None:
    export(cli, "-o", "a.tlw.zip")
    bring(cli, "a.tlw.zip")
    again = bring(cli, "a.tlw.zip")
    (file,) = again.json["files"]
    assert (again.status, file["imported"], len(file["present"])) == (0, [], 2)


@pytest.mark.parametrize("words", [("--kernel", "matmul"), ("--kind", "profile")])
def test_runs_are_chosen_by_what_they_are(
    cli: Any, runs: list[Run], tmp_path: Path, words: tuple[str, ...]
) -> None:
    assert export(cli, *words, "-o", "a.tlw.zip").json["runs"] == 1
    with RunArchive(tmp_path / "a.tlw.zip") as archive:
        assert list(archive.runs()) == [runs[1]]


def test_runs_are_chosen_by_their_ids(cli: Any, runs: list[Run], tmp_path: Path) -> None:
    assert export(cli, runs[0].id, runs[0].id[:12]).json["file"] == "runs.tlw.zip"
    with RunArchive(tmp_path / "runs.tlw.zip") as archive:
        assert list(archive.runs()) == [runs[0]]


@pytest.mark.parametrize(
    ("words", "says"),
    [(("--kernel", "nobody"), "nothing is written"), (("zz",), "No run 'zz'")],
)
def test_an_export_of_nothing_is_refused(
    cli: Any, runs: list[Run], tmp_path: Path, words: tuple[str, ...], says: str
) -> None:
    done = export(cli, *words)
    assert (done.status, done.json["runs"], done.json["status"]) == (2, 0, "error")
    assert says in done.json["error"]["message"]
    assert not (tmp_path / "runs.tlw.zip").exists()


def test_ids_and_filters_are_not_mixed(cli: Any, runs: list[Run]) -> None:
    done = export(cli, runs[0].id, "--kernel", "relu")
    assert done.status == 2
    assert "not both" in done.json["error"]["message"]


def test_a_file_at_fault_costs_that_file(cli: Any, runs: list[Run]) -> None:
    export(cli, "-o", "a.tlw.zip")
    done = bring(cli, "nothing.tlw.zip", "a.tlw.zip")
    missing, good = done.json["files"]
    assert done.status == 2
    assert (missing["status"], missing["error"]["message"]) == (
        "error",
        "There is no file nothing.tlw.zip.",
    )
    assert (good["status"], len(good["imported"])) == ("ok", 2)


def test_a_person_is_told_in_sentences(cli: Any, runs: list[Run]) -> None:
    told = cli("runs", "export", "-o", "a.tlw.zip", "--workspace", "there").stdout
    assert told == "a.tlw.zip: 2 runs with 2 stored contents\n"
    told = cli("runs", "import", "a.tlw.zip", "--workspace", "here").stdout
    assert told == "a.tlw.zip: 2 runs imported\n"
    told = cli("runs", "import", "a.tlw.zip", "--workspace", "here").stdout
    assert told == "a.tlw.zip: 0 runs imported, 2 were here already\n"


def test_a_table_of_a_profiler_becomes_runs(cli: Any, runs: list[Run]) -> None:
    done = bring(cli, TABLE)
    (file,) = done.json["files"]
    assert (done.status, file["status"]) == (0, "ok")
    shown = cli("runs", "show", file["imported"][0], "--workspace", "here", "--json").json
    assert (shown["run"]["kind"], shown["run"]["device"]) == ("profile", "NVIDIA H200")
    assert shown["run"]["origin"] == TABLE.name
    assert shown["stored"]["counters"]["kernels"]


def test_a_launch_that_was_counted_is_listed_with_its_counters(cli: Any, runs: list[Run]) -> None:
    bring(cli, TABLE)
    row = cli("runs", "list", "--workspace", "here").stdout.splitlines()[1]
    assert "NVIDIA H200" in row
    assert row.endswith(f" wavefronts of shared memory, from {TABLE.name}")


def test_a_table_that_is_imported_twice_is_there_once(cli: Any, runs: list[Run]) -> None:
    first = bring(cli, TABLE).json["files"][0]
    again = bring(cli, TABLE).json["files"][0]
    assert (again["imported"], again["present"]) == ([], first["imported"])


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"\x00\x01nothing", b""])
def test_a_file_of_another_kind_is_refused(
    cli: Any, runs: list[Run], tmp_path: Path, content: bytes
) -> None:
    (tmp_path / "table.csv").write_bytes(content)
    done = bring(cli, "table.csv")
    (file,) = done.json["files"]
    assert (done.status, file["status"], file["imported"]) == (2, "error", [])
    assert "table.csv" in file["error"]["message"]


def test_a_profile_is_listed_with_its_spread_and_its_device(cli: Any, runs: list[Run]) -> None:
    metrics = {
        "time_us": 100.0, "time_us.p10": 99.0, "time_us.p90": 102.0, "tflops": 61.2,
        "gb_s": 812.0, "share.matmul": 0.52, "baseline.ratio": 1.25,
    }  # fmt: skip
    run = Run(
        new_run_id(START),
        START,
        RunKind.PROFILE,
        RunStatus.DONE,
        kernel="gemm",
        device="NVIDIA H200",
        metrics={name: Metric(value, "", MetricSource.MEASURED) for name, value in metrics.items()},
    )
    with open_history(Path("here")) as history:
        history.add(run)
    header, row = cli("runs", "list", "--workspace", "here").stdout.splitlines()
    assert "device" in header
    assert "NVIDIA H200" in row
    told = "100 µs (\N{MINUS SIGN}1 % to +2 %), 61.2 TFLOP/s, 812 GB/s, 52 % of matmul"
    assert row.endswith(f"{told}, 1.25 × baseline")


def test_an_archive_of_another_workspace_is_imported_into_the_one_here(
    cli: Any, runs: list[Run], tmp_path: Path
) -> None:
    archive = tmp_path / "there" / "away.tlw.zip"
    assert cli("runs", "export", "-o", archive, "--workspace", "there").status == 0
    (tmp_path / ".workbench").mkdir()
    (done,) = cli("runs", "import", archive, "--json").json["files"]
    assert len(done["imported"]) == len(runs)
    assert len(cli("runs", "list", "--json").json["runs"]) == len(runs)
