"""What a program is looked at for while it runs: one file for each kind of finding."""

from __future__ import annotations

from workbench.engine.simulator.checks import (  # noqa: F401 - importing them registers helpers
    blame,
    dependences,
    outside,
    ownership,
    ranges,
    shadows,
    sums,
    widening,
)
from workbench.engine.simulator.checks.blocks import BlockObserver
from workbench.engine.simulator.checks.definedness import DefinednessObserver
from workbench.engine.simulator.checks.iterations import IterationObserver
from workbench.engine.simulator.checks.narrowing import NarrowingObserver
from workbench.engine.simulator.checks.numerics import NumericsObserver
from workbench.engine.simulator.checks.outside import OutsideObserver
from workbench.engine.simulator.instrumentation import Observer
from workbench.engine.simulator.translator import Touches


def observers(touches: Touches) -> tuple[Observer, ...]:
    """Return the checks of one translation; `touches` are those of the whole body."""
    return (
        OutsideObserver(),
        NarrowingObserver(),
        NumericsObserver(),
        IterationObserver(),
        BlockObserver(touches),
        DefinednessObserver(),
    )
