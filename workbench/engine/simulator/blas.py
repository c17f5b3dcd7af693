"""Keeps numpy's OpenBLAS to one thread while tiles are multiplied.

WORKAROUND: OpenBLAS splits even a 128x128x32 product over threads, which makes it ten times slower;
numpy has no call for this, and `OPENBLAS_NUM_THREADS` only works before the first import.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

_PREFIXES = ("scipy_openblas", "openblas")
_SUFFIXES = ("64_", "")


@cache
def _openblas() -> tuple[Any, Any] | None:
    """Return the getter and the setter of the thread count, None with another BLAS."""
    folder = Path(np.__file__).parent.parent / "numpy.libs"
    for path in sorted(folder.glob("lib*openblas*")):
        library = ctypes.CDLL(str(path))
        for prefix in _PREFIXES:
            for suffix in _SUFFIXES:
                getter = getattr(library, f"{prefix}_get_num_threads{suffix}", None)
                setter = getattr(library, f"{prefix}_set_num_threads{suffix}", None)
                if getter is not None and setter is not None:
                    return getter, setter
    return None


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Run the body with one BLAS thread, then restore the count."""
    functions = _openblas()
    if functions is None:
        yield
        return
    getter, setter = functions
    before = getter()
    setter(1)
    try:
        yield
    finally:
        setter(before)
