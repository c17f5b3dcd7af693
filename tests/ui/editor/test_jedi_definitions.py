from __future__ import annotations

from pathlib import Path

import jedi

from workbench.ui.editor.jedi_helper import answer

TEXT = "import json\n\n\ndef block():\n    return json.dumps(1)\n\n\nvalue = block()\n"


def ask(line: int, column: int, path: Path) -> list[dict[str, object]]:
    request = {
        "id": 1,
        "kind": "definitions",
        "text": TEXT,
        "line": line,
        "column": column,
        "path": str(path),
    }
    items: list[dict[str, object]] = answer(request, jedi.InterpreterEnvironment())["items"]
    return items


def test_a_name_of_the_document_leads_to_its_line(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    assert ask(8, 10, path) == [{"name": "block", "path": str(path), "line": 4}]


def test_an_imported_name_leads_to_its_file(tmp_path: Path) -> None:
    (found,) = ask(5, 18, tmp_path / "kernel.py")
    assert str(found["path"]).endswith("json/__init__.py")


def test_what_has_no_definition_has_no_place(tmp_path: Path) -> None:
    assert ask(2, 0, tmp_path / "kernel.py") == []
