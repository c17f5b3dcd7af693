"""The memory lens: lanes of memory with what lies in them, ribbons, fill bars and lifetimes."""

from __future__ import annotations

from workbench.ui.lenses.memory.lens import MemoryLens

__all__ = ["MemoryLens"]
