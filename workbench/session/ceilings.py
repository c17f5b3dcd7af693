"""What GPUs were measured to reach, kept from one profile to the next as a JSON file.

Versions: 1. `devices`: by the uuid of the device without "GPU-", else by its name, what
`core.profiles.Ceilings` holds.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

from workbench.core.json_files import JsonFile, JsonFileError
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.profiles import Ceilings, DeviceInfo
from workbench.core.user_folders import user_data_folder

FILE_NAME = "ceilings.json"


class CeilingStore:
    """The ceilings of all devices seen; the file is read anew at each question.

    An entry that cannot be read costs that entry: the device is then measured anew.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._file = JsonFile(path or user_data_folder() / FILE_NAME)

    def of(self, device: DeviceInfo) -> Ceilings | None:
        """What was measured of this very device; None where nothing was."""
        entry = self._entries().get(_key(device.uuid, device.name))
        try:
            return None if entry is None else from_plain(Ceilings, entry)
        except PlainError:
            return None

    def keep(self, found: Ceilings) -> None:
        """Keep what was measured; rates of formats that were not measured now stay.

        Raises JsonFileError where the file cannot be written.
        """
        before = self.of(DeviceInfo(found.device, uuid=found.uuid))
        kept = found if before is None else _merged(before, found)
        if kept != before:
            entries = {**self._entries(), _key(found.uuid, found.device): to_plain(kept)}
            self._file.write({**self._file.read().values, "devices": entries})

    def _entries(self) -> dict[str, Any]:
        entries = self._file.read().values.get("devices", {})
        return entries if isinstance(entries, dict) else {}


def keep_quietly(store: CeilingStore, found: Ceilings | None) -> str | None:
    """Keep what a profile measured; what is wrong where that cannot be, in a sentence."""
    if found is None:
        return None
    try:
        store.keep(found)
    except JsonFileError as error:
        return str(error)
    return None


def _merged(before: Ceilings, found: Ceilings) -> Ceilings:
    rates = {**before.matmul_tflops, **found.matmul_tflops}
    copy = before.copy_gb_s if found.copy_gb_s is None else found.copy_gb_s
    return dataclasses.replace(found, matmul_tflops=rates, copy_gb_s=copy)


def _key(uuid: str | None, name: str) -> str:
    """The same for one device, whoever tells of it: the driver writes "GPU-" before an identity."""
    return uuid.removeprefix("GPU-").lower() if uuid else name
