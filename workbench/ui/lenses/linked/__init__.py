"""The linked code lens: the same statement in every text from Python to SASS."""

from __future__ import annotations

from workbench.ui.lenses.linked.lens import LinkedLens

__all__ = ["LinkedLens"]
