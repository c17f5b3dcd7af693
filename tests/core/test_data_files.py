"""Where the shipped data is found."""

from __future__ import annotations

import pathlib

import pytest

from workbench.core.data_files import DATA_FOLDERS, DataFilesError, find_data


def _package(root: pathlib.Path, *folders: str) -> pathlib.Path:
    for folder in ("workbench", *folders):
        (root / folder).mkdir(parents=True)
    return root / "workbench"


@pytest.mark.parametrize("folder", DATA_FOLDERS)
def test_the_running_program_finds_its_data(folder: str) -> None:
    found = find_data(folder)
    assert found.is_dir()
    assert found.name == folder


def test_a_checkout_has_the_folder_beside_the_package(tmp_path: pathlib.Path) -> None:
    package = _package(tmp_path, "resources")
    assert find_data("resources", package) == tmp_path / "resources"


def test_the_packaged_copy_comes_first(tmp_path: pathlib.Path) -> None:
    package = _package(tmp_path, "kernels", "workbench/_data/kernels")
    assert find_data("kernels", package) == package / "_data" / "kernels"


def test_the_error_names_both_places(tmp_path: pathlib.Path) -> None:
    package = _package(tmp_path)
    with pytest.raises(DataFilesError) as caught:
        find_data("kernels", package)
    message = str(caught.value)
    assert str(package / "_data" / "kernels") in message
    assert str(tmp_path / "kernels") in message
    assert "install" in message


def test_a_file_of_that_name_is_not_the_folder(tmp_path: pathlib.Path) -> None:
    package = _package(tmp_path)
    (tmp_path / "kernels").write_text("")
    with pytest.raises(DataFilesError):
        find_data("kernels", package)


def test_another_name_is_refused() -> None:
    with pytest.raises(ValueError, match="no data folder 'themes': the names are resources"):
        find_data("themes")
