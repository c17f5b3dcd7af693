"""What the tests of the core share: a folder that may not be written, also for root."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

NOBODY = 65534


@pytest.fixture
def public_folder() -> Iterator[Path]:
    """A folder that every user can reach, which pytest's own are not."""
    folder = Path(tempfile.mkdtemp(prefix="workbench-public-")).resolve()
    folder.chmod(0o755)
    yield folder
    shutil.rmtree(folder)


@pytest.fixture
def read_only() -> Callable[[Path], AbstractContextManager[None]]:
    """Takes the right to write into a folder away, from root by being nobody for the while."""
    if sys.platform == "win32":
        pytest.skip("Windows keeps rights in access lists, not in a mode")

    @contextlib.contextmanager
    def take_away(folder: Path) -> Iterator[None]:
        user = os.geteuid()
        folder.chmod(0o555)
        if user == 0:
            os.seteuid(NOBODY)
        try:
            yield
        finally:
            if user == 0:
                os.seteuid(user)
            folder.chmod(0o755)

    return take_away
