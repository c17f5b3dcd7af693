"""What to try next: what the rules found, worst first, with the edits that mend it."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.session.lenses.explain.model import Section, Sentence, Tone
from workbench.session.lenses.subject import LensTarget

_ORDER = (Severity.ERROR, Severity.WARNING, Severity.INFO)
_MOST = 8


def next_steps(target: LensTarget) -> Section:
    """The section of what was found; it says so where nothing was."""
    found = sorted(_known(target), key=lambda each: _ORDER.index(each.severity))
    sentences = [_sentence(each) for each in found[:_MOST]]
    if len(found) > _MOST:
        sentences.append(Sentence(f"{len(found) - _MOST} more are in the problem list."))
    if not found:
        sentences.append(Sentence("No rule finds anything to mend or to try."))
    return Section("next", "What to try next", tuple(sentences))


def _known(target: LensTarget) -> Iterable[Diagnostic]:
    analysis = target.analysis.diagnostics if target.analysis is not None else ()
    known: dict[tuple[str, int | None, str], Diagnostic] = {}
    for each in (*target.problems, *analysis):
        line = each.range.line if each.range is not None else None
        known.setdefault((each.code, line, each.message), each)
    return known.values()


def _sentence(found: Diagnostic) -> Sentence:
    parts = [f"{found.message.rstrip('.')}."]
    if found.help:
        parts.append(f"{found.help.rstrip('.')}.")
    titles = [fix.title for fix in found.fixes]
    if titles:
        parts.append(f"Ctrl+. offers: {'; '.join(titles)}.")
    line = found.range.line if found.range is not None else None
    return Sentence(" ".join(parts), line, Tone.TRY)
