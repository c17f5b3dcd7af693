"""Where Nsight Compute is installed on this machine: its command line, and its Python reader."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

_NAMES = ("ncu", "ncu.exe", "ncu.bat")
_HOMES = ("CUDA_HOME", "CUDA_PATH", "CUDA_ROOT")
#: Where installers put it; the folders' names end in versions.
PLACES = (
    "/opt/nvidia/nsight-compute/*",
    "/usr/local/cuda*",
    "/usr/local/NVIDIA-Nsight-Compute*",
    "C:/Program Files/NVIDIA Corporation/Nsight Compute*",
    "C:/Program Files/NVIDIA GPU Computing Toolkit/CUDA/v*",
)
_READER = "ncu_report.py"


def find_ncu(
    environment: Mapping[str, str] | None = None, places: Iterable[str] = PLACES
) -> Path | None:
    """Nsight Compute's command line: on the PATH, in CUDA_HOME, else the newest installed."""
    environment = os.environ if environment is None else environment
    on_path = shutil.which("ncu", path=environment.get("PATH", ""))
    if on_path is not None:
        return Path(on_path)
    homes = [Path(environment[name]) for name in _HOMES if environment.get(name)]
    for folder in [*homes, *_installed(places)]:
        for name in _NAMES:
            for candidate in (folder / "bin" / name, folder / name):
                if candidate.is_file():
                    return candidate
    return None


def find_reader(places: Iterable[str] = PLACES, ncu: Path | None = None) -> Path | None:
    """The folder of Nsight Compute's module `ncu_report`, which reads reports without `ncu`."""
    own = [Path(os.path.realpath(ncu)).parent] if ncu is not None else []
    for folder in [*own, *_installed(places)]:
        for python in (folder / "extras" / "python", folder.parent / "extras" / "python"):
            if (python / _READER).is_file():
                return python
    return None


def _installed(places: Iterable[str]) -> Iterator[Path]:
    """The folders that are there, in the order of the places, newest versions first."""
    for place in places:
        root, star, rest = place.partition("*")
        parent, _, name = root.rpartition("/")
        found = Path(parent or "/").glob(f"{name}{star}{rest}")
        yield from sorted(found, key=_version, reverse=True)


def _version(path: Path) -> tuple[int, ...]:
    return tuple(int(number) for number in re.findall(r"\d+", str(path)))
