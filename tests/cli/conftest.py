"""Runs the command line as a person does: in a process of its own, in a workspace of its own."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

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


@pytest.fixture
def cli(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Finished]:
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
