"""The record of the scaffold."""

from __future__ import annotations

from collections.abc import Mapping

from workbench.core.patterns.model import Advice, Goal, Pattern, Values
from workbench.core.patterns.scaffold.fields import FIELDS
from workbench.core.patterns.scaffold.program import program
from workbench.core.patterns.scaffold.rules import RULES
from workbench.core.targets.model import Target


def _advise(values: Values, target: Target, goal: Goal) -> Mapping[str, Advice]:
    warp = target.arch.limits.warp_size or 32
    return {
        "threads": Advice(4 * warp, "Four warps: one for each scheduler of a multiprocessor."),
        "num_stages": Advice(2, "One tile is worked on while the next is on its way."),
    }


SCAFFOLD = Pattern(
    "scaffold",
    "Scaffold",
    "Empty scaffold",
    "Tensors, grid, tiles and a loop, for what no pattern covers; it runs as it is.",
    1,
    FIELDS,
    RULES,
    (r"\bscaffold\b", r"\bempty kernel\b", r"\bskeleton\b"),
    (),
    _advise,
    program,
)
