"""The navigator: the workspace's kernels, the shipped library and the newest runs."""

from workbench.ui.navigator.navigator import Navigator
from workbench.ui.navigator.nodes import LibraryEntry

__all__ = ["LibraryEntry", "Navigator"]
