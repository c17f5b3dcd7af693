"""Generated kernels for tests: a short way from a pattern's name and values to the document."""

from __future__ import annotations

from typing import Any

from workbench.core.patterns.generating import Generated, generate
from workbench.core.patterns.model import Goal, Setting
from workbench.core.patterns.table import pattern_named
from workbench.core.targets.table import load_targets

TABLE = load_targets()


def generated(
    pattern: str, targets: str = "h200", goal: Goal = Goal.THROUGHPUT, **values: Any
) -> Generated:
    """What a pattern generates for targets, given in one text with commas."""
    setting = Setting(tuple(TABLE.resolve(name) for name in targets.split(",")), goal)
    return generate(pattern_named(pattern), values, setting)
