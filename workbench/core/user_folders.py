"""Where the person's own files of the workbench lie: settings and trust, data, caches."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs

_APPLICATION = "tilelang-workbench"


def user_config_folder() -> Path:
    """Return the folder of settings and trust; `TILELANG_WORKBENCH_CONFIG` names another."""
    return _folder("CONFIG", platformdirs.user_config_path(_APPLICATION, appauthor=False))


def user_data_folder() -> Path:
    """Return the folder of histories whose workspace cannot be written; or `..._DATA`."""
    return _folder("DATA", platformdirs.user_data_path(_APPLICATION, appauthor=False))


def user_cache_folder() -> Path:
    """Return the folder of what can be made anew; or `TILELANG_WORKBENCH_CACHE`."""
    return _folder("CACHE", platformdirs.user_cache_path(_APPLICATION, appauthor=False))


def _folder(purpose: str, usual: Path) -> Path:
    named = os.environ.get(f"TILELANG_WORKBENCH_{purpose}")
    return Path(named).expanduser().absolute() if named else usual
