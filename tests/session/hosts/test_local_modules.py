"""Modules of a workspace that go along with a document."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.jobs import Source
from workbench.session.hosts import local_modules as modules
from workbench.session.hosts.local_modules import CarryError, source_at


def carried(folder: Path, text: str, files: dict[str, str]) -> dict[str, str]:
    """What goes along with kernels/document.py of a workspace with these files."""
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    source = Source(str(folder / "kernels" / "document.py"), text, str(folder), True)
    return dict(source_at("gpu1", source).modules)


def test_nothing_is_carried_about_on_this_machine(tmp_path: Path) -> None:
    (tmp_path / "helpers.py").write_text("")
    source = Source(str(tmp_path / "document.py"), "import helpers", str(tmp_path), True)
    assert source_at("local", source) is source


def test_a_module_beside_the_document_goes_along_with_what_it_imports(tmp_path: Path) -> None:
    files = {"kernels/a.py": "from b import x", "kernels/b.py": "x = 1", "kernels/c.py": ""}
    assert carried(tmp_path, "import os, a", files) == {"a.py": "from b import x", "b.py": "x = 1"}


def test_a_module_of_the_workspace_goes_along_after_those_beside(tmp_path: Path) -> None:
    files = {"a.py": "far = 1", "kernels/a.py": "near = 1", "b.py": ""}
    assert carried(tmp_path, "import a, b", files) == {"a.py": "near = 1", "b.py": ""}


def test_packages_go_along_with_their_own_files(tmp_path: Path) -> None:
    files = {
        "lib/__init__.py": "from .tiles import size",
        "lib/tiles.py": "from . import units\nfrom .deep.down import x",
        "lib/units.py": "",
        "lib/deep/__init__.py": "",
        "lib/deep/down.py": "from ..other import y",
        "lib/other.py": "",
        "lib/unused.py": "",
    }
    assert set(carried(tmp_path, "from lib import tiles", files)) == set(files) - {"lib/unused.py"}


def test_folders_without_an_init_are_packages_too(tmp_path: Path) -> None:
    files = {"lib/tiles.py": ""}
    assert set(carried(tmp_path, "import lib.tiles as t", files)) == {"lib/tiles.py"}


def test_imports_within_functions_count(tmp_path: Path) -> None:
    text = "def main():\n    try:\n        import late\n    except ImportError: pass"
    assert set(carried(tmp_path, text, {"late.py": ""})) == {"late.py"}


def test_modules_that_import_each_other_go_along_once(tmp_path: Path) -> None:
    files = {"a.py": "import b", "b.py": "import a"}
    assert carried(tmp_path, "import a", files) == files


@pytest.mark.parametrize("name", ["tilelang", "torch", "numpy", "workbench"])
def test_what_a_host_has_by_itself_never_goes_along(tmp_path: Path, name: str) -> None:
    assert carried(tmp_path, f"import {name}", {f"{name}/__init__.py": ""}) == {}


def test_a_module_that_cannot_be_parsed_goes_along_as_it_is(tmp_path: Path) -> None:
    assert carried(tmp_path, "import a", {"a.py": "def"}) == {"a.py": "def"}


def test_a_module_in_another_encoding_is_read_as_python_does(tmp_path: Path) -> None:
    path = tmp_path / "kernels" / "a.py"
    path.parent.mkdir()
    path.write_bytes("# coding: latin-1\nname = 'é'\n".encode("latin-1"))
    assert carried(tmp_path, "import a", {})["a.py"].endswith("name = 'é'\n")


def test_a_module_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    path = tmp_path / "kernels" / "a.py"
    path.parent.mkdir()
    path.write_bytes(b"x = '\xff'")
    with pytest.raises(CarryError, match=r"a\.py, which the document imports"):
        carried(tmp_path, "import a", {})


def test_too_much_is_refused_with_the_largest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules, "MOST_BYTES", 1000)
    with pytest.raises(CarryError, match=r"the largest is big\.py"):
        carried(tmp_path, "import big, small", {"big.py": "#" * 2000, "small.py": ""})
