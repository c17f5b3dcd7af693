"""Builds and lowers a kernel with another extent of a fragment's rows, to see what would lower."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.doctor.extents import Resized, resized
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.module import Module, read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.documents.discovery import discover
from workbench.core.jobs import KernelChoice, Source
from workbench.core.targets.model import Target
from workbench.engine import kernels, loading, lowering
from workbench.engine.doctor import choices
from workbench.engine.doctor.trials import lowers

_MOST_SECONDS = 2.5  # a diagnosis must come while the person still looks at the line
_MOST = 2


@dataclass(frozen=True)
class Row:
    """A row of a fragment: `width` are the values that a thread takes of it at once."""

    tile: str
    extent: int
    width: int


@dataclass(frozen=True)
class Alternative:
    """An extent that was seen to lower; `name` is the argument or name that gives it."""

    extent: int
    name: str | None

    def __str__(self) -> str:
        if self.name is None:
            return f"rows of {self.extent} elements"
        return f"{self.name}={self.extent}"


def nearest_extents(row: Row, threads: int) -> tuple[int, ...]:
    """Other extents that threads could share by whole rounds or by powers of two, nearest first."""
    below = 1 << int(math.log2(row.extent))
    units = (threads, threads * row.width)
    found = {choices.round_up(row.extent, unit) for unit in units} | {below, 2 * below}
    found |= {lower for unit in units if (lower := choices.round_down(row.extent, unit))}
    return tuple(sorted(found - {row.extent}, key=lambda n: (abs(n - row.extent), n)))


def that_lower(
    source: Source, kernel: KernelChoice, target: Target, row: Row, threads: int
) -> tuple[Alternative, ...]:
    """The nearest extents with which the changed document was seen to lower, one to each side.

    None at all where the source does not say in one place what the extent is.
    """
    module = read_module(source.text)
    if module is None:
        return ()
    facts = tuple(_facts(module, source, kernel, target))
    found: dict[bool, Alternative] = {}
    for change in _changes(module, facts, row, threads):
        is_more = change.extent > row.extent
        if is_more not in found and _lowers(source, kernel, target, row, change):
            found[is_more] = Alternative(change.extent, change.name)
        if len(found) == _MOST:
            break
    return tuple(found.values())


def _facts(
    module: Module, source: Source, kernel: KernelChoice, target: Target
) -> Iterator[KernelFacts]:
    for known in discover(module.tree, source.text).kernels:
        if known.name == kernel.name:
            yield from facts_of(module, known, kernel.args, (target,))


def _changes(
    module: Module, facts: tuple[KernelFacts, ...], row: Row, threads: int
) -> Iterator[Resized]:
    """The changes of text that can be tried in the time that there is."""
    until = time.monotonic() + _MOST_SECONDS
    for extent in nearest_extents(row, threads):
        change = resized(module, facts, row.tile, row.extent, extent)
        if change is None or time.monotonic() > until:
            return
        yield change


def _lowers(
    source: Source, kernel: KernelChoice, target: Target, row: Row, change: Resized
) -> bool:
    # A path of its own: what is remembered of the document's lines by its path stays as it is.
    path = str(Path(source.path).with_suffix(".resized.py"))
    text = apply_fix(source.text, change.fix)
    args = {
        name: change.extent if name == change.name and value == row.extent else value
        for name, value in kernel.args.items()
    }
    tvm_target = lowering.tvm_target(target)
    try:
        with tvm_target, loading.loaded(replace(source, text=text, path=path)) as module:
            built = kernels.build(module, replace(kernel, args=args), tvm_target)
    except (Exception, SystemExit):  # whatever stops it: the extent is no alternative
        return False
    return lowers(built, tvm_target)
