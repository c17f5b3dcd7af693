"""Tells whether torch and tilelang load here, and which GPUs torch sees, as one line of JSON.

`python -m workbench.engine.loadable`, in a process of its own: loading may take long, print, or end
the process. It needs neither to begin.
"""

from __future__ import annotations

import json
import warnings
from typing import Any

#: What the line begins with, that it is told from whatever else is printed.
MARK = "LOADABLE "


def look() -> dict[str, Any]:
    """What torch says of itself, and the errors of those of the two that do not load."""
    found: dict[str, Any] = {}
    try:
        _look_at_torch(found)
    except BaseException as error:  # whatever stops it is what is to be told
        found["error"] = f"{type(error).__name__}: {error}"
    try:
        import tilelang  # noqa: F401
    except BaseException as error:  # likewise
        found["tilelang_error"] = f"{type(error).__name__}: {error}"
    return found


def _look_at_torch(found: dict[str, Any]) -> None:
    """Note one thing after the other: what is known stays where the next one fails."""
    import torch

    found["version"] = torch.__version__
    found["cuda"], found["hip"] = torch.version.cuda, torch.version.hip
    count = torch.cuda.device_count() if torch.cuda.is_available() else 0
    found["devices"] = [torch.cuda.get_device_name(i) for i in range(count)]


def main() -> None:
    """Print what is found on a line of its own."""
    warnings.simplefilter("ignore")
    print(f"\n{MARK}{json.dumps(look())}", flush=True)


if __name__ == "__main__":
    main()
