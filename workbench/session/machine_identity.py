"""The identity of this machine, by which it knows archives of its own: names are given twice.

Versions of its file: 1. `id`, a random text.
"""

from __future__ import annotations

import uuid

from workbench.core.json_files import JsonFile, JsonFileError
from workbench.core.user_folders import user_data_folder

FILE_NAME = "machine.json"


def machine_id() -> str | None:
    """The id of this machine for this person, made at first; None where it cannot be kept."""
    file = JsonFile(user_data_folder() / FILE_NAME)
    known = file.read().values.get("id")
    if isinstance(known, str):
        return known
    made = uuid.uuid4().hex
    try:
        file.write({"id": made})
    except JsonFileError:
        return None  # archives of this machine are then told as those of any other
    return made
