"""Verifications on the other side of an ssh connection, and what becomes of them when it breaks."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from far_jobs import FarJobs, scale_request, scale_text
from loopback_ssh import LoopbackSsh

from workbench.cli import main
from workbench.core.hosts import Host
from workbench.session.hosts.pool import hosts_file
from workbench.session.hosts.testing import HostTest
from workbench.session.jobs import WorkerStatus


@pytest.fixture
def jobs(ssh_host: Host) -> Iterator[FarJobs]:
    made = FarJobs(ssh_host)
    yield made
    made.controller.close()


def far_processes(sshd: LoopbackSsh, module: str) -> list[psutil.Process]:
    return [p for p in sshd.below() if any(module in word for word in p.cmdline())]


def settled(sshd: LoopbackSsh) -> list[psutil.Process]:
    """What still runs on the other side after a while."""
    deadline = time.monotonic() + 10
    while (left := sshd.below()) and time.monotonic() < deadline:
        time.sleep(0.05)
    return left


def test_the_command_line_verifies_on_a_host_that_has_only_torch_and_tilelang(
    ssh_host: Host,
    sshd: LoopbackSsh,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    hosts_file().save(ssh_host)
    text = "import factors\n" + scale_text(factor="factors.TWO")
    (tmp_path / "scale.py").write_text(text)
    (tmp_path / "factors.py").write_text("TWO = 2.0\n")
    words = ["verify", "scale.py", "--set", "N=256", "--on", "gpu1:simulator", "--json"]
    assert main(words) == 0
    (result,) = json.loads(capsys.readouterr().out)["results"]
    assert (result["status"], result["host"], result["on"]) == ("pass", "gpu1", "gpu1:simulator")
    assert main(["runs", "show", result["run"], "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["run"]["host"] == "gpu1"
    assert settled(sshd) == []


def test_a_killed_executor_and_a_cut_connection_cost_their_job_alone(
    jobs: FarJobs, sshd: LoopbackSsh, tmp_path: Path
) -> None:
    ends = jobs.submit_and_see_run(scale_request(tmp_path, seconds=60))
    (executor,) = far_processes(sshd, "workbench.worker.executor")
    executor.kill()
    crashed = jobs.wait(ends)
    assert (crashed.outcome, crashed.signal) == ("failed", "SIGKILL")

    ends = jobs.submit(scale_request(tmp_path, seconds=61))
    jobs.until(lambda: "loading takes 61" in jobs.printed)
    (ssh,) = [p for p in psutil.Process().children() if p.name() == "ssh"]
    os.kill(ssh.pid, signal.SIGKILL)
    lost = jobs.wait(ends)
    assert lost.outcome == "lost"
    assert lost.failure is not None
    assert "gpu1" in lost.failure.message
    assert "loading takes 61" in lost.log_tail
    assert jobs.controller.state.status is WorkerStatus.LOST
    assert settled(sshd) == []

    assert jobs.passes(scale_request(tmp_path))


def test_a_connection_that_the_other_side_ends_is_told_with_the_words_of_ssh(
    jobs: FarJobs, sshd: LoopbackSsh, tmp_path: Path
) -> None:
    ends = jobs.submit(scale_request(tmp_path, seconds=60))
    jobs.until(lambda: jobs.controller.state.versions)
    for session in psutil.Process(sshd.process.pid).children():
        session.kill()
    lost = jobs.wait(ends)
    assert lost.outcome == "lost"
    assert lost.failure is not None
    assert "connection to gpu1 was lost" in lost.failure.message
    assert any("onnection" in line for line in lost.log_tail)


def test_cancelling_ends_the_job_on_the_other_side(
    jobs: FarJobs, sshd: LoopbackSsh, tmp_path: Path
) -> None:
    ends = jobs.submit(scale_request(tmp_path, seconds=60))
    jobs.until(lambda: far_processes(sshd, "workbench.worker.executor"))
    jobs.controller.cancel_all()
    assert jobs.wait(ends).outcome == "cancelled"
    jobs.controller.close()
    assert settled(sshd) == []


def test_a_key_that_is_refused_gives_the_words_of_ssh_and_the_cure(
    ssh_host: Host, sshd: LoopbackSsh
) -> None:
    host = Host("gpu1", sshd.command("other_key"), ssh_host.python, shell=True)
    report = HostTest(host).run()
    assert not report.reached
    assert report.reason is not None
    assert "Permission denied (publickey)" in report.reason
    assert "ssh-add" in report.reason


def test_a_host_whose_key_is_another_is_not_trusted(
    ssh_host: Host, sshd: LoopbackSsh, tmp_path: Path
) -> None:
    name, kind, _ = (sshd.folder / "known_hosts").read_text().split()[:3]
    other = (sshd.folder / "other_key.pub").read_text().split()[1]
    (tmp_path / "known").write_text(f"{name} {kind} {other}\n")
    command = [w for w in sshd.command() if "UserKnownHostsFile" not in w]
    command.insert(1, f"-oUserKnownHostsFile={tmp_path / 'known'}")
    report = HostTest(Host("gpu1", tuple(command), ssh_host.python, shell=True)).run()
    assert report.reason is not None
    assert "another than the one that ssh remembers" in report.reason


def test_a_python_that_is_not_there_is_named(ssh_host: Host, sshd: LoopbackSsh) -> None:
    host = Host("gpu1", ssh_host.command, "/nowhere/python3", shell=True)
    report = HostTest(host).run()
    assert report.reason is not None
    assert "no '/nowhere/python3' on gpu1" in report.reason
    assert "hosts edit gpu1 --python" in report.reason


def test_a_port_at_which_nobody_listens_is_told(ssh_host: Host) -> None:
    command = tuple("-p1" if word.startswith("-p") else word for word in ssh_host.command)
    report = HostTest(Host("gpu1", command, ssh_host.python, shell=True)).run()
    assert report.reason is not None
    assert "answers, but not ssh" in report.reason


def test_the_test_of_a_host_tells_what_is_there(ssh_host: Host, bare_python: Path) -> None:
    report = HostTest(ssh_host).run()
    assert report.reached
    assert report.probe is not None
    assert report.probe.executable == str(bare_python)
    assert set(report.probe.versions) >= {"torch", "tilelang", "numpy"}
    assert report.can("simulator")
