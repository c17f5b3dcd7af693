"""The problem list: what Python, TileLang and the compilers say, each at its line."""

from workbench.ui.panes.problems.pane import ProblemsPane

__all__ = ["ProblemsPane"]
