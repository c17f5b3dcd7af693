"""Reads the source page that Nsight Compute prints: what was counted for each instruction."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.counters.numerals import number_of

# The titles of columns, and the metrics that they show (Kernel Profiling Guide, Source Metrics).
_TITLES = {
    "# Samples": "smsp__pcsamp_sample_count",
    "Instructions Executed": "inst_executed",
    "Thread Instructions Executed": "thread_inst_executed",
    "Predicated-On Thread Instructions Executed": "thread_inst_executed_true",
    "L1 Tag Requests Global": "memory_l1_tag_requests_global",
    "L1 Wavefronts Shared": "memory_l1_wavefronts_shared",
    "L1 Wavefronts Shared Ideal": "memory_l1_wavefronts_shared_ideal",
    "L2 Theoretical Sectors Global": "memory_l2_theoretical_sectors_global",
    "L2 Theoretical Sectors Global Ideal": "memory_l2_theoretical_sectors_global_ideal",
    "L2 Theoretical Sectors Local": "memory_l2_theoretical_sectors_local",
}
_STALL = "smsp__pcsamp_warps_issue_stalled_"
_STALLS = {
    "long_sb": "long_scoreboard",
    "short_sb": "short_scoreboard",
    "math": "math_pipe_throttle",
    "mio": "mio_throttle",
    "lg": "lg_throttle",
    "tex": "tex_throttle",
    "imc": "imc_miss",
    "no_inst": "no_instructions",
    "dispatch": "dispatch_stall",
    "gmma": "warpgroup_arrive",
    "sleep": "sleeping",
}
SAMPLES = _TITLES["# Samples"]
_ADDRESS, _SOURCE = "Address", "Source"


@dataclass(frozen=True)
class Instruction:
    """One instruction of the machine code; `offset` is in bytes from the kernel's first."""

    offset: int
    text: str
    values: Mapping[str, float]


@dataclass(frozen=True)
class SourcePage:
    """The instructions of one launch, in their order."""

    kernel: str
    instructions: tuple[Instruction, ...]


def read_source_csv(text: str) -> tuple[SourcePage, ...]:
    """The pages of a report, launch by launch; what was not counted is left out."""
    pages: list[SourcePage] = []
    name, header = "", None
    rows: list[list[str]] = []
    for cells in csv.reader(text.splitlines()):
        if cells[:1] == ["Kernel Name"]:
            pages += _page(name, header, rows)
            name, header, rows = (cells[1] if len(cells) > 1 else ""), None, []
        elif _ADDRESS in cells and _SOURCE in cells:
            header = cells
        elif header is not None and len(cells) == len(header):
            rows.append(cells)
    return (*pages, *_page(name, header, rows))


def metric_of(title: str) -> str | None:
    """The official name of a column; None where its numbers do not add up over instructions."""
    if title in _TITLES:
        return _TITLES[title]
    if title.startswith("stall_") and not title.endswith(")"):  # others: of not issued ones alone
        reason = title.removeprefix("stall_")
        return f"{_STALL}{_STALLS.get(reason, reason)}"
    return title if title in _TITLES.values() or title.startswith(_STALL) else None


def _page(
    name: str, header: Sequence[str] | None, rows: Sequence[Sequence[str]]
) -> list[SourcePage]:
    if header is None or not rows:
        return []
    columns: dict[str, int] = {}
    for index, title in enumerate(header):
        metric = metric_of(title)
        if metric is not None:
            columns.setdefault(metric, index)
    address, source = header.index(_ADDRESS), header.index(_SOURCE)
    places = [_address(row[address]) for row in rows]
    first = places[0]
    found = (
        Instruction(place - first, row[source].strip(), _values(row, columns))
        for place, row in zip(places, rows, strict=True)
    )
    return [SourcePage(name, tuple(found))]


def _address(text: str) -> int:
    plain = text.strip().replace(",", "")
    return int(plain, 16 if plain.lower().startswith("0x") else 10)


def _values(row: Sequence[str], columns: Mapping[str, int]) -> dict[str, float]:
    found = {metric: number_of(row[index]) for metric, index in columns.items()}
    return {metric: float(number) for metric, number in found.items() if number is not None}
