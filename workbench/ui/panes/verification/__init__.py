"""The pane of a verification: what is wrong, where it lies in the output, and by how much."""

from __future__ import annotations

from workbench.ui.panes.verification.pane import VerificationPane

__all__ = ["VerificationPane"]
