"""What a `profile` measures: cases, or a series over one argument, for the GPU's own target."""

from __future__ import annotations

import argparse
import dataclasses
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.cli import command
from workbench.cli.status import UsageError
from workbench.core.documents.model import Case, Document
from workbench.core.documents.selection import Selection, SelectionError, parse_value, select
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.profiles import DeviceInfo
from workbench.core.targets.devices import target_of_device
from workbench.core.targets.fitting import fit
from workbench.core.targets.model import Target, Vendor
from workbench.core.targets.table import TargetError, load_targets
from workbench.session.requests import Item

NO_BASELINE = "none"


@dataclass(frozen=True)
class Series:
    """One argument and the values that it is to have, as they were typed."""

    name: str
    values: tuple[str, ...]

    def plain(self, text: str) -> dict[str, Any]:
        """A point of the series for JSON."""
        return {"name": self.name, "value": parse_value(text)}


@dataclass(frozen=True)
class Point:
    """An item, and its place in a series where it is of one."""

    item: Item
    series: Mapping[str, Any] | None = None

    @property
    def label(self) -> str:
        """The case, with the argument that varies."""
        name = self.item.selection.case.name
        return f"{name}, {self.series['name']}={self.series['value']}" if self.series else name


def series_of(options: argparse.Namespace) -> Series | None:
    """The series that `--series` names; raises UsageError."""
    if options.series is None:
        return None
    name, equals, text = options.series.partition("=")
    values = tuple(value.strip() for value in text.split(",") if value.strip())
    if not equals or not name.strip() or not values:
        raise UsageError(f"--series takes NAME=VALUE,VALUE,..., not {options.series!r}")
    return Series(name.strip(), tuple(dict.fromkeys(values)))


def selections_of(
    document: Document, options: argparse.Namespace, series: Series | None
) -> list[tuple[Selection, Mapping[str, Any] | None]]:
    """What the options choose, each with its point of the series; raises UsageError."""
    if series is None:
        return [(selection, None) for selection in command.selections_of(document, options)]
    found: list[tuple[Selection, Mapping[str, Any] | None]] = []
    for text in series.values:
        for selection in _varied(document, options, series.name, text):
            found.append((selection, series.plain(text)))
    return found


def _varied(
    document: Document, options: argparse.Namespace, name: str, text: str
) -> list[Selection]:
    """The selections with one argument, or else one dynamic size of the case, set to a value."""
    given = command.pairs_of(options.overrides)
    try:
        return list(select(document, options.kernel, options.case, {**given, name: text}))
    except SelectionError as error:
        sized = _sized(document, options, name, text)
        if sized is None:
            raise UsageError(f"--series: {error}") from error
        return sized


def _sized(
    document: Document, options: argparse.Namespace, name: str, text: str
) -> list[Selection] | None:
    """The selections with a dynamic size of their cases set; None where it is no such size."""
    try:
        given = command.pairs_of(options.overrides)
        found = select(document, options.kernel, options.case, given)
    except SelectionError:
        return None
    if not text.isdecimal() or not all(name in selection.case.dims for selection in found):
        return None
    return [_with_size(selection, name, int(text)) for selection in found]


def _with_size(selection: Selection, name: str, size: int) -> Selection:
    case = dataclasses.replace(selection.case, dims={**selection.case.dims, name: size})
    return dataclasses.replace(selection, case=case)


class TargetChoice:
    """The targets named, which must run on the device, else for each case the one that is its own.

    Raises UsageError.
    """

    def __init__(self, options: argparse.Namespace, device: DeviceInfo) -> None:
        self._table = load_targets()
        self._named = [name for group in options.targets for name in group.split(",") if name]
        try:
            for name in self._named:
                _require_fit(self._table.resolve(name), device)
            own = (
                target_of_device(device.name, device.arch, self._table) if not self._named else None
            )
        except TargetError as error:
            raise UsageError(str(error)) from error
        if own is not None and own.note:
            print(f"note: {own.note}", file=sys.stderr)
        self._own = own.target if own is not None else None

    def of(self, case: Case) -> list[str]:
        """The targets that a case is measured for.

        Without a choice: the one of the case's that is this GPU, lowered as it says ("h200:sm_80"),
        else the GPU's own. A case of the processor alone keeps its own, which no GPU runs.
        """
        if self._own is None:
            return self._named
        known = [found for name in case.targets if (found := self._resolved(name)) is not None]
        mine = [
            each for each in known if (each.model, each.arch) == (self._own.model, self._own.arch)
        ]
        if mine:
            return [mine[0].name]
        is_host = bool(known) and all(each.arch.vendor is Vendor.HOST for each in known)
        return [known[0].name] if is_host else [self._own.name]

    def _resolved(self, name: str) -> Target | None:
        try:
            return self._table.resolve(name)
        except TargetError:  # a diagnostic of the document
            return None


def _require_fit(target: Target, device: DeviceInfo) -> None:
    if device.arch is None:
        return
    found = fit(target, device.arch, device.name)
    if isinstance(found, str):
        raise UsageError(f"--target: {found}")


def baseline_of(document: Document, options: argparse.Namespace, usual: str | None) -> str | None:
    """The function that is timed beside the kernel; `usual` without an option for it."""
    name = options.baseline
    if name is None:
        return usual
    if name == NO_BASELINE:
        return None
    if name not in document.functions:
        hint = did_you_mean(name, document.functions)
        raise UsageError(f"--baseline: {document.path} has no function {name!r}{hint}")
    chosen: str = name
    return chosen
