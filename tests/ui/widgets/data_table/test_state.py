from __future__ import annotations

from typing import Any

import pytest

from workbench.ui.widgets.data_table.state import ColumnState, TableState

STATE = TableState((ColumnState("time", 90, True), ColumnState("kernel", 0, False)), "time", True)


def test_a_state_survives_saving() -> None:
    assert TableState.from_json(STATE.to_json()) == STATE


def test_a_bad_column_costs_that_column() -> None:
    data = STATE.to_json()
    data["columns"].insert(0, {"width": 5})
    data["columns"].append("kernel")
    assert TableState.from_json(data) == STATE


@pytest.mark.parametrize("width", [None, "wide", -4, True])
def test_a_bad_width_is_unknown(width: Any) -> None:
    data = {"version": 1, "columns": [{"key": "time", "width": width}]}
    assert TableState.from_json(data).columns == (ColumnState("time", 0, True),)


@pytest.mark.parametrize("data", [{}, {"version": 2, "sort": "time"}, {"version": 1, "columns": 3}])
def test_what_is_not_understood_is_a_new_table(data: dict[str, Any]) -> None:
    assert TableState.from_json(data) == TableState()
