"""The table of what is known of TileLang's errors, and the diagnosis of one exception with it."""

from __future__ import annotations

import logging
import re

from workbench.core.diagnostics import Diagnostic, TextRange
from workbench.engine.doctor.accesses import ACCESSES
from workbench.engine.doctor.instructions import INSTRUCTIONS
from workbench.engine.doctor.layouts import LAYOUTS
from workbench.engine.doctor.model import Finding, Subject, Translator, Trouble
from workbench.engine.doctor.names import NAMES
from workbench.engine.doctor.products import PRODUCTS
from workbench.engine.doctor.refusals import REFUSALS

_log = logging.getLogger(__name__)

TRANSLATORS: tuple[Translator, ...] = (
    *PRODUCTS,
    *LAYOUTS,
    *ACCESSES,
    *INSTRUCTIONS,
    *NAMES,
    *REFUSALS,
)
"""Tried in order; the first that matches the text and explains it tells the error."""


def diagnose(
    error: BaseException, document: str, source: str, subject: Subject | None, stage: str
) -> Diagnostic | None:
    """What an exception means for the kernel, None where it is not known.

    `source` is the text of the document at path `document`; `subject` is None where the document
    could not be loaded.
    """
    trouble = Trouble(error, document, source, subject)
    for each in TRANSLATORS:
        match = each.pattern.search(trouble.text)
        finding = _explained(each, trouble, match) if match is not None else None
        if finding is not None:
            targets = (subject.target.name,) if subject is not None else ()
            return diagnostic_of(finding, targets, stage)
    return None


def _explained(row: Translator, trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """What a row makes of the trouble; where it fails itself, the person still needs the error."""
    try:
        return row.explain(trouble, match)
    except Exception:
        _log.exception("an error of TileLang could not be explained")
        return None


def diagnostic_of(finding: Finding, targets: tuple[str, ...], stage: str) -> Diagnostic:
    """A finding as it is told of a stage, for the targets that it is about."""
    return Diagnostic(
        finding.code,
        finding.severity,
        finding.message,
        TextRange(finding.line) if finding.line is not None else None,
        finding.related,
        targets=targets,
        stage=stage,
        evidence=finding.evidence,
        help=finding.help,
    )
