"""The code pane: the texts that a kernel goes through, its compiler passes, and comparisons."""

from workbench.ui.panes.code.pane import CodePane

__all__ = ["CodePane"]
