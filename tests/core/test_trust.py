"""Trust: what a grant reaches, and that every doubt means no."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from workbench.core.json_files import JsonFileError
from workbench.core.trust import TrustStore

SAMPLE = Path(__file__).parents[1] / "data" / "trust" / "version-1.json"
posix_only = pytest.mark.skipif(sys.platform == "win32", reason="links need a right on Windows")


@pytest.fixture
def place(tmp_path: Path) -> Path:
    """A folder with `mine/sub/k.py` and `other/k.py`."""
    for name in ("mine/sub", "other", "mine2"):
        (tmp_path / name).mkdir(parents=True)
        (tmp_path / name / "k.py").touch()
    return tmp_path


@pytest.fixture
def store(place: Path) -> TrustStore:
    return TrustStore(place / "config" / "trust.json")


def write(path: Path, *entries: Any, version: int = 1) -> TrustStore:
    path.write_text(json.dumps({"version": version, "folders": list(entries)}))
    return TrustStore(path)


def test_nothing_is_trusted_at_first(place: Path, store: TrustStore) -> None:
    assert not store.is_trusted(place / "mine" / "sub" / "k.py")
    assert store.folders == store.problems == ()


def test_a_grant_reaches_its_folder_and_those_below(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    for path in ("mine", "mine/new.py", "mine/sub/k.py"):
        assert store.is_trusted(place / path)
    for path in ("", "other/k.py", "mine2/k.py", "mine/../other/k.py"):
        assert not store.is_trusted(place / path)


def test_a_grant_counts_in_other_windows_and_after_a_restart(
    place: Path, store: TrustStore
) -> None:
    other = TrustStore(place / "config" / "trust.json")
    store.grant(place / "mine")
    assert other.trusted_by(place / "mine" / "sub" / "k.py") == (place / "mine").resolve()


def test_a_grant_twice_is_one(place: Path, store: TrustStore) -> None:
    for _ in range(2):
        store.grant(place / "mine" / ".." / "mine")
    assert store.folders == ((place / "mine").resolve(),)


def test_a_revocation_ends_the_trust(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    store.grant(place / "other")
    store.revoke(place / "mine")
    assert not store.is_trusted(place / "mine" / "sub" / "k.py")
    assert store.is_trusted(place / "other" / "k.py")


def test_the_grant_of_a_folder_that_is_gone_can_be_revoked(place: Path, store: TrustStore) -> None:
    folder = place / "short"
    folder.mkdir()
    store.grant(folder)
    folder.rmdir()
    store.revoke(folder)
    assert store.folders == ()


def test_a_folder_below_keeps_the_trust_of_the_one_above(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    store.revoke(place / "mine" / "sub")
    assert store.is_trusted(place / "mine" / "sub" / "k.py")


@pytest.mark.parametrize("name", ["mine/sub/k.py", "nowhere", "nul\0"])
def test_only_a_folder_can_be_granted(place: Path, store: TrustStore, name: str) -> None:
    with pytest.raises(NotADirectoryError, match="no folder"):
        store.grant(place / name)


def test_shipped_kernels_are_trusted_without_a_grant(place: Path) -> None:
    store = TrustStore(place / "trust.json", shipped=place / "mine")
    assert store.is_trusted(place / "mine" / "sub" / "k.py")
    assert not store.is_trusted(place / "other" / "k.py")
    assert store.folders == ()


@posix_only
def test_a_link_out_of_a_trusted_folder_is_not_trusted(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    (place / "mine" / "file.py").symlink_to(place / "other" / "k.py")
    (place / "mine" / "folder").symlink_to(place / "other")
    assert not store.is_trusted(place / "mine" / "file.py")
    assert not store.is_trusted(place / "mine" / "folder" / "k.py")


@posix_only
def test_a_link_into_a_trusted_folder_is_trusted(place: Path, store: TrustStore) -> None:
    (place / "link").symlink_to(place / "mine")
    store.grant(place / "link")
    assert store.is_trusted(place / "link" / "sub" / "k.py")
    assert store.is_trusted(place / "mine" / "sub" / "k.py")
    store.revoke(place / "link")
    assert not store.is_trusted(place / "mine" / "sub" / "k.py")


@posix_only
def test_a_folder_replaced_by_a_link_loses_the_trust(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    (place / "mine").rename(place / "moved")
    (place / "mine").symlink_to(place / "other")
    assert not store.is_trusted(place / "mine" / "k.py")


@posix_only
def test_a_loop_of_links_is_not_trusted(place: Path, store: TrustStore) -> None:
    store.grant(place / "mine")
    (place / "mine" / "a").symlink_to(place / "mine" / "b")
    (place / "mine" / "b").symlink_to(place / "mine" / "a")
    assert not store.is_trusted(place / "mine" / "a")


@pytest.mark.parametrize(
    "entry", [None, 3, "/", [], {}, {"path": 3}, {"path": "."}, {"path": ""}, {"path": "/\0"}]
)
def test_a_damaged_entry_costs_that_entry_and_grants_nothing(place: Path, entry: Any) -> None:
    store = write(place / "trust.json", entry, {"path": str((place / "mine").resolve())})
    assert store.is_trusted(place / "mine" / "sub" / "k.py")
    assert not store.is_trusted(place / "other" / "k.py")
    assert len(store.problems) == 1
    assert "left out" in store.problems[0]


def test_a_list_that_is_none_grants_nothing(place: Path) -> None:
    path = place / "trust.json"
    path.write_text(json.dumps({"version": 1, "folders": {"path": str(place)}}))
    assert not TrustStore(path).is_trusted(place / "mine" / "sub" / "k.py")
    assert "folders" in TrustStore(path).problems[0]


def test_a_damaged_file_grants_nothing_and_says_so(place: Path) -> None:
    path = place / "trust.json"
    path.write_text('{"version": 1, "folders": [{"path": "/')
    store = TrustStore(path)
    assert not store.is_trusted(place / "mine" / "sub" / "k.py")
    assert "damaged" in store.problems[0]
    with pytest.raises(JsonFileError, match="damaged"):
        store.revoke(place / "mine")


def test_a_newer_file_grants_nothing_and_is_not_written(place: Path) -> None:
    store = write(place / "trust.json", {"path": str(place.resolve())}, version=2)
    assert not store.is_trusted(place / "mine" / "sub" / "k.py")
    for change in (store.grant, store.revoke):
        with pytest.raises(JsonFileError, match="version 2"):
            change(place)


def test_a_sample_of_the_first_version_is_read() -> None:
    store = TrustStore(SAMPLE)
    assert [folder.as_posix() for folder in store.folders] == ["/home/kim/kernels"]
    assert store.problems == ()
