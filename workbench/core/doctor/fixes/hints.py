"""Fixes of copies that ask L2 for what their form cannot ask."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.edits import drop_keyword
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import calls_in, statements_at

_COPIES = ("tma_copy", "copy")
_ASKED = "eviction_policy"


def without_policy(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The copy as it is without what it asks of L2: its result is the same."""
    module, line = situation.module, diagnostic.range.line if diagnostic.range is not None else 0
    for statement in statements_at(module, line)[:1]:
        for call in calls_in(module, statement, *_COPIES):
            edit = drop_keyword(module, call, _ASKED)
            if edit is not None and call.lineno <= line <= (call.end_lineno or 0):
                yield Fix(f"Copy without {_ASKED}", (edit,), True)
                return
