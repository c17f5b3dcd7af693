"""What can be ticked, in the rows that the popup shows."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor
from workbench.core.targets.table import TargetTable

#: The vendors' headings, in the order of the groups.
VENDORS = {
    Vendor.NVIDIA: "NVIDIA",
    Vendor.AMD: "AMD",
    Vendor.HUAWEI: "Huawei",
    Vendor.APPLE: "Apple",
    Vendor.HOST: "This machine",
}


@dataclass(frozen=True)
class TargetChoice:
    """A target that can be ticked.

    `label` is its short name, `detail` the architecture of a GPU, `vendor` the group's heading.
    """

    name: str
    label: str
    title: str
    detail: str
    vendor: str


@dataclass(frozen=True)
class TargetRow:
    """A row: a heading, or a choice; `mark` is the place of a ticked one among those ticked."""

    text: str
    choice: TargetChoice | None = None
    mark: int | None = None


def target_choices(table: TargetTable) -> tuple[TargetChoice, ...]:
    """Every GPU and architecture of the table."""
    return tuple(_choice(table.resolve(record.name)) for record in table.records())


def target_rows(
    choices: Sequence[TargetChoice], ticked: Sequence[str], wanted: str
) -> tuple[TargetRow, ...]:
    """The choices that have every word of `wanted`, under their vendors' headings."""
    marks = {name: place for place, name in enumerate(ticked)}
    words = wanted.casefold().split()
    rows: list[TargetRow] = []
    for vendor in VENDORS.values():
        fitting = [c for c in choices if c.vendor == vendor and _fits(c, words)]
        if fitting:
            rows.append(TargetRow(vendor))
        rows += [TargetRow(_short_title(c), c, marks.get(c.name)) for c in fitting]
    return tuple(rows)


def _choice(target: Target) -> TargetChoice:
    vendor = VENDORS[target.arch.vendor]
    is_gpu = target.model is not None
    detail = target.arch.name if is_gpu else "" if target.title == target.name else target.name
    return TargetChoice(target.name, short_label(target), target.title, detail, vendor)


def _fits(choice: TargetChoice, words: Sequence[str]) -> bool:
    known = f"{choice.vendor} {choice.title} {choice.name} {choice.detail}".casefold()
    return all(word in known for word in words)


def _short_title(choice: TargetChoice) -> str:
    """The title without its vendor, which the heading names, nor a name that stands beside it."""
    title = choice.title.removeprefix(f"{choice.vendor} ")
    return re.sub(rf" \({re.escape(choice.name)}\)$", "", title)
