"""Documents whose modules came along with them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from workbench.core.jobs import KernelChoice, Source
from workbench.engine import carried
from workbench.engine.cache import BuiltCache
from workbench.engine.loading import imported_files, loaded

CHOICE = KernelChoice("k", "lazy")


@pytest.fixture(autouse=True)
def _scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_WORKBENCH_SCRATCH", str(tmp_path))


def source(modules: dict[str, str], text: str = "from lib.sizes import SIZE") -> Source:
    return Source("/nowhere/document.py", text, "/nowhere", trusted=True, modules=modules)


def size_of(modules: dict[str, str]) -> int:
    with loaded(source(modules)) as document:
        value: int = document.SIZE
        return value


def test_a_document_imports_what_came_along() -> None:
    assert size_of({"lib/__init__.py": "", "lib/sizes.py": "SIZE = 3"}) == 3


def test_a_change_in_what_came_along_counts_at_once() -> None:
    sizes = [size_of({"lib/sizes.py": f"SIZE = {n}"}) for n in (1, 2, 1)]
    assert sizes == [1, 2, 1]
    assert "lib.sizes" not in sys.modules


def test_what_came_along_wins_over_a_file_of_the_machine(tmp_path: Path) -> None:
    (tmp_path / "sizes.py").write_text("SIZE = 1")
    text, path = "from sizes import SIZE", str(tmp_path / "document.py")
    there = Source(path, text, str(tmp_path), True, {"sizes.py": "SIZE = 2"})
    with loaded(there) as document:
        assert document.SIZE == 2


def test_text_is_written_in_the_encoding_that_it_names() -> None:
    text = "# coding: latin-1\nSIZE = 'é'\n"
    with loaded(source({"lib/sizes.py": text})) as document:
        assert document.SIZE == "é"


@pytest.mark.parametrize("name", ["../x.py", "/x.py", "a\\..\\x.py"])
def test_a_path_out_of_the_folder_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="cannot be placed"):
        carried.placed({name: ""})


def test_what_was_built_is_known_by_what_came_along_too() -> None:
    cache, one, two = BuiltCache(), source({"a.py": "1"}), source({"a.py": "2"})
    with loaded(source({"lib/sizes.py": "SIZE = 1"})) as _:
        files = imported_files(source({"lib/sizes.py": "SIZE = 1"}))
    assert len(files) == 1
    cache.put(one, CHOICE, {}, "built", files)
    assert cache.get(one, CHOICE, {}) == "built"
    assert cache.get(two, CHOICE, {}) is None
