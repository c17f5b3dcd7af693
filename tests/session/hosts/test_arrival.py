"""A worker that comes to a host with its code, and each reason for which it does not start."""

from __future__ import annotations

import ast
import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from far_jobs import FarJobs, scale_request

from workbench.core.hosts import Host, make_host
from workbench.session.hosts import arrival
from workbench.session.hosts.archive import WorkerArchive, worker_archive
from workbench.session.hosts.command_lines import worker_words
from workbench.session.hosts.testing import HostTest

MakeHost = Callable[[Path | str], Host]


def behind(script: str, python: Path, folder: Path) -> Host:
    """A host whose command is a script; "$@" in it is what starts the worker."""
    environment = {"TILELANG_WORKBENCH_CACHE": str(folder / "far cache")}
    return make_host("box", ["sh", "-c", script, "sh"], str(python), environment=environment)


def unpacked(tmp_path: Path) -> list[Path]:
    return list((tmp_path / "far cache" / "worker").glob("[0-9a-f]*"))


def test_the_code_is_sent_once(other_python: MakeHost, empty_python: Path) -> None:
    host = other_python(empty_python)
    assert [HostTest(host).run().sent for _ in range(2)] == [True, False]


def test_code_of_which_a_file_is_gone_is_sent_again(
    other_python: MakeHost, empty_python: Path, tmp_path: Path
) -> None:
    host = other_python(empty_python)
    HostTest(host).run()
    (folder,) = unpacked(tmp_path)
    (folder / "workbench" / "worker" / "lanes.py").unlink()
    report = HostTest(host).run()
    assert (report.reached, report.sent) == (True, True)


@pytest.mark.parametrize("announced", ["the right hash", "its own hash"])
def test_code_that_is_not_what_was_announced_is_refused(
    other_python: MakeHost,
    empty_python: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    announced: str,
) -> None:
    right = worker_archive()
    content = right.content[:-1] + b"?"
    own = hashlib.sha256(content).hexdigest()
    wrong = WorkerArchive(content, own if announced == "its own hash" else right.digest)
    monkeypatch.setattr(arrival, "worker_archive", lambda: wrong)
    report = HostTest(other_python(empty_python)).run()
    assert report.reason is not None
    assert "arrived on box with another checksum" in report.reason
    assert unpacked(tmp_path) == []


def test_what_a_shell_prints_first_is_skipped_and_told(empty_python: Path, tmp_path: Path) -> None:
    host = behind('echo Welcome; printf "no line end"; exec "$@"', empty_python, tmp_path)
    report = HostTest(host).run()
    assert report.reached
    assert report.banner == ("Welcome", "no line end")


def test_a_shell_that_prints_without_end_is_given_up(empty_python: Path, tmp_path: Path) -> None:
    report = HostTest(behind("exec yes", empty_python, tmp_path)).run()
    assert report.reason is not None
    assert "prints without end" in report.reason


OLD_PYTHON = """#!{python}
import platform, sys
sys.version_info = (3, 9, 18, "final", 0)
platform.python_version = lambda: "3.9.18"
code = sys.argv[2]
sys.argv = ["-c", *sys.argv[3:]]
exec(code)
"""


def test_a_python_that_is_too_old_is_named_with_its_version(
    other_python: MakeHost, tmp_path: Path
) -> None:
    script = tmp_path / "python3.9"
    script.write_text(OLD_PYTHON.format(python=sys.executable))
    script.chmod(0o755)
    report = HostTest(other_python(script)).run()
    assert report.reason is not None
    assert "is 3.9.18" in report.reason
    assert "needs 3.10 or newer" in report.reason


def test_the_first_code_is_read_by_old_pythons() -> None:
    code = (Path(arrival.__file__).parents[2] / "worker" / "arrival.py").read_text()
    ast.parse(code, feature_version=(3, 5))


def test_a_terminal_is_refused(other_python: MakeHost, empty_python: Path) -> None:
    words = worker_words(other_python(empty_python))
    ours, theirs = os.openpty()
    try:
        done = subprocess.run(words, stdin=theirs, capture_output=True, check=False)
    finally:
        os.close(ours)
        os.close(theirs)
    assert b'"error": "terminal"' in done.stdout
    assert done.returncode == 3


def test_a_command_that_keeps_the_input_to_itself_is_told_to_pass_it_on(
    empty_python: Path, tmp_path: Path
) -> None:
    host = behind('exec "$@" </dev/null', empty_python, tmp_path)
    for _ in range(2):  # without the code on the other side, and with it
        report = HostTest(host).run()
        assert report.reason is not None
        assert "docker and kubectl do so with -i" in report.reason
        HostTest(behind('exec "$@"', empty_python, tmp_path)).run()


def test_without_a_folder_to_keep_it_in_the_code_goes_with_its_process(
    empty_python: Path, tmp_path: Path
) -> None:
    places = {"TILELANG_WORKBENCH_CACHE": "/dev/null/cache", "TMPDIR": str(tmp_path)}
    host = make_host("box", ["env"], str(empty_python), environment=places)
    assert [HostTest(host).run().sent for _ in range(2)] == [True, True]
    assert list(tmp_path.iterdir()) == []


def test_files_where_a_login_begins_are_not_taken_for_modules(
    empty_python: Path, tmp_path: Path
) -> None:
    for name in ("json", "queue", "platform", "workbench"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError('not this one')")
    host = behind(f'cd "{tmp_path}" && exec "$@"', empty_python, tmp_path)
    report = HostTest(host).run()
    assert report.reached, report.reason


def test_a_host_that_makes_one_wait_is_given_up_with_what_it_said(tmp_path: Path) -> None:
    host = behind("echo queued and waiting for resources >&2; exec sleep 60", tmp_path, tmp_path)
    report = HostTest(host).run(seconds=1.0)
    assert report.reason is not None
    assert "did not answer within 1 s" in report.reason
    assert report.log == ("queued and waiting for resources",)


def test_a_program_that_is_not_here_is_named(empty_python: Path) -> None:
    host = make_host("box", "no-such-program -i box", str(empty_python))
    report = HostTest(host).run()
    assert report.reason is not None
    assert "'no-such-program'" in report.reason
    assert "correct the host's command" in report.reason


def test_a_host_without_tilelang_says_how_to_get_it(
    other_python: MakeHost, empty_python: Path, tmp_path: Path
) -> None:
    jobs = FarJobs(other_python(empty_python))
    try:
        ended = jobs.wait(jobs.submit(scale_request(tmp_path)))
    finally:
        jobs.controller.close()
    assert ended.outcome == "failed"
    assert ended.failure is not None
    assert ended.failure.kind == "environment"
    assert ended.failure.message.startswith(f"tilelang is not installed on box for {empty_python}")
    assert f"{empty_python} -m pip install tilelang" in ended.failure.message


def test_the_test_of_a_host_names_every_package_that_is_missing(
    other_python: MakeHost, empty_python: Path
) -> None:
    report = HostTest(other_python(empty_python)).run()
    (lack,) = [lack for lack in report.lacks if lack.needed_for == "everything"]
    assert lack.what.startswith("numpy, torch, tilelang")
    assert not report.can("simulator")
