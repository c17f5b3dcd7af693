"""What a problem is called, and the rule of the hardware or of TileLang behind it."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.diagnostics import Diagnostic
from workbench.core.doctor.rule_table import rule


@dataclass(frozen=True)
class Explanation:
    """A problem in general: `reason` and `source` of its rule, "" where its code has none.

    `advice` is what the diagnostic itself says to do about it, `page` the slug of the rule's page.
    """

    title: str
    reason: str = ""
    source: str = ""
    advice: str = ""
    page: str | None = None


def explanation(diagnostic: Diagnostic) -> Explanation:
    """What the table of rules and the diagnostic itself say of a problem."""
    record, own = rule(diagnostic.code), diagnostic.help or ""
    if record is None:
        return Explanation(_title(diagnostic.code), advice=own)
    advice = "" if own == record.help_page else own
    return Explanation(record.title, record.explanation, record.source, advice, record.help_page)


def _title(code: str) -> str:
    return code.replace("-", " ").capitalize()
