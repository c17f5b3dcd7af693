"""The one lookup for the folders of data that ship with the program: `resources` and `kernels`."""

from __future__ import annotations

import pathlib

DATA_FOLDERS = ("resources", "kernels")
_PACKAGE = pathlib.Path(__file__).resolve().parent.parent


class DataFilesError(FileNotFoundError):
    """A data folder is in neither place; the message names both and what to do."""


def find_data(folder: str, package: pathlib.Path = _PACKAGE) -> pathlib.Path:
    """The folder of that name: the packaged copy, else the one of the repository.

    An installed wheel holds copies under `workbench/_data`; an editable installation and a
    checkout have the folder beside the package. Raises ValueError for a name that is not in
    `DATA_FOLDERS` and DataFilesError where neither place has the folder.
    """
    if folder not in DATA_FOLDERS:
        raise ValueError(f"no data folder {folder!r}: the names are {', '.join(DATA_FOLDERS)}")
    packaged, beside = package / "_data" / folder, package.parent / folder
    for place in (packaged, beside):
        if place.is_dir():
            return place
    raise DataFilesError(
        f"the {folder} folder is missing: looked in {packaged} (an installed package) "
        f"and {beside} (a checkout); install TileLang Workbench again"
    )
