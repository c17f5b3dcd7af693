"""Reads the CSV that Nsight Compute prints of a report: its raw page, or its page of details.

The raw page has a column a metric and a row a launch, after a row of units. The page of details has
a row a metric, which it calls by a label, with two digits behind the point. Lines of the profiler
("==PROF== ...") and of the profiled program may stand around.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from workbench.core.counters.detail_labels import OFFICIAL
from workbench.core.counters.numerals import has_decimal_comma, is_untold, number_of
from workbench.core.counters.units import scale_of
from workbench.core.profiles import CounterReport, KernelCounters

TOOL = "Nsight Compute"
TO_CSV = "ncu --import FILE.ncu-rep --csv --page raw > FILE.csv"
_FIXED = frozenset(
    (
        "ID",
        "Process ID",
        "Process Name",
        "Host Name",
        "Kernel Name",
        "Kernel Time",
        "Context",
        "Stream",
        "Block Size",
        "Grid Size",
        "Device",
        "CC",
        "Device Name",
        "Section Name",
        "Rule Name",
        "Rule Type",
        "Rule Description",
        "Estimated Speedup Type",
        "Estimated Speedup",
        "Metric Name",
        "Metric Unit",
        "Metric Value",
        "Body Item Label",
        "thread Domain:Push/Pop_Range:PL_Type:PL_Value:CLR_Type:Color:Msg_Type:Msg",
    )
)
_DELIMITERS = (",", ";", "\t")
_DEVICE = "device__attribute_display_name"
_SIZES = "launch__shared_mem"
_CAPABILITY = re.compile(r"(\d+)\.(\d+)")


class CounterFileError(ValueError):
    """A file holds no counters that can be read; the message says what it lacks and what to do."""


@dataclass
class _Table:
    """One table of the file: its columns, the row of units if it has one, and the other rows."""

    header: list[str]
    units: dict[str, str] | None = None
    rows: list[dict[str, str]] = field(default_factory=list)

    @property
    def long(self) -> bool:
        """Whether it has a row a metric."""
        return "Metric Name" in self.header

    def texts(self) -> Iterator[str]:
        """The texts of the values, to see how numbers are written."""
        names = ["Metric Value"] if self.long else [n for n in self.header if n not in _FIXED]
        return (row[name] for row in self.rows for name in names)


def read_raw_csv(text: str) -> CounterReport:
    """The counters of every launch in `text`, in base units; raises CounterFileError."""
    tables, skipped = _tables(text.removeprefix("\ufeff"))
    if not tables:
        raise CounterFileError(
            "there is no table of Nsight Compute in it: a line with the columns ID and "
            f"Kernel Name is missing ({TO_CSV} makes one)"
        )
    comma = has_decimal_comma(each for table in tables for each in table.texts())
    kernels = [kernel for table in tables for kernel in _kernels(table, comma)]
    if not kernels:
        raise CounterFileError("the table of Nsight Compute has no launch: nothing was profiled")
    return CounterReport(TOOL, tuple(kernels), _notes(tables, skipped))


def _notes(tables: Iterable[_Table], skipped: int) -> tuple[str, ...]:
    notes = []
    if any(table.units is None and not table.long for table in tables):
        notes.append("the file has no row of units: values are taken to be in base units")
    if any(table.long for table in tables):
        notes.append("the page of details rounds, and sizes in Kbyte are left out: see --page raw")
    if skipped:
        notes.append(f"lines of the table that are cut short and were not read: {skipped}")
    return tuple(notes)


def _tables(text: str) -> tuple[list[_Table], int]:
    """The tables, and how many of their lines have another number of cells than the header."""
    tables: list[_Table] = []
    skipped, delimiter = 0, ","
    for line in text.splitlines():
        found = _header(line)
        if found is not None:
            delimiter, header = found
            tables.append(_Table(header))
        elif tables and line.strip() and not line.startswith("=="):
            skipped += not _take(tables[-1], _cells(line, delimiter))
    return tables, skipped


def _header(line: str) -> tuple[str, list[str]] | None:
    if "Kernel Name" not in line:
        return None
    for delimiter in _DELIMITERS:
        cells = [cell.strip() for cell in _cells(line, delimiter)]
        if "Kernel Name" in cells and ("ID" in cells or "Metric Name" in cells):
            return delimiter, cells
    return None


def _cells(line: str, delimiter: str) -> list[str]:
    return next(csv.reader([line], delimiter=delimiter), [])


def _take(table: _Table, cells: Sequence[str]) -> bool:
    """Add a line to the table; False where it is the beginning of one alone."""
    if table.long and table.header.index("Metric Value") < len(cells) < len(table.header):
        cells = [*cells, *[""] * (len(table.header) - len(cells))]  # only advice fills a line
    if len(cells) != len(table.header):
        # what the profiled program printed has few commas, or begins otherwise
        return len(cells) < 2 or not cells[0].strip().isdigit()
    row = dict(zip(table.header, cells, strict=True))
    if not table.long and not table.rows and not row["Kernel Name"].strip():
        table.units = row
    else:
        table.rows.append(row)
    return True


def _kernels(table: _Table, comma: bool) -> list[KernelCounters]:
    if not table.long:
        units = table.units or {}
        return [_kernel(row, _columns(row), units, comma) for row in table.rows]
    launches: dict[tuple[str, str], list[dict[str, str]]] = {}
    for row in table.rows:
        launches.setdefault((row.get("ID", ""), row["Kernel Name"]), []).append(row)
    return [_long_kernel(rows, comma) for rows in launches.values()]


def _columns(row: Mapping[str, str]) -> dict[str, str]:
    return {name: value for name, value in row.items() if name not in _FIXED}


def _long_kernel(rows: Sequence[Mapping[str, str]], comma: bool) -> KernelCounters:
    texts, units = {}, {}
    for row in rows:
        name, unit = row["Metric Name"].strip(), row.get("Metric Unit", "")
        name = OFFICIAL.get(name, name)
        rounded = name.startswith(_SIZES) and scale_of(unit).factor != 1
        if name and not rounded:  # without a name it is advice
            texts[name], units[name] = row["Metric Value"], unit
    return _kernel(rows[0], texts, units, comma)


def _kernel(
    row: Mapping[str, str], texts: Mapping[str, str], written: Mapping[str, str], comma: bool
) -> KernelCounters:
    values: dict[str, float | None] = {}
    units: dict[str, str] = {}
    for name, text in texts.items():
        scale = scale_of(written.get(name, ""))
        number = number_of(text, comma)
        if number is None and not is_untold(text):
            continue  # a name, such as the device's
        values[name] = None if number is None else float(number * scale.factor)
        if name in written:
            units[name] = scale.unit
    return KernelCounters(
        row["Kernel Name"].strip(),
        values,
        units,
        grid=_extents(row.get("Grid Size", "")),
        block=_extents(row.get("Block Size", "")),
        device=(texts.get(_DEVICE) or row.get("Device Name") or "").strip() or None,
        arch=_arch(row.get("CC", "")),
    )


def _extents(text: str) -> tuple[int, ...] | None:
    return tuple(int(each) for each in re.findall(r"\d+", text)) or None


def _arch(text: str) -> str | None:
    found = _CAPABILITY.fullmatch(text.strip())
    return f"sm_{found[1]}{found[2]}" if found else None
