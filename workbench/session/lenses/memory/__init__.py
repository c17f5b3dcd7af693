"""The memory hierarchy of a kernel: what lies where, what moves between, how full each level is."""

from __future__ import annotations

from workbench.session.lenses.memory.picture import memory_picture

__all__ = ["memory_picture"]
