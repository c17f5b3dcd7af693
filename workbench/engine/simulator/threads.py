"""Keeps numpy's OpenBLAS and torch to one thread while tiles are computed.

WORKAROUND: OpenBLAS splits even a 128x128x32 product over threads, which makes it ten times slower;
numpy has no call for this, and `OPENBLAS_NUM_THREADS` only works before the first import. Torch
splits from 32768 elements on, which loses as soon as another process wants the second core.
"""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import torch

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
def single_threaded() -> Iterator[None]:
    """Run the body with one thread in OpenBLAS and torch, then restore both counts."""
    torch_threads, functions = torch.get_num_threads(), _openblas()
    blas_threads = functions[0]() if functions else 0
    torch.set_num_threads(1)
    if functions:
        functions[1](1)
    try:
        yield
    finally:
        torch.set_num_threads(torch_threads)
        if functions:
            functions[1](blas_threads)
