"""The saved sizes of a splitter's two parts; only their ratio counts."""

from __future__ import annotations

from typing import Any


def read_shares(data: Any, fallback: tuple[int, int]) -> tuple[int, int]:
    """Two whole numbers above 0 as JSON gave them, else the fallback."""
    if not isinstance(data, list) or len(data) != 2:
        return fallback
    first, second = data
    good = all(type(part) is int and part > 0 for part in data)
    return (first, second) if good else fallback
