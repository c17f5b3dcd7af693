"""The shipped table, read once a module."""

from __future__ import annotations

import pytest

from workbench.core.targets.table import TargetTable, load_targets


@pytest.fixture(scope="module")
def table() -> TargetTable:
    return load_targets()
