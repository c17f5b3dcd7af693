"""Writes the arguments in force back into the document's block, as its case."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.documents.model import Case, Metadata
from workbench.session.open_document import OpenDocument


def with_saved_case(content: bytes, document: OpenDocument) -> bytes:
    """The file's content with the chosen case holding the arguments and targets in force.

    Nothing but the block changes; a document without one gets it. Raises DocumentError where the
    block cannot be written.
    """
    from workbench.core.documents.writing import write_metadata  # tomlkit is slow to load

    metadata = document.parsed.metadata or Metadata()
    return write_metadata(content, replace(metadata, cases=_cases(metadata, document)))


def with_recorded_cases(content: bytes, document: OpenDocument) -> bytes:
    """The file's content with a block of the cases that a run of its script gave.

    Raises DocumentError where the block cannot be written.
    """
    from workbench.core.documents.writing import write_metadata  # tomlkit is slow to load

    return write_metadata(content, Metadata(cases=document.recorded))


def _cases(metadata: Metadata, document: OpenDocument) -> tuple[Case, ...]:
    chosen = document.chosen_case
    if chosen is None:
        return (*metadata.cases, _saved(_new_case(document), document))
    return tuple(_saved(c, document) if c == chosen else c for c in metadata.cases)


def _new_case(document: OpenDocument) -> Case:
    """The first case of a kernel; it names the kernel where the file has several."""
    several = len(document.parsed.kernels) > 1
    return Case("default", kernel=document.kernel if several else None)


def _saved(case: Case, document: OpenDocument) -> Case:
    return replace(case, args={**case.args, **document.overrides}, targets=document.targets)
