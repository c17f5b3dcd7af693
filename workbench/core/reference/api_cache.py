"""Keeps what was read off TileLang in the cache folder, one file a version of it.

Form 2: `{"form": 2, "tilelang": version, "entries": [...]}`, in whose texts points have lines of
their own, which form 1 did not have. Any other form is made anew.
"""

from __future__ import annotations

import json
import re
from pathlib import Path

from workbench.core.atomic_files import write_atomically
from workbench.core.plain import PlainError, from_plain, to_plain
from workbench.core.reference.api_model import Api

FORM = 2


def cache_file(folder: Path, version: str) -> Path:
    """Where the names of a version are kept, below the cache folder."""
    return folder / "reference" / f"api-{re.sub(r'[^A-Za-z0-9.+-]', '_', version)}.json"


def read_cache(folder: Path, version: str) -> Api | None:
    """The names of a version; None where they were not kept, or not so that they can be read."""
    try:
        data = json.loads(cache_file(folder, version).read_bytes())
        if data.pop("form") != FORM:
            return None
        api = from_plain(Api, data)
    except (OSError, ValueError, KeyError, AttributeError, PlainError):
        return None
    return api if api.tilelang == version else None


def write_cache(folder: Path, api: Api) -> None:
    """Keep the names of a version. Raises OSError."""
    path = cache_file(folder, api.tilelang)
    path.parent.mkdir(parents=True, exist_ok=True)
    data = {"form": FORM, **to_plain(api)}
    write_atomically(path, json.dumps(data, separators=(",", ":")).encode())
