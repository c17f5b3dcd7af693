from __future__ import annotations

import inspect
import linecache
import sys
from pathlib import Path

import pytest

from workbench.core.jobs import Source
from workbench.engine.loading import (
    MODULE_NAME,
    DocumentExitError,
    UntrustedError,
    imported_files,
    loaded,
)


def source(folder: Path, text: str, trusted: bool = True) -> Source:
    return Source(str(folder / "document.py"), text, str(folder), trusted)


def test_a_document_is_executed_under_its_own_name(tmp_path: Path) -> None:
    with loaded(source(tmp_path, "name = __name__\nfile = __file__\n")) as module:
        assert (module.name, module.file) == (MODULE_NAME, str(tmp_path / "document.py"))


def test_an_untrusted_document_is_not_executed(tmp_path: Path) -> None:
    text = f"open({str(tmp_path / 'trace')!r}, 'w')\n"
    with pytest.raises(UntrustedError), loaded(source(tmp_path, text, trusted=False)):
        pass
    assert list(tmp_path.iterdir()) == []


def test_the_source_of_a_function_is_the_text_and_not_the_file(tmp_path: Path) -> None:
    (tmp_path / "document.py").write_text("def f():\n    return 'on disk'\n")
    with loaded(source(tmp_path, "def f():\n    return 'unsaved'\n")) as module:
        linecache.checkcache()
        assert "unsaved" in inspect.getsource(module.f)


def test_nothing_of_a_document_stays_behind(tmp_path: Path) -> None:
    (tmp_path / "sibling.py").write_text("VALUE = 1\n")
    path = list(sys.path)
    with loaded(source(tmp_path, "import sibling\nVALUE = sibling.VALUE\n")):
        assert imported_files(source(tmp_path, "")) == (str(tmp_path / "sibling.py"),)
    assert not {"sibling", MODULE_NAME} & set(sys.modules)
    assert sys.path == path


def test_the_main_block_of_a_document_is_not_run(tmp_path: Path) -> None:
    with loaded(source(tmp_path, "ran = False\nif __name__ == '__main__':\n    ran = True\n")) as m:
        assert m.ran is False


def test_sys_exit_is_an_error_like_others(tmp_path: Path) -> None:
    with (
        pytest.raises(DocumentExitError, match=r"sys\.exit\(2\)"),
        loaded(source(tmp_path, "raise SystemExit(2)")),
    ):
        pass
