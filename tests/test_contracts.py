"""The import contracts hold, can be broken, and hold at run time too."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
import tomllib

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = ROOT / "workbench"
HEAVY = ("torch", "tilelang", "tvm", "PySide6")

# Library -> the parts of the package that may name it in an import.
HOMES = {
    "tilelang": {"engine"},
    "tvm": {"engine"},
    "tvm_ffi": {"engine"},
    "torch": {"engine"},
    "ml_dtypes": {"engine"},
    "PySide6": {"ui", "app"},
    "shiboken6": {"ui", "app"},
    "pyqtgraph": {"ui", "app"},
}

# Each is a line that breaks the contract named beside it when it is added to the module; all are
# added to one copy, because each look at the package takes seconds.
VIOLATIONS = [
    ("layers", "core/__init__.py", "import workbench.session"),
    ("layers", "worker/__init__.py", "import workbench.session"),
    ("layers", "unheard_of.py", ""),
    ("session-needs-no-engine", "session/__init__.py", "import workbench.engine"),
    ("worker-is-a-process", "session/__init__.py", "import workbench.worker"),
    ("engine-only-in-worker", "cli/__init__.py", "import workbench.engine"),
    ("tilelang-only-in-engine", "core/__init__.py", "def late():\n    import torch"),
    ("tilelang-only-in-engine", "ui/__init__.py", "import tilelang"),
    ("worker-asks-the-engine", "worker/__init__.py", "import torch"),
    ("supervisor-is-light", "worker/supervisor.py", "import numpy"),
    ("supervisor-is-light", "worker/supervisor.py", "import workbench.engine"),
    ("qt-only-in-ui", "session/__init__.py", "from PySide6.QtCore import QObject"),
    ("core-is-light", "core/__init__.py", "import pygments"),
    ("worker-needs-little", "engine/__init__.py", "import tomllib"),
]


def lint(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    script = "from importlinter.cli import lint_imports_command as run; run()"
    command = [sys.executable, "-c", script, "--no-logo", "--no-cache", *options]
    wide = {**os.environ, "COLUMNS": "200"}  # the names of contracts are one line each
    return subprocess.run(
        command, cwd=folder, env=wide, capture_output=True, text=True, check=False
    )


def test_the_import_contracts_are_kept() -> None:
    result = lint(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is said of each contract, by its id, where all violations are in the package."""
    copy = tmp_path_factory.mktemp("violated")
    shutil.copy(ROOT / "pyproject.toml", copy)
    skip = shutil.ignore_patterns("__pycache__")
    shutil.copytree(PACKAGE, copy / "workbench", ignore=skip)
    for _, module, line in VIOLATIONS:
        with (copy / "workbench" / module).open("a", encoding="utf-8") as file:
            file.write(f"\n{line}\n")
    result = lint(copy)
    assert result.returncode == 1, result.stdout + result.stderr
    said = result.stdout.partition("Broken contracts\n")[2]
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
    names = {each["name"]: each["id"] for each in contracts["contracts"]}
    parts = re.split(rf"^({'|'.join(map(re.escape, names))})$", said, flags=re.MULTILINE)[1:]
    return {names[name]: part for name, part in zip(parts[::2], parts[1::2], strict=True)}


def edge(module: str, line: str) -> str:
    """How an import, or a part of the package that has none, is told."""
    place = module.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
    imported = re.search(r"(?:import|from) ([\w.]+)", line)
    if imported is None:
        return f"- workbench.{place}\n"
    name = imported[1] if imported[1].startswith("workbench.") else imported[1].partition(".")[0]
    return f"workbench.{place} -> {name} (l."


@pytest.mark.parametrize(("contract", "module", "line"), VIOLATIONS)
def test_a_contract_catches(told: dict[str, str], contract: str, module: str, line: str) -> None:
    assert edge(module, line) in told.get(contract, "this contract is kept")


def imported_names(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module


def module_files() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if "_data" not in path.parts)


def strays(path: Path) -> list[str]:
    """The imports of one module whose library has its home in another part of the package."""
    inside = path.relative_to(PACKAGE).with_suffix("")
    part = inside.parts[0]
    if not any(library in path.read_text("utf-8") for library in HOMES):
        return []  # to take every module apart takes many seconds
    names = [(name, HOMES.get(name.partition(".")[0], {part})) for name in imported_names(path)]
    return [f"{inside} imports {name}" for name, homes in names if part not in homes]


def test_a_library_is_imported_in_its_home_alone() -> None:
    assert not [stray for path in module_files() for stray in strays(path)]


def loaded_by(*modules: str) -> set[str]:
    """The names in sys.modules after a fresh interpreter has imported `modules`, less its own."""
    script = (
        "import json, sys\n"
        "before = set(sys.modules)\n"
        f"for name in {modules!r}: __import__(name)\n"
        "print(json.dumps(sorted(set(sys.modules) - before)))\n"
    )
    command = [sys.executable, "-c", script]
    result = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    return set(json.loads(result.stdout))


def modules_of(part: str) -> list[str]:
    """The dotted names of every module of one part of the package."""
    folder = PACKAGE / part
    files = [path for path in module_files() if path.is_relative_to(folder)]
    files += [path for path in (folder.with_suffix(".py"),) if path.exists()]
    names = [".".join(path.relative_to(ROOT).with_suffix("").parts) for path in files]
    return [name.removesuffix(".__init__") for name in names if not name.endswith(".__main__")]


@pytest.mark.parametrize("part", ["cli", "session", "wire", "core"])
def test_importing_a_part_loads_no_heavy_library(part: str) -> None:
    modules = modules_of(part)
    assert modules, f"workbench/{part} has no module"
    loaded = {name.partition(".")[0] for name in loaded_by(*modules)}
    assert not loaded & set(HEAVY)


def test_the_supervisor_loads_the_standard_library_and_the_wire_alone() -> None:
    loaded = loaded_by("workbench.worker.supervisor")
    ours = {name for name in loaded if name.partition(".")[0] == "workbench"}
    others = {name.partition(".")[0] for name in loaded - ours} - set(sys.stdlib_module_names)
    assert not others
    assert not [name for name in ours if name.startswith(("workbench.engine", "workbench.session"))]


def test_the_window_starts_without_what_it_does_not_show_at_first() -> None:
    loaded = {name.partition(".")[0] for name in loaded_by("workbench.app")}
    assert not loaded & {"torch", "tilelang", "tvm", "numpy", "tomlkit", "pyqtgraph"}


def test_a_window_starts_without_rules_and_analyses() -> None:
    """They are a third of what the window loads, and it loads them once it has been painted."""
    loaded = loaded_by("workbench.app")
    late = ("workbench.core.analysis", "workbench.core.doctor", "workbench.ui.lenses.lens")
    assert [name for name in loaded if name.startswith(late)] == []
