from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.jobs import KernelChoice, Source
from workbench.engine.cache import BuiltCache, DiskCache, digest, remembered

CHOICE = KernelChoice("k", "lazy", {"M": 1})
TARGET = {"name": "a100"}


def source(folder: Path, text: str = "x") -> Source:
    return Source(str(folder / "d.py"), text, str(folder), True)


def test_a_built_kernel_is_found_again(tmp_path: Path) -> None:
    cache = BuiltCache()
    cache.put(source(tmp_path), CHOICE, TARGET, "built", ())
    assert cache.get(source(tmp_path), CHOICE, TARGET) == "built"


def test_another_text_argument_or_target_is_another_kernel(tmp_path: Path) -> None:
    cache = BuiltCache()
    cache.put(source(tmp_path), CHOICE, TARGET, "built", ())
    assert cache.get(source(tmp_path, "y"), CHOICE, TARGET) is None
    assert cache.get(source(tmp_path), KernelChoice("k", "lazy", {"M": 2}), TARGET) is None
    assert cache.get(source(tmp_path), CHOICE, {"name": "h100"}) is None


def test_a_changed_import_makes_a_built_kernel_stale(tmp_path: Path) -> None:
    module = tmp_path / "m.py"
    module.write_text("1")
    cache = BuiltCache()
    cache.put(source(tmp_path), CHOICE, TARGET, "built", (str(module),))
    module.write_text("2")
    assert cache.get(source(tmp_path), CHOICE, TARGET) is None


def test_the_least_recently_used_kernel_is_dropped(tmp_path: Path) -> None:
    cache = BuiltCache(entries=2)
    first, second, third = (source(tmp_path, text) for text in "abc")
    cache.put(first, CHOICE, TARGET, 1, ())
    cache.put(second, CHOICE, TARGET, 2, ())
    cache.get(first, CHOICE, TARGET)
    cache.put(third, CHOICE, TARGET, 3, ())
    assert [cache.get(s, CHOICE, TARGET) for s in (first, second, third)] == [1, None, 3]


def test_an_entry_on_disk_outlives_its_cache(tmp_path: Path) -> None:
    DiskCache(tmp_path).put("ab12", {"a": [1]})
    assert DiskCache(tmp_path).get("ab12") == {"a": [1]}


@pytest.mark.parametrize("content", ["", "{", "[]", '{"form": "older", "value": 1}'])
def test_a_damaged_or_foreign_entry_is_made_anew(tmp_path: Path, content: str) -> None:
    cache = DiskCache(tmp_path)
    cache.put("ab12", {"a": 1})
    (tmp_path / "ab" / "ab12.json").write_text(content)
    assert remembered(cache, "ab12", lambda: {"a": 2}) == ({"a": 2}, False)
    assert remembered(cache, "ab12", lambda: {"a": 3}) == ({"a": 2}, True)


def test_the_disk_cache_stays_under_its_limit(tmp_path: Path) -> None:
    cache = DiskCache(tmp_path, limit_bytes=1000)
    for number in range(10):
        cache.put(digest(number), {"text": "x" * 300})
    assert sum(p.stat().st_size for p in tmp_path.rglob("*.json")) <= 1000


def test_without_a_folder_nothing_is_kept() -> None:
    cache = DiskCache(None)
    cache.put("ab12", {"a": 1})
    assert cache.get("ab12") is None


def test_a_folder_that_cannot_be_written_costs_the_entry_alone(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    assert remembered(DiskCache(blocked), "ab12", lambda: {"a": 1}) == ({"a": 1}, False)
