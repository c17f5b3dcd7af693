from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.data_table import Cell, Column, DataTable
from workbench.ui.widgets.data_table.cells import UNKNOWN


@dataclass(frozen=True)
class Run:
    kernel: str
    target: str
    time_us: float | None


def time_cell(run: Run) -> Cell:
    if run.time_us is None:
        return UNKNOWN
    return Cell(f"{run.time_us:,.1f}", "µs", run.time_us)


COLUMNS = (
    Column[Run]("kernel", "Kernel", lambda run: Cell(run.kernel, icon="cube", strong=True)),
    Column[Run]("target", "Target", lambda run: Cell(run.target)),
    Column[Run]("time", "Time", time_cell, numeric=True, tip="The median of the samples"),
)
RUNS = (
    Run("gemm", "H100", 358.7),
    Run("softmax", "A100", 11.0),
    Run("Attention", "H100", None),
    Run("layernorm", "H200", 1500.0),
)


@pytest.fixture
def runs() -> tuple[Run, ...]:
    return RUNS


@pytest.fixture
def columns() -> tuple[Column[Run], ...]:
    return COLUMNS


@pytest.fixture
def table(icons: Icons, qtbot: QtBot) -> Iterator[DataTable[Run]]:
    table: DataTable[Run] = DataTable(icons, "Runs", COLUMNS, row_key=lambda run: run.kernel)
    qtbot.addWidget(table)
    table.resize(500, 200)
    table.set_rows(RUNS)
    return table
