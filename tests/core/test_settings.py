"""Settings: defaults, what each may be, and the file."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as example_settings
from hypothesis import strategies as st

from workbench.core.json_files import JsonFileError
from workbench.core.settings import MIGRATIONS, Settings, SettingsFile, Theme

SAMPLES = Path(__file__).parents[1] / "data" / "settings"
VALUES = {
    "theme": Theme.DARK,
    "live_refresh": False,
    "live_delay_ms": 250,
    "inlay_hints": False,
    "job_time_limit_s": 60,
    "job_memory_limit_bytes": 2 * 1024**3,
    "history_quota_bytes": 10**9,
    "default_targets": ("a100", "mi300x"),
    "recent_files": ("/k/gemm.py",),
    "hints_off": ("tile-size",),
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "config" / "settings.json"


def write(path: Path, **entries: Any) -> SettingsFile:
    path.parent.mkdir(exist_ok=True)
    path.write_text(json.dumps({"version": len(MIGRATIONS) + 1, **entries}))
    return SettingsFile(path)


def test_every_setting_is_tried_here() -> None:
    assert VALUES.keys() == {field.name for field in dataclasses.fields(Settings)}


def test_without_a_file_there_are_the_defaults_and_no_problem(path: Path) -> None:
    loaded = SettingsFile(path).load()
    assert (loaded.settings, loaded.problems) == (Settings(), ())
    assert not path.parent.exists()


@pytest.mark.parametrize("name", VALUES)
def test_each_setting_is_kept(path: Path, name: str) -> None:
    expected = dataclasses.replace(Settings(), **{name: VALUES[name]})
    assert SettingsFile(path).update(**{name: VALUES[name]}).settings == expected
    assert SettingsFile(path).load().settings == expected


def test_settings_do_not_disturb_each_other(path: Path) -> None:
    for name, value in VALUES.items():
        SettingsFile(path).update(**{name: value})
    assert SettingsFile(path).load().settings == Settings(**VALUES)


def test_only_what_was_set_is_in_the_file(path: Path) -> None:
    SettingsFile(path).update(theme=Theme.DARK)
    assert json.loads(path.read_text()) == {"version": 1, "theme": "dark"}


@pytest.mark.parametrize("number", range(1, len(MIGRATIONS) + 2))
def test_a_sample_of_each_version_is_read(number: int) -> None:
    loaded = SettingsFile(SAMPLES / f"version-{number}.json").load()
    assert (loaded.settings, loaded.problems) == (Settings(**VALUES), ())


BAD = [
    ("theme", "purple"), ("theme", None), ("theme", []), ("live_refresh", 1),
    ("live_delay_ms", -1), ("live_delay_ms", 4.5), ("live_delay_ms", True),
    ("live_delay_ms", 10**9), ("job_time_limit_s", 0), ("job_time_limit_s", "60"),
    ("job_memory_limit_bytes", 1), ("history_quota_bytes", -1), ("default_targets", "h100"),
    ("default_targets", [1]), ("recent_files", [""]), ("recent_files", {}),
]  # fmt: skip


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_entry_costs_that_entry(path: Path, name: str, value: Any) -> None:
    good = {"live_refresh": False} if name != "live_refresh" else {"live_delay_ms": 250}
    loaded = write(path, **{name: value}, **good).load()
    assert loaded.settings == Settings(**good)
    assert len(loaded.problems) == 1
    assert name in loaded.problems[0]
    assert "default" in loaded.problems[0]


@pytest.mark.parametrize(("name", "value"), BAD)
def test_a_bad_value_is_not_written(path: Path, name: str, value: Any) -> None:
    with pytest.raises(ValueError, match=name):
        SettingsFile(path).update(**{"live_delay_ms": 300, "theme": Theme.DARK, name: value})
    assert not path.exists()


def test_an_unknown_name_is_not_written(path: Path) -> None:
    with pytest.raises(TypeError, match="thema"):
        SettingsFile(path).update(thema="dark")


def test_unknown_and_bad_entries_stay_in_the_file(path: Path) -> None:
    write(path, new_setting={"a": 1}, theme="purple").update(live_delay_ms=250)
    entries = json.loads(path.read_text())
    assert entries == {
        "version": 1, "new_setting": {"a": 1}, "theme": "purple", "live_delay_ms": 250
    }  # fmt: skip


def test_setting_a_bad_entry_mends_it(path: Path) -> None:
    loaded = write(path, theme="purple").update(theme=Theme.LIGHT)
    assert (loaded.settings.theme, loaded.problems) == (Theme.LIGHT, ())


def test_what_another_window_set_stays(path: Path) -> None:
    mine, other = SettingsFile(path), SettingsFile(path)
    mine.load()
    other.update(theme=Theme.DARK)
    assert mine.update(live_delay_ms=250).settings == Settings(theme=Theme.DARK, live_delay_ms=250)


def test_a_newer_file_is_read_as_far_as_known_but_not_written(path: Path) -> None:
    file = write(path, version=9, theme="dark", live_delay_ms={"typing": 1})
    loaded = file.load()
    assert loaded.settings == Settings(theme=Theme.DARK)
    assert "version 9" in loaded.problems[0]
    with pytest.raises(JsonFileError, match="version 9"):
        file.update(theme=Theme.LIGHT)


@given(st.dictionaries(st.sampled_from(list(VALUES)), st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=4)))  # fmt: skip
@example_settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_entry_keeps_the_workbench_from_starting(path: Path, entries: dict[str, Any]) -> None:
    loaded = write(path, **entries).load()
    set_anew = [n for n in entries if getattr(loaded.settings, n) != getattr(Settings(), n)]
    assert len(set_anew) + len(loaded.problems) <= len(entries)


def test_a_recent_file_comes_to_the_front_once(tmp_path: Path) -> None:
    names = [tmp_path / f"{i}.py" for i in range(30)]
    settings = Settings()
    for name in [*names, names[20]]:
        settings = dataclasses.replace(settings, recent_files=settings.with_recent_file(name))
    assert settings.recent_files[:2] == (str(names[20]), str(names[29]))
    assert len(settings.recent_files) == len(set(settings.recent_files)) == 20
