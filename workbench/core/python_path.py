"""The PYTHONPATH with which a Python process finds this installation of the workbench."""

from __future__ import annotations

import os
from pathlib import Path

_ROOT = Path(__file__).resolve().parents[2]


def python_path() -> str:
    """The folder that holds the package, before what this process's own PYTHONPATH names.

    A checkout that nobody installed is found too, and another installation never comes first.
    """
    return os.pathsep.join([str(_ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
