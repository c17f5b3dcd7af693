from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faulty_kernels import FAULTY

TEXT = FAULTY["never cleared (eager)"]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_bytes(TEXT.encode())
    return file


def test_lint_gives_the_form_that_scripts_rely_on(cli: Any, document: Path) -> None:
    done = cli("check", document, "--until", "lint", "--target", "h100", "--json")
    (found,) = done.json["diagnostics"]
    assert done.status == 1
    assert done.json["schema"] == 1
    assert (found["code"], found["stage"]) == ("gemm-uninitialized-accumulator", "lint")
    assert found["line"] == TEXT[: TEXT.index("# <-")].count("\n") + 1
    assert found["fixes"][0]["edits"][0]["text"].startswith("TL.clear(acc)")


def test_fix_mends_the_file_and_says_what_it_changed(cli: Any, document: Path) -> None:
    done = cli("check", document, "--until", "lint", "--fix", "--json")
    assert done.status == 0
    assert [entry["code"] for entry in done.json["fixed"]] == ["gemm-uninitialized-accumulator"]
    assert "+        TL.clear(acc)" in done.json["change"]
    assert done.json["diagnostics"] == []
    assert b"TL.clear(acc)" in document.read_bytes()


def test_without_fix_the_file_stays_as_it_was(cli: Any, document: Path) -> None:
    cli("check", document, "--until", "lint")
    assert document.read_bytes() == TEXT.encode()


def test_syntax_error_is_told_once(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def broken(:\n")
    done = cli("check", file, "--json")
    assert [d["code"] for d in done.json["diagnostics"]] == ["python-error"]
    assert done.status == 1


def test_healthy_kernel_passes_all_stages(cli: Any, kernels: Path) -> None:
    done = cli("check", kernels / "elementwise_add.py", "--set", "M=64", "--set", "N=64", "--json")
    assert [d for d in done.json["diagnostics"] if d["severity"] != "info"] == []
    assert (done.json["status"], done.status) == ("ok", 0)
