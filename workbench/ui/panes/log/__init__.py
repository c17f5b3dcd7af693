"""The log: what jobs, compilers and the workbench itself print."""

from workbench.ui.panes.log.pane import LogPane

__all__ = ["LogPane"]
