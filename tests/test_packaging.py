"""The package finds its data, and works, from a checkout, an editable install and a wheel."""

from __future__ import annotations

import json
import os
import site
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DATA = ("kernels", "resources")
WHEEL_LIMIT_BYTES = 4 * 1024 * 1024

LOCATE = """
import json, workbench
from workbench.core.data_files import find_data
found = {name: str(find_data(name)) for name in ("kernels", "resources")}
print(json.dumps({"package": workbench.__path__[0], **found}))
"""


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    return subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def build(kind: str, folder: Path) -> Path:
    """Build a wheel of `kind` (wheel or editable) by the hook that pip calls, without a network."""
    script = f"import sys, hatchling.build as b; print(b.build_{kind}(sys.argv[1]))"
    result = run(sys.executable, "-c", script, folder, cwd=ROOT)
    assert result.returncode == 0, result.stderr
    return folder / result.stdout.splitlines()[-1]


def make_environment(folder: Path, *wheels: Path) -> Path:
    """An environment with `wheels` and what they depend on; returns its interpreter.

    The dependencies are lent by a path file, which runs no path file of the lender: an editable
    install there stays out of sight. It is written last, so that pip sees an empty environment.
    """
    result = run(sys.executable, "-m", "venv", "--without-pip", folder, cwd=folder.parent)
    assert result.returncode == 0, result.stderr
    python = folder / "bin" / "python"
    for wheel in wheels:
        pip = (sys.executable, "-m", "pip", "--python", python, "install", "-q")
        result = run(*pip, "--no-deps", "--no-index", wheel, cwd=folder)
        assert result.returncode == 0, result.stderr
    script = "import sysconfig; print(sysconfig.get_path('purelib'))"
    packages = Path(run(python, "-c", script, cwd=folder).stdout.strip())
    (packages / "lent.pth").write_text("\n".join(site.getsitepackages()), encoding="utf-8")
    return python


def locate(python: Path, cwd: Path) -> dict[str, Path]:
    """Where an interpreter that is started in `cwd` finds the package and its data."""
    result = run(python, "-c", LOCATE, cwd=cwd)
    assert result.returncode == 0, result.stderr
    return {name: Path(place).resolve() for name, place in json.loads(result.stdout).items()}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build("wheel", tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return make_environment(tmp_path_factory.mktemp("installed") / "env", wheel)


def names_in(wheel: Path) -> list[str]:
    with zipfile.ZipFile(wheel) as archive:
        return archive.namelist()


def shipped_files(name: str) -> set[str]:
    """The files of one data folder that git would keep, relative to it, with slashes."""
    command = ("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", ".")
    result = run(*command, cwd=ROOT / name)
    assert result.returncode == 0, result.stderr
    return {line for line in result.stdout.splitlines() if (ROOT / name / line).exists()}


@pytest.mark.parametrize("name", DATA)
def test_the_wheel_holds_every_data_file(wheel: Path, name: str) -> None:
    prefix = f"workbench/_data/{name}/"
    packed = {entry.removeprefix(prefix) for entry in names_in(wheel) if entry.startswith(prefix)}
    assert packed
    assert packed == shipped_files(name)


def test_the_wheel_holds_the_package_and_nothing_else(wheel: Path) -> None:
    tops = {name.partition("/")[0] for name in names_in(wheel)}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"workbench"}
    assert not [name for name in names_in(wheel) if name.endswith(".pyc") or "/test_" in name]


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < WHEEL_LIMIT_BYTES


def test_a_checkout_finds_the_repository_data(tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env")
    found = locate(python, cwd=ROOT)
    assert found == {"package": ROOT / "workbench", **{name: ROOT / name for name in DATA}}


def test_an_editable_install_finds_the_repository_data(tmp_path: Path) -> None:
    python = make_environment(tmp_path / "env", build("editable", tmp_path))
    found = locate(python, cwd=tmp_path)
    assert found == {"package": ROOT / "workbench", **{name: ROOT / name for name in DATA}}


def test_an_editable_install_copies_no_data(tmp_path: Path) -> None:
    assert not [name for name in names_in(build("editable", tmp_path)) if "_data" in name]


def test_an_installed_wheel_finds_its_own_data(installed: Path, tmp_path: Path) -> None:
    found = locate(installed, cwd=tmp_path)
    package = found["package"]
    assert package.is_relative_to(installed.parents[1].resolve())
    assert found == {"package": package, **{name: package / "_data" / name for name in DATA}}


def test_an_installed_wheel_does_not_see_the_repository(installed: Path, tmp_path: Path) -> None:
    script = "import json, sys; print(json.dumps(sys.path))"
    path = json.loads(run(installed, "-c", script, cwd=tmp_path).stdout)
    assert str(ROOT) not in path


def test_an_installed_wheel_verifies_a_shipped_kernel(installed: Path, tmp_path: Path) -> None:
    kernel = locate(installed, cwd=tmp_path)["kernels"] / "gemm.py"
    command = (installed, "-m", "workbench", "verify", kernel, "--on", "simulator", "--json")
    result = run(*command, cwd=tmp_path)
    assert result.returncode == 0, result.stdout + result.stderr
    assert [each["status"] for each in json.loads(result.stdout)["results"]] == ["pass"]


def test_the_console_script_is_installed(installed: Path, tmp_path: Path) -> None:
    result = run(installed.with_name("tilelang-workbench"), "--help", cwd=tmp_path)
    assert result.returncode == 0, result.stderr
    assert "verify" in result.stdout
