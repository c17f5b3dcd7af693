"""The pane of the reference: a search, a list of pages, and the page that is read."""

from workbench.ui.panes.reference.pane import ReferencePane

__all__ = ["ReferencePane"]
