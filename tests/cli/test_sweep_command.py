"""`sweep` from the command line, with real workers: predict, cancel, go on, apply; its faults."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest

from workbench.core.documents.reading import read_document
from workbench.core.sweeps import journal

ROOT = Path(__file__).parents[2]
VARY = ["--vary", "block_M=8,16", "--target", "h200", "--on", "none", "--jobs", "1"]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    path = tmp_path / "add.py"
    shutil.copy(ROOT / "kernels" / "elementwise_add.py", path)
    return path


def command(folder: Path, *words: str) -> list[str]:
    return [sys.executable, "-m", "workbench", "sweep", "--workspace", str(folder), *words]


def ran(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command(folder, *words), cwd=ROOT, capture_output=True, text=True, check=False
    )


def told(folder: Path, *words: str) -> dict[str, Any]:
    done = ran(folder, *words, "--json")
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_a_sweep_is_cancelled_without_trace_and_goes_on(document: Path, tmp_path: Path) -> None:
    with subprocess.Popen(
        command(tmp_path, str(document), *VARY, "--json"), cwd=ROOT, stdout=subprocess.PIPE
    ) as process:
        below = _executors(process.pid)
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        first = json.loads(process.stdout.read())
        process.wait()
        print(f"cancelled in {time.monotonic() - began:.2f} s")
    assert first["ended"] == "cancelled"
    assert not [p for p in below if p.is_running() and p.status() != psutil.STATUS_ZOMBIE]

    found = told(tmp_path, "--resume", first["sweep"])
    assert found["ended"] == "done"
    assert [p["outcome"] for p in found["points"]] == ["predicted", "predicted"]
    assert all(p["predicted"]["predicted_us"] > 0 for p in found["points"])
    assert all(p["predicted"]["registers"] > 0 for p in found["points"])
    assert told(tmp_path, "--show", first["sweep"][:8])["points"] == found["points"]
    (listed,) = told(tmp_path, "--list")["sweeps"]
    assert (listed["id"], listed["status"]) == (first["sweep"], "done")

    note = told(tmp_path, "--apply", first["sweep"], "--point", "1")["note"]
    metadata = read_document(document).metadata
    assert metadata is not None
    assert metadata.cases[0].args["block_M"] == 16
    assert metadata.cases[0].extra["note"] == note


def _executors(pid: int) -> list[psutil.Process]:
    """Everything below a process, once an executor is there."""
    end = time.monotonic() + 60
    while time.monotonic() < end:
        below = list(_below(pid))
        if any("workbench.worker.executor" in " ".join(p.cmdline()) for p in below):
            return below
        time.sleep(0.05)
    raise AssertionError("no executor was started")


def _below(pid: int) -> Iterator[psutil.Process]:
    for process in psutil.Process(pid).children(recursive=True):
        try:
            process.cmdline()
        except psutil.NoSuchProcess:
            continue
        yield process


def test_a_dry_run_says_what_remains_and_why_not_the_others(document: Path, tmp_path: Path) -> None:
    words = ["--vary", "block_M=8,16,32", "--vary", "threads=128,2048", "--target", "h200"]
    found = told(
        tmp_path, str(document), *words, "--on", "none", "--when", "block_M > 8", "--dry-run"
    )
    assert found["counts"]["open"] == 2
    reasons = {fate["code"]: len(fate["points"]) for fate in found["fell_out"]}
    assert reasons == {"condition": 2, "threads-over-limit": 2}
    assert journal.sweep_ids(tmp_path / ".workbench" / "sweeps") == ()


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ([], "needs a FILE"),
        (["add.py"], "at least one --vary"),
        (["add.py", "--vary", "blok_M=8"], "no parameter `blok_M`"),
        (["add.py", "--vary", "block_M=8", "--when", "block_X > 1"], "no argument block_X"),
        (["add.py", "--vary", "block_M=8", "--case", "nobody"], "no case `nobody`"),
        (["add.py", "--vary", "block_M=8", "--kernel", "sub"], "no kernel `sub`"),
        (["add.py", "--vary", "block_M=8", "--target", "h2000"], "h2000"),
        (["add.py", "--vary", "block_M=8", "--on", "simulator"], "only a GPU can measure"),
        (["add.py", "--vary", "block_M=8", "--on", "mars"], "known are none, local"),
        (["add.py", "--vary", "block_M=8", "--on", "none,local"], "stands alone"),
        (["add.py", "--vary", "block_M=8", "--when", "block_M *"], "invalid syntax at "),
        (["add.py", "--vary", "block_M=8", "--devices", "x"], "numbers with commas"),
        (["add.py", "--vary", "block_M=8", "--scheduler", "gpu1"], "an address begins with"),
        (["--show", "zzz"], "no sweep zzz"),
        (["--resume", "zzz"], "no sweep zzz"),
    ],
)
def test_faults_are_told_before_anything_starts(
    document: Path, tmp_path: Path, words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.main import main

    given = [str(document) if word == "add.py" else word for word in words]
    status = main(["sweep", "--workspace", str(tmp_path), *given])
    assert status == 2
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("detach", [(), ("--detach",)])
def test_without_a_gpu_to_measure_on_no_sweep_is_begun(
    document: Path,
    tmp_path: Path,
    detach: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from workbench.cli.main import main
    from workbench.session.machine import Machine

    bare = Machine("3.11")
    monkeypatch.setattr("workbench.session.sweeps.planning.inspect_machine", lambda: bare)
    words = ["--vary", "block_M=8,16", "--target", "h200", "--on", "local", *detach]
    assert main(["sweep", "--workspace", str(tmp_path), str(document), *words]) == 2
    said = capsys.readouterr().err
    assert "no GPU is to be seen on this machine" in said
    assert "--on none" in said
    assert journal.sweep_ids(tmp_path / ".workbench" / "sweeps") == ()


@pytest.mark.parametrize("detach", [(), ("--detach",)])
def test_a_host_that_cannot_be_reached_leaves_no_sweep_behind(
    document: Path,
    tmp_path: Path,
    detach: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    from workbench.cli import sweep_command
    from workbench.cli.main import main

    monkeypatch.setattr(sweep_command, "_BEGIN_SECONDS", 240.0)  # on a machine that is busy
    assert main(["hosts", "add", "gone", "--", "false"]) == 0
    words = ["--vary", "block_M=8,16", "--target", "h200", "--on", "gone", "--jobs", "1"]
    assert main(["sweep", "--workspace", str(tmp_path), str(document), *words, *detach]) == 2
    said = capsys.readouterr().err
    assert "\nerror: The command of gone ended" in f"\n{said}"
    assert journal.sweep_ids(tmp_path / ".workbench" / "sweeps") == ()


def test_a_detached_sweep_ends_when_it_is_told(document: Path, tmp_path: Path) -> None:
    many = ["--vary", "block_M=1..200", *VARY[2:]]  # it must not end by itself meanwhile
    begun = told(tmp_path, str(document), *many, "--detach")
    folder = tmp_path / ".workbench" / "sweeps" / begun["sweep"]
    end = time.monotonic() + 60
    while journal.runner_of(folder) is None and time.monotonic() < end:
        time.sleep(0.05)
    assert journal.runner_of(folder) == begun["process"]
    assert ran(tmp_path, "--resume", begun["sweep"]).returncode == 2
    print(f"cancelled in {told(tmp_path, '--cancel', begun['sweep'])['seconds']} s")
    assert journal.runner_of(folder) is None
    assert journal.read(folder).ended == "cancelled"
    assert not psutil.pid_exists(begun["process"]) or _is_gone(begun["process"])


def _is_gone(pid: int) -> bool:
    end = time.monotonic() + 10
    while time.monotonic() < end:
        try:
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                os.waitpid(pid, os.WNOHANG)
                return True
        except (psutil.NoSuchProcess, ChildProcessError):
            return True
        time.sleep(0.05)
    return False


def test_a_document_that_cannot_be_read_is_at_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.main import main

    broken = tmp_path / "broken.py"
    broken.write_text("def f(:\n")
    words = ["sweep", "--workspace", str(tmp_path), str(broken), "--vary", "block_M=8"]
    assert main(words) == 1
    assert "broken.py:1" in "".join(capsys.readouterr())
    assert main([*words, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["status"] == "fault"


def test_a_sweep_of_which_no_point_comes_through_ends_with_a_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.main import main

    words = ["sweep", "--workspace", str(tmp_path), str(ROOT / "kernels" / "gemm.py"), "--dry-run"]
    words += ["--on", "none"]
    assert main([*words, "--vary", "block_M=-5,0,1.5"]) == 1
    said = capsys.readouterr().out
    assert "3 points: 3 ruled out" in said  # for the first of the case's targets alone
    assert "block_M = -5, has to be a whole number above 0" in said
    assert main([*words, "--vary", "block_M=-5,64", "--target", "h100,a100"]) == 0
    assert "4 points (2 configurations × 2 targets): 2 to do" in capsys.readouterr().out


def test_the_first_of_several_cases_is_told_where_nobody_chose_one(
    document: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    from workbench.cli.main import main

    words = ["sweep", "--workspace", str(tmp_path), str(document), "--vary", "block_M=8,16"]
    words += ["--on", "none", "--dry-run"]
    assert main(words) == 0
    said = "add.py: the first of its cases is taken, tail; --case takes another: aligned, or all"
    assert capsys.readouterr().err == f"note: {said}\n"
    assert main([*words, "--case", "aligned"]) == 0
    assert "the first of its cases" not in capsys.readouterr().err
