"""The system's lock on an open file, released when its process ends, on every platform."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt

    def lock_file(file: int) -> None:
        """Lock an open file, of which the descriptor is given; OSError where another holds it."""
        msvcrt.locking(file, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def lock_file(file: int) -> None:
        """Lock an open file, of which the descriptor is given; OSError where another holds it."""
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
