"""Modules that came along with a document: the folder in which this process imports them from."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import tokenize
from collections.abc import Mapping
from pathlib import Path, PurePosixPath


def folder_of(modules: Mapping[str, str]) -> Path:
    """The folder for just these texts, in this process's scratch folder."""
    texts = hashlib.sha256(repr(sorted(modules.items())).encode("utf-8", "surrogatepass"))
    scratch = os.environ.get("TILELANG_WORKBENCH_SCRATCH") or tempfile.gettempdir()
    return Path(scratch, f"modules-{os.getpid()}-{texts.hexdigest()[:32]}")


def placed(modules: Mapping[str, str]) -> Path:
    """That folder with the files in it; raises ValueError for a path that leads out of it."""
    folder = folder_of(modules)
    if not folder.is_dir():
        part = Path(tempfile.mkdtemp(prefix="modules-", dir=folder.parent))
        for name, text in modules.items():
            path = part / _checked(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(_encoded(text))
        part.rename(folder)
    return folder


def _checked(name: str) -> PurePosixPath:
    path = PurePosixPath(name)
    if path.is_absolute() or ".." in path.parts or "\\" in name:
        raise ValueError(f"a module cannot be placed at {name!r}")
    return path


def _encoded(text: str) -> bytes:
    """The text in the encoding that its first lines name, as Python will read it."""
    encoding, _ = tokenize.detect_encoding(io.BytesIO(text.encode()).readline)
    return text.encode(encoding)
