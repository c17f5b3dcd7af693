"""Starts the workbench from a checkout: `python main.py`."""

import sys

from workbench.cli import main

ARGUMENTS = ["verify", "kernels/gemm.py", "--on", "simulator"]

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:] or ARGUMENTS))
