"""Makes the pages of the debugging guide and of the symptoms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workbench.core.doctor.symptoms_model import Cause, Step, Symptom
from workbench.core.reference.model import (
    Block,
    CodeBlock,
    Link,
    Page,
    PageKind,
    Paragraph,
    Section,
    Table,
    Text,
)

_COMMAND = "tilelang-workbench"
PANEL = "panel:"
"""What a link begins with that brings a panel of the window into view."""


def guide_pages(texts: Mapping[str, Text]) -> tuple[Page, ...]:
    """A page for each text, in the order that the heads give."""
    ordered = sorted(texts.items(), key=lambda item: int(item[1].head["order"]))
    return tuple(_guide_page(stem, text) for stem, text in ordered)


def symptom_pages(symptoms: Iterable[Symptom]) -> tuple[Page, ...]:
    """A page for each symptom: how to see it, and what can cause it."""
    return tuple(_symptom_page(symptom) for symptom in symptoms)


def _guide_page(stem: str, text: Text) -> Page:
    return Page(
        f"{PageKind.GUIDE.value}/{stem}",
        text.head["title"],
        PageKind.GUIDE,
        text.head["summary"],
        text.sections,
        tuple(Link(slug, "") for slug in text.words("related")),
        text.words("names"),
    )


def _symptom_page(symptom: Symptom) -> Page:
    see = tuple(block for step in symptom.confirm for block in _step(step))
    rows = tuple((_cause_link(cause), cause.why) for cause in symptom.causes)
    return Page(
        symptom.help_page,
        symptom.title,
        PageKind.SYMPTOM,
        symptom.summary,
        (
            Section("How to see it", see),
            Section("What can cause it", (Table(("Cause", "How it leads here"), rows),)),
        ),
        names=symptom.words,
    )


def _step(step: Step) -> list[Block]:
    panel = f" ([{step.panel.capitalize()} panel]({PANEL}{step.panel}))" if step.panel else ""
    blocks: list[Block] = [Paragraph(f"{step.text}{panel}.")]
    if step.command is not None:
        blocks.append(CodeBlock(f"{_COMMAND} {step.command}"))
    return blocks


def _cause_link(cause: Cause) -> str:
    kind = PageKind.SIGNATURE if cause.is_signature else PageKind.RULE
    return f"[{cause.title}]({kind.value}/{cause.code})"
