from __future__ import annotations

from pathlib import Path

from workbench.core.counters.nsight import find_ncu, find_reader


def program(path: Path) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return path


def test_the_one_on_the_path_comes_first(tmp_path: Path) -> None:
    on_path = program(tmp_path / "bin" / "ncu")
    program(tmp_path / "cuda" / "bin" / "ncu")
    environment = {"PATH": str(tmp_path / "bin"), "CUDA_HOME": str(tmp_path / "cuda")}
    assert find_ncu(environment, []) == on_path


def test_then_that_of_the_toolkit(tmp_path: Path) -> None:
    own = program(tmp_path / "cuda" / "bin" / "ncu")
    assert find_ncu({"CUDA_HOME": str(tmp_path / "cuda")}, [f"{tmp_path}/no*"]) == own


def test_then_the_newest_that_is_installed(tmp_path: Path) -> None:
    program(tmp_path / "nsight-compute" / "2025.3.1" / "ncu")
    newest = program(tmp_path / "nsight-compute" / "2025.10.0" / "ncu")
    assert find_ncu({}, [f"{tmp_path}/nsight-compute/*"]) == newest


def test_without_one_there_is_none(tmp_path: Path) -> None:
    assert find_ncu({}, [f"{tmp_path}/nsight-compute/*"]) is None
    assert find_reader([f"{tmp_path}/nsight-compute/*"]) is None


def test_the_reader_is_in_the_extras_of_an_installation(tmp_path: Path) -> None:
    folder = tmp_path / "2025.3.1" / "extras" / "python"
    program(folder / "ncu_report.py")
    assert find_reader([f"{tmp_path}/2025*"]) == folder
    ncu = program(tmp_path / "2025.3.1" / "ncu")
    assert find_reader([], ncu) == folder
