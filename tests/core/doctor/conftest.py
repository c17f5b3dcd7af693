"""Runs the lint stage on texts and files, with the shipped targets."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from workbench.core.diagnostics import Diagnostic
from workbench.core.doctor.lint import lint, subjects_of
from workbench.core.documents.reading import parse_document
from workbench.core.targets.table import TargetTable, load_targets

Linted = Callable[..., list[Diagnostic]]


@pytest.fixture(scope="session")
def table() -> TargetTable:
    return load_targets()


@pytest.fixture(scope="session")
def linted(table: TargetTable) -> Linted:
    """The diagnostics of a text for all its cases, on their targets or on those given."""

    def run(text: str, targets: Sequence[str] = (), path: Path | None = None) -> list[Diagnostic]:
        document = parse_document(text, path)
        cases = document.metadata.cases if document.metadata else ()
        names = {name for case in cases for name in case.targets}
        known = {name: table.resolve(name) for name in names}
        chosen = [table.resolve(name) for name in targets]
        return [*document.diagnostics, *lint(document, subjects_of(document, known, chosen))]

    return run
