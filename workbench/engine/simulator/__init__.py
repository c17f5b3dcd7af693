"""Executes tile-level TileLang kernels on a CPU: TIR becomes numpy source, run block by block."""

from workbench.engine.simulator.checks.blame import NUMERIC_CODES
from workbench.engine.simulator.checks.outside import PREDICATED
from workbench.engine.simulator.checks.ranges import BEYOND_RANGE
from workbench.engine.simulator.dtypes import new_array, numpy_dtype
from workbench.engine.simulator.model import (
    ArgumentError,
    BlockWrites,
    Finding,
    Parameter,
    SimulationOptions,
    SimulationReport,
    Unsupported,
)
from workbench.engine.simulator.pointers import follows_pointers
from workbench.engine.simulator.program import Program, translate

__all__ = [
    "BEYOND_RANGE",
    "NUMERIC_CODES",
    "PREDICATED",
    "ArgumentError",
    "BlockWrites",
    "Finding",
    "Parameter",
    "Program",
    "SimulationOptions",
    "SimulationReport",
    "Unsupported",
    "follows_pointers",
    "new_array",
    "numpy_dtype",
    "translate",
]
