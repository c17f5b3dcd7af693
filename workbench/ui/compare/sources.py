"""What the views of a comparison are given of a run: its texts, and its subject for the lenses."""

from __future__ import annotations

from workbench.session.code_inputs import Stage
from workbench.session.code_view import Content
from workbench.session.comparison_desk import Loaded
from workbench.session.comparison_jobs import ComparisonJobs, stage_content
from workbench.session.comparison_lenses import run_subject
from workbench.session.lenses.subject import LensSubject
from workbench.ui.compare.code_panel import Contents, document_content
from workbench.ui.compare.lens_panel import Subjects


def contents_of(loaded: Loaded, jobs: ComparisonJobs) -> Contents:
    """Gives the text that a run ran, or what it became in a stage."""
    columns = {column.run.id: column for column in loaded.subject.columns}
    heads = {head.run_id: head for head in loaded.short.heads}
    texts = dict(zip(columns, loaded.texts, strict=True))

    def content(run_id: str, stage: Stage | None) -> Content:
        if stage is None:
            return document_content(heads[run_id], texts[run_id])
        column = columns[run_id]
        found = jobs.stage(column.run, stage)
        return stage_content(column.run, column.letter, column.label, stage, found)

    return content


def subjects_of(loaded: Loaded) -> Subjects:
    """Gives a run as the lenses see it."""
    columns = {column.run.id: column for column in loaded.subject.columns}
    texts = dict(zip(columns, loaded.texts, strict=True))

    def subject(run_id: str) -> LensSubject | None:
        return run_subject(columns[run_id], texts[run_id])

    return subject
