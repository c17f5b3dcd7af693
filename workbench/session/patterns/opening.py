"""Makes drafts of what a person has: a sentence, or a document that the wizard generated."""

from __future__ import annotations

from workbench.core.patterns.model import Goal
from workbench.core.patterns.origin import origin_of
from workbench.core.patterns.recommending import recommend
from workbench.core.patterns.reopening import port, require_origin, restored, setting_of
from workbench.core.patterns.sentences import read_sentence
from workbench.core.patterns.table import PATTERNS
from workbench.core.targets.table import TargetTable
from workbench.session.open_document import OpenDocument
from workbench.session.patterns.draft import Draft, Reopened


def draft_of_sentence(
    sentence: str, table: TargetTable, usual_targets: tuple[str, ...]
) -> tuple[Draft, str]:
    """The draft that a sentence asks for, and what of it was not used. Raises PatternError."""
    reading = read_sentence(sentence, PATTERNS, table)
    draft = Draft(
        reading.pattern.id,
        reading.targets or usual_targets,
        reading.goal or Goal.THROUGHPUT,
        dict(reading.values),
        sentence=sentence,
        missing=reading.missing,
    )
    return draft, reading.remark or ""


def draft_of_document(document: OpenDocument, table: TargetTable) -> Draft:
    """The draft that a generated document was made from. Raises PatternError."""
    origin, pattern = require_origin(document.parsed)
    setting = setting_of(origin, table)
    values = restored(pattern, origin)
    held = {f.name: values.get(f.name, f.default) for f in pattern.fields}
    # What is not as it is recommended was chosen, and stays when a requirement changes.
    usual = recommend(pattern, {}, setting).values
    given = {name: value for name, value in held.items() if usual.get(name) != value}
    return Draft(
        pattern.id,
        tuple(target.name for target in setting.targets),
        setting.goal,
        given,
        held,
        reopened=Reopened(document.title, document.text, origin.is_edited),
    )


def draft_of_port(document: OpenDocument, target: str, table: TargetTable) -> Draft:
    """The draft of a generated document for another target. Raises PatternError, TargetError."""
    chosen = table.resolve(target)
    generated = port(document.parsed, chosen)
    origin = origin_of(document.parsed)
    edited = origin is not None and origin.is_edited
    own = {f.name: generated.values[f.name] for f in generated.pattern.fields if not f.is_tuned}
    return Draft(
        generated.pattern.id,
        (chosen.name,),
        generated.setting.goal,
        own,
        dict(generated.values),
        reopened=Reopened(document.title, document.text, edited, ported=True),
    )
