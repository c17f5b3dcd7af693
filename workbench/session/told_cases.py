"""Completes runs that do not tell how they differ from their case, by the texts kept of them."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Iterable

from workbench.core.documents.case_changes import case_changes
from workbench.core.documents.model import Document
from workbench.core.documents.reading import parse_document
from workbench.core.history import HistoryError
from workbench.core.runs import Run

_MOST_BYTES = 2**20  # larger texts would take long to read
_KEPT = 128  # documents, as many runs are of one text


def is_told(run: Run) -> bool:
    """Whether a run tells all that can be told of its case."""
    return run.overrides is not None or None in (run.case, run.kernel, run.text_blob)


def with_told_cases(runs: Iterable[Run], blob: Callable[[str], bytes | None]) -> tuple[Run, ...]:
    """The runs, those of an older writer with the arguments that are not their case's.

    `blob` reads a stored text; where that is lost (None, or HistoryError) the run stays as it is.
    """
    return tuple(run if is_told(run) else _told(run, blob) for run in runs)


def _told(run: Run, blob: Callable[[str], bytes | None]) -> Run:
    try:
        text = blob(run.text_blob or "")
    except HistoryError:
        return run
    if text is None or len(text) > _MOST_BYTES:
        return run
    document = _document(text.decode("utf-8", "replace"))
    changes = case_changes(document, run.kernel or "", run.case or "", run.args)
    return dataclasses.replace(run, overrides=changes)


@functools.lru_cache(maxsize=_KEPT)
def _document(text: str) -> Document:
    return parse_document(text)
