"""Versioned JSON files: read, migrated, refused, set aside."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from workbench.core.json_files import JsonFile, JsonFileError


def rename_a(values: dict[str, Any]) -> dict[str, Any]:
    return {"b" if key == "a" else key: value for key, value in values.items()}


def double_b(values: dict[str, Any]) -> dict[str, Any]:
    return {**values, "b": values["b"] * 2}


def write(path: Path, values: Any) -> Path:
    path.write_text(json.dumps(values))
    return path


def test_what_is_written_comes_back(tmp_path: Path) -> None:
    file = JsonFile(tmp_path / "new" / "file.json")
    file.write({"a": [1, "é"]})
    content = file.read()
    assert (content.values, content.found_version, content.problems) == ({"a": [1, "é"]}, 1, ())


def test_a_missing_file_is_empty_and_no_problem(tmp_path: Path) -> None:
    content = JsonFile(tmp_path / "file.json").read()
    assert (content.values, content.problems, content.is_broken) == ({}, (), False)


def test_the_migrations_are_taken_in_order_from_the_version_found(tmp_path: Path) -> None:
    migrations = [rename_a, double_b]
    first = JsonFile(write(tmp_path / "1.json", {"version": 1, "a": 3}), migrations)
    second = JsonFile(write(tmp_path / "2.json", {"version": 2, "b": 3}), migrations)
    third = JsonFile(write(tmp_path / "3.json", {"version": 3, "b": 3}), migrations)
    assert [f.read().values for f in (first, second, third)] == [{"b": 6}, {"b": 6}, {"b": 3}]


def test_an_older_file_is_kept_when_it_is_replaced(tmp_path: Path) -> None:
    path = write(tmp_path / "file.json", {"version": 1, "a": 3})
    old = path.read_bytes()
    file = JsonFile(path, [rename_a])
    file.write(file.read().values)
    assert json.loads(path.read_text()) == {"version": 2, "b": 3}
    assert (tmp_path / "file.json.v1.bak").read_bytes() == old


def test_a_newer_file_is_read_but_not_written(tmp_path: Path) -> None:
    path = write(tmp_path / "file.json", {"version": 7, "a": 3})
    old = path.read_bytes()
    file = JsonFile(path)
    assert file.read().values == {"a": 3}
    with pytest.raises(JsonFileError, match=r"version 7; .* version 1"):
        file.write({})
    assert path.read_bytes() == old


@pytest.mark.parametrize(
    "damage",
    [b"", b"{", b"[1]", b"null", b"\xff", b"{}", b'{"version": "1"}', b'{"version": 0}',
     b'{"version": true}', b"[" * 100_000],
)  # fmt: skip
def test_a_damaged_file_is_a_problem_and_is_kept_when_it_is_replaced(
    tmp_path: Path, damage: bytes
) -> None:
    path = tmp_path / "file.json"
    path.write_bytes(damage)
    file = JsonFile(path)
    assert file.read().values == {}
    assert "is damaged" in file.read().problems[0]
    file.write({"a": 1})
    assert file.read().values == {"a": 1}
    assert (tmp_path / "file.json.broken").read_bytes() == damage


def test_a_file_that_cannot_be_read_is_a_problem_and_not_replaced(tmp_path: Path) -> None:
    file = JsonFile(tmp_path)  # a folder
    assert "cannot be read" in file.read().problems[0]
    with pytest.raises(JsonFileError, match="try again"):
        file.write({})
    assert tmp_path.is_dir()
