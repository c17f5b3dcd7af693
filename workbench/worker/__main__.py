"""Starts a worker on stdin and stdout: `python -m workbench.worker`."""

from workbench.worker.supervisor import main

if __name__ == "__main__":
    main()
