"""What the engine's tests share: tilelang loaded quietly, with folders of the run."""

from __future__ import annotations

import pytest


@pytest.fixture(scope="session", autouse=True)
def _tilelang() -> None:
    """Load tilelang with the toolkit of the wheels, as an executor does."""
    from workbench.engine import environment

    environment.prepare()
