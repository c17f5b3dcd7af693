"""Runs the command line in a workspace of its own: in this process with a worker that the tests
share, or as a person does, in a process with a worker of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from workbench.cli import main
from workbench.session import batch
from workbench.session.worker_client import Request, WorkerClient, local_worker
from workbench.wire.events import Event
from workbench.wire.messages import Limits

ROOT = Path(__file__).resolve().parents[2]


@dataclass(frozen=True)
class Finished:
    """What a command printed and how it ended."""

    status: int
    stdout: str
    stderr: str

    @property
    def json(self) -> Any:
        """What `--json` printed; anything else on stdout makes this fail."""
        return json.loads(self.stdout)

    @property
    def result(self) -> Any:
        """The only result."""
        (result,) = self.json["results"]
        return result


class SharedWorker:
    """One real worker for batches that come one after the other; its executors stay loaded."""

    def __init__(self) -> None:
        self._handler: Callable[[Event], None] | None = None
        self.client = WorkerClient(local_worker(), self._pass_on)

    def connect(self, command: object, on_event: Callable[[Event], None]) -> SharedWorker:
        """Stands for `WorkerClient(command, on_event)`."""
        self._handler = on_event
        return self

    def submit(self, request: Request, lane: str, limits: Limits) -> str:
        return self.client.submit(request, lane, limits)

    def close(self) -> None:
        """The end of a batch, all of whose jobs have ended."""
        self._handler = None

    def _pass_on(self, event: Event) -> None:
        if self._handler is not None:
            self._handler(event)


@pytest.fixture(scope="session")
def shared_worker() -> Iterator[SharedWorker]:
    worker = SharedWorker()
    yield worker
    worker.client.close()


@pytest.fixture
def cli(
    shared_worker: SharedWorker,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Callable[..., Finished]:
    """Commands in this process; what they compile and execute, they do in the shared worker."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(batch, "WorkerClient", shared_worker.connect)

    def run(*words: str | Path) -> Finished:
        capsys.readouterr()
        try:
            status = main([str(word) for word in words])
        except SystemExit as error:  # argparse's own end
            status = int(error.code or 0)
        printed = capsys.readouterr()
        return Finished(status, printed.out, printed.err)

    return run


@pytest.fixture
def cli_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
    """Commands as a person gives them: each in a process, with a worker of its own."""
    monkeypatch.setenv("PYTHONPATH", str(ROOT))

    def run(*words: str | Path) -> Finished:
        done = subprocess.run(
            [sys.executable, "-m", "workbench", *map(str, words)],
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=False,
        )
        return Finished(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def kernels(tmp_path: Path) -> Path:
    """A copy of the shipped kernels, so that no run is recorded in the checkout."""
    folder = tmp_path / "kernels"
    shutil.copytree(ROOT / "kernels", folder, ignore=shutil.ignore_patterns(".*", "__pycache__"))
    return folder
