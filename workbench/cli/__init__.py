"""The command line: the same functions as the window's, with JSON for scripts."""

from workbench.cli.main import main

__all__ = ["main"]
