"""Starts the command line: `python -m workbench COMMAND`."""

import sys

from workbench.cli import main

if __name__ == "__main__":
    sys.exit(main())
