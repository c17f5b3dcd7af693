"""Fixes that give the rows of a fragment another extent, which the threads can share."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.extents import resized
from workbench.core.doctor.fixes.situation import Situation


def other_extents(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The extents that a finding names, with each of which the kernel was seen to lower."""
    evidence = diagnostic.evidence
    tile, old, extents = (evidence.get(key) for key in ("tile", "extent", "extents"))
    if not isinstance(tile, str) or type(old) is not int or not isinstance(extents, (list, tuple)):
        return
    line = diagnostic.range.line if diagnostic.range is not None else None
    for new in [n for n in extents if type(n) is int]:
        made = resized(situation.module, situation.facts_at(line), tile, old, new)
        if made is not None:
            yield made.fix
