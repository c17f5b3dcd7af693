"""The welcome page: examples, ways to begin, recent files, and what this machine has."""

from workbench.ui.welcome.page import WelcomePage
from workbench.ui.welcome.rows import LinkRow, RecentFile

__all__ = ["LinkRow", "RecentFile", "WelcomePage"]
