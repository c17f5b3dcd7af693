"""A table of records that sorts, filters, copies and remembers its columns."""

from __future__ import annotations

from workbench.ui.widgets.data_table.cells import Cell, Column
from workbench.ui.widgets.data_table.view import DataTable

__all__ = ["Cell", "Column", "DataTable"]
