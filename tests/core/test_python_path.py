from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import workbench
from workbench.core.python_path import python_path

PACKAGE = Path(workbench.__file__).resolve().parent


def test_a_process_elsewhere_finds_this_package_before_another(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = tmp_path / "other"
    (other / "workbench").mkdir(parents=True)
    (other / "workbench" / "__init__.py").write_text("")
    (other / "neighbour.py").write_text("")
    monkeypatch.setenv("PYTHONPATH", str(other))
    code = "import workbench, neighbour; print(workbench.__file__)"
    environment = {**os.environ, "PYTHONPATH": python_path()}
    command = [sys.executable, "-c", code]
    found = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True)
    assert found.stdout.strip() == str(PACKAGE / "__init__.py"), found.stderr


def test_an_empty_one_adds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", "")  # an empty entry would be the current folder
    assert python_path() == str(PACKAGE.parent)
    monkeypatch.delenv("PYTHONPATH")
    assert python_path() == str(PACKAGE.parent)
