"""Starts the window from a checkout: `python main.py [FILE]`."""

import sys

from workbench.app import main

if __name__ == "__main__":
    sys.exit(main())
