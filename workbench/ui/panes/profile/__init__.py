"""The pane of what was measured of a kernel on a GPU."""

from workbench.ui.panes.profile.pane import ProfilePane

__all__ = ["ProfilePane"]
