"""The table of fixes: which functions mend the findings of a code, the preferred ones first."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.fixes import (
    accumulating,
    attention,
    banks,
    bounds,
    extents,
    fragments,
    hints,
    launching,
    misspelt,
    numerics,
    older,
    outputs,
    pipelining,
    races,
    shapes,
    shrinking,
    staging,
)
from workbench.core.doctor.fixes.situation import Situation, situation_of
from workbench.core.doctor.lint import Subject
from workbench.core.doctor.text_edits import StaleFixError, apply_fix
from workbench.core.documents.model import Document

_LOG = logging.getLogger(__name__)
_NEAR = 1  # a stage may name the first or the last line of a statement, or that of its loop
_MOST = 6

Fixer = Callable[[Situation, Diagnostic], Iterable[Fix]]

FIXERS: dict[str, tuple[Fixer, ...]] = {
    "removed-api": (older.moved, misspelt.nearest_name),
    "bank-conflict": (banks.own_layout, banks.padded, banks.swizzled),
    "block-race": (races.atomic_update, races.atomic_store),
    "parallel-race": (races.atomic_update,),
    "missing-pipelining": (pipelining.pipelined,),
    "pipeline-hazard": (races.serial_pipeline,),
    "epsilon-missing": (numerics.with_epsilon,),
    "online-softmax": (attention.rescaled,),
    "unscaled-scores": (attention.scaled,),
    "noncontiguous-bulk-copy": (banks.without_bulk,),
    "bulk-copy-hint": (hints.without_policy, hints.with_form),
    "sibling-pipelines-mismatch": (pipelining.same_depth,),
    "swizzle-prevented": (shapes.without_layout,),
    "nan-source": (numerics.widened, numerics.without_maximum),
    "uninitialized-read": (accumulating.initialised,),
    "out-of-bounds-write": (bounds.guarded_write,),
    "out-of-bounds-read": (bounds.clamped_read,),
    "output-not-covered": (bounds.written_back, bounds.rounded_up),
    "out-idx-misuse": (outputs.fitting_call,),
    "fragment-serial-access": (fragments.reduced, fragments.parallel, staging.staged),
    "fragment-two-index-maps": (staging.staged,),
    "fragment-replicated": (shapes.one_row,),
    "idle-threads": (shapes.from_global, staging.staged),
    "layout-conflict": (launching.agreeing,),
    "layout-not-found": (extents.other_extents, launching.other_threads),
    "layout-not-injective": (shapes.without_layout,),
    "warp-partition-illegal": (launching.other_threads, launching.larger_tiles),
    "block-smaller-than-warp": (launching.other_threads,),
    "threads-over-limit": (launching.most_threads,),
    "registers-over-limit": (launching.enough_threads,),
    "setmaxnreg-over-budget": (launching.without_minimum,),
    "rank-mismatch": (shapes.without_dimension,),
    "shared-memory-over-limit": (shrinking.fewer_stages, shrinking.smaller_tiles),
    "shared-memory-limit": (shrinking.fewer_stages, shrinking.smaller_tiles),
}
"""Fixes made of a finding of any stage; those that a lint rule makes itself come before them."""


def with_fixes(
    found: Iterable[Diagnostic], document: Document, subjects: Sequence[Subject]
) -> tuple[Diagnostic, ...]:
    """The findings with all fixes that the document's text and their facts allow.

    Pure: nothing is executed. A finding of a later stage gets what the lint stage offers for the
    same thing too. A document that Python cannot read is left as it is.
    """
    diagnostics = tuple(found)
    if not any(d.code in FIXERS or not d.fixes for d in diagnostics):
        return diagnostics
    situation = situation_of(document, subjects)
    if situation is None:
        return diagnostics
    return tuple(_with_fixes(situation, each) for each in diagnostics)


def _with_fixes(situation: Situation, diagnostic: Diagnostic) -> Diagnostic:
    if diagnostic.code not in FIXERS and (diagnostic.fixes or diagnostic.stage == "lint"):
        return diagnostic
    offered = [*diagnostic.fixes, *_of_lint(situation, diagnostic), *_made(situation, diagnostic)]
    found: dict[str, Fix] = {}
    for each in offered:
        text = _result(situation, each)
        known = found.get(text)  # made of more facts, the later title says more
        if text != situation.document.text:
            found[text] = each if known is None else replace(each, safe=known.safe or each.safe)
    fixes = tuple(found.values())[:_MOST]
    return replace(diagnostic, fixes=fixes) if fixes != diagnostic.fixes else diagnostic


def _result(situation: Situation, fix: Fix) -> str:
    """The text that a fix makes, the present one where it does not fit."""
    try:
        return apply_fix(situation.document.text, fix)
    except StaleFixError:
        return situation.document.text


def _of_lint(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """What the lint stage offers where a later stage says the same."""
    where = diagnostic.range
    if diagnostic.fixes or diagnostic.stage == "lint" or where is None:
        return
    for each in situation.linted:
        near = each.range is not None and abs(each.range.line - where.line) <= _NEAR
        if each.code == diagnostic.code and near:
            yield from each.fixes


def _made(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    for fixer in FIXERS.get(diagnostic.code, ()):
        try:
            yield from list(fixer(situation, diagnostic))
        except Exception:  # our mistake costs that fix alone
            _LOG.exception("no fix could be made for %s", diagnostic.code)
