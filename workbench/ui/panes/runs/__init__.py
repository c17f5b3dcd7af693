"""The runs of the workspace: their list, and the details of one."""

from workbench.ui.panes.runs.pane import RunsPane

__all__ = ["RunsPane"]
