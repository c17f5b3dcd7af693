"""The facts of a kernel on a target, and the shipped targets."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from portability_facts import ASKS, lowered

from workbench.core.jobs import CompileResult
from workbench.core.portability.facts import TargetFacts
from workbench.core.targets.table import TargetTable, load_targets

Make = Callable[..., TargetFacts]


@pytest.fixture(scope="session")
def table() -> TargetTable:
    return load_targets()


@pytest.fixture
def facts(table: TargetTable) -> Make:
    """What is known of a kernel that lowers on a target; keywords stand in place of the usual."""

    def make(name: str, **changes: Any) -> TargetFacts:
        target = table.resolve(name)
        usual: dict[str, Any] = {"analysis": lowered(), "code": CompileResult(None)}
        return TargetFacts(target, name, name, changes.pop("asks", ASKS), **(usual | changes))

    return make
