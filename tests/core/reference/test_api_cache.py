from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.core.reference.api_cache import cache_file, read_cache, write_cache
from workbench.core.reference.api_model import Api, ApiEntry, ApiParameter, DialectForm

API = Api(
    "1.2+cu",
    (
        ApiEntry(
            "T.x",
            "function",
            "tilelang.x",
            "(a)",
            parameters=(ApiParameter("a", "int", "0", "a number"),),
            dialects=("tilelang.language",),
            forms=(DialectForm("tilelang.cpu.language", "()"),),
            file="/x.py",
            line=3,
        ),
    ),
)


def test_what_was_written_is_read_back(tmp_path: Path) -> None:
    write_cache(tmp_path, API)
    assert read_cache(tmp_path, "1.2+cu") == API


def test_another_version_has_none(tmp_path: Path) -> None:
    write_cache(tmp_path, API)
    assert read_cache(tmp_path, "1.3") is None


@pytest.mark.parametrize("change", [{"form": 0}, {"entries": 3}, {"tilelang": "9"}])
def test_another_form_or_another_content_is_a_miss(
    tmp_path: Path, change: dict[str, object]
) -> None:
    write_cache(tmp_path, API)
    file = cache_file(tmp_path, "1.2+cu")
    file.write_text(json.dumps(json.loads(file.read_text()) | change))
    assert read_cache(tmp_path, "1.2+cu") is None


def test_a_damaged_file_is_a_miss(tmp_path: Path) -> None:
    write_cache(tmp_path, API)
    cache_file(tmp_path, "1.2+cu").write_text("[1, 2")
    assert read_cache(tmp_path, "1.2+cu") is None


def test_a_version_names_no_other_folder(tmp_path: Path) -> None:
    assert cache_file(tmp_path, "../1").parent == tmp_path / "reference"
