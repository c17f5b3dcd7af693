"""The pane of portability: on which targets the kernel can run, and why not on the others."""

from workbench.ui.panes.portability.pane import PortabilityPane

__all__ = ["PortabilityPane"]
