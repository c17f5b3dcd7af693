from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from workbench.engine.scripts import repeating
from workbench.engine.simulator import Parameter, SimulationReport


class CountingProgram:
    """Adds its first array into its second, and counts how often it did."""

    source = ""

    parameters = (
        Parameter("A", "float32", (4,), True, True, False),
        Parameter("B", "float32", (4,), True, True, True),
    )

    def __init__(self) -> None:
        self.runs = 0

    def run(self, values: Any, options: Any = None) -> SimulationReport:
        self.runs += 1
        values[1][...] += values[0]
        return SimulationReport(1, 1, repeating._WORTH_SECONDS * 2)


@pytest.fixture
def program() -> Any:
    return CountingProgram()


def test_equal_contents_give_the_results_again(program: Any) -> None:
    repetition = repeating.Repetition()
    for _ in range(4):
        a, b = np.arange(4, dtype=np.float32), np.ones(4, np.float32)
        repetition.run(program, [a, b])
        assert b.tolist() == [1, 2, 3, 4]
    assert program.runs == 2  # the first tells how long it takes, the second is kept


def test_an_output_that_is_added_to_is_added_to_again(program: Any) -> None:
    repetition = repeating.Repetition()
    a, b = np.ones(4, np.float32), np.zeros(4, np.float32)
    for _ in range(4):
        repetition.run(program, [a, b])
    assert (program.runs, b.tolist()) == (4, [4, 4, 4, 4])


def test_what_reads_memory_beside_its_arguments_is_simulated_each_time(program: Any) -> None:
    program.source = "A = memory_at(rt, address, (4, ), dtype, 'A')"
    repetition = repeating.Repetition()
    for _ in range(4):
        repetition.run(program, [np.ones(4, np.float32), np.zeros(4, np.float32)])
    assert program.runs == 4
