"""What stands beside the fields as cards: rules that are broken, and what does not lower."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from workbench.core.patterns.legality import Breach
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.patterns.cells import Figures
from workbench.session.patterns.fields_view import MendView, mend_views
from workbench.session.patterns.resolved import Resolved
from workbench.session.patterns.words import joined

_MOST_OF_A_MESSAGE = 150


@dataclass(frozen=True)
class CardView:
    """Something to be mended, or that is slow: a title, why, and what one click does about it.

    `drop` is a target without which the rule holds.
    """

    title: str
    text: str
    mends: tuple[MendView, ...]
    is_error: bool
    drop: str | None = None


def card_views(resolved: Resolved, figures: Sequence[Figures]) -> tuple[CardView, ...]:
    """What must be mended, what had better be, and what does not lower."""
    return (*_cards(resolved), *_refusals(resolved, figures))


def unsupported(resolved: Resolved) -> Breach | None:
    """The rule that says that there is no form of the pattern for a target."""
    return next((each for each in resolved.forbidding if each.rule.is_of_target), None)


def no_form(resolved: Resolved, breach: Breach) -> str:
    """What such a rule comes to."""
    return f"No {resolved.pattern.title} for {joined(breach.targets)}"


def shortened(text: str) -> str:
    """A compiler's message as far as there is room for it; the check has it whole."""
    return text if len(text) <= _MOST_OF_A_MESSAGE else f"{text[: _MOST_OF_A_MESSAGE - 1]}…"


def _cards(resolved: Resolved) -> list[CardView]:
    cards = [_card(resolved, breach, True) for breach in resolved.forbidding]
    return cards + [_card(resolved, breach, False) for breach in resolved.warnings]


def _refusals(resolved: Resolved, figures: Sequence[Figures]) -> Iterator[CardView]:
    """What TileLang does not lower although no rule is broken, in its own words."""
    refused: dict[str, list[Target]] = {}
    for each in figures:
        if each.is_refused and resolved.is_legal:
            refused.setdefault(each.why, []).append(each.target)
    for why, targets in refused.items():
        labels = joined([short_label(target) for target in targets])
        drop = targets[0].name if len(targets) == 1 and len(figures) > 1 else None
        yield CardView(f"{labels}: TileLang does not lower it", shortened(why), (), True, drop)


def _card(resolved: Resolved, breach: Breach, is_error: bool) -> CardView:
    names = dict(zip(resolved.labels, resolved.draft.targets, strict=True))
    alone = len(breach.targets) == 1 and len(names) > 1 and is_error
    drop = names.get(breach.targets[0]) if alone else None
    title = f"{joined(breach.targets)}: {breach.rule.title[0].lower()}{breach.rule.title[1:]}"
    if breach.rule.is_of_target:
        title = no_form(resolved, breach)
    return CardView(title, breach.message, mend_views(resolved, breach)[:2], is_error, drop)
