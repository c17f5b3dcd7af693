"""Makes a page for each code that a finding can have, from the rules and our own examples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from workbench.core.diagnostics import Severity
from workbench.core.doctor.fixes.table import FIXERS
from workbench.core.doctor.removed_table import Removed, load_removed
from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.rules import Group, Rule, Stage
from workbench.core.reference.model import (
    Block,
    Link,
    Page,
    PageKind,
    Paragraph,
    Section,
    Table,
    Text,
)
from workbench.core.verification.detectors import DETECTORS, Detector

_STAGES = {
    Stage.LINT: "while you type, from the source alone",
    Stage.LOWER: "when the kernel is lowered",
    Stage.RESOURCES: "when it is compiled, from what the compiler reports",
    Stage.ANALYSIS: "when the lowered code is analysed",
    Stage.SIMULATE: "when it is run in the simulator",
    Stage.DEVICE: "when it is run on a device",
}
_SEVERITIES = {Severity.ERROR: "Error", Severity.WARNING: "Warning", Severity.INFO: "Note"}
_REMOVED = "removed-api"


@dataclass(frozen=True)
class _Facts:
    """What a page says of a code, from its rule or from the head of its text."""

    title: str
    explanation: str
    severity: Severity
    stage: Stage
    source: str
    is_safe: bool = False
    is_guideline: bool = False


def rule_pages(texts: Mapping[str, Text]) -> tuple[Page, ...]:
    """A page for each rule, and for each text about a code without one.

    Such a text has title, summary, severity and stage in its head.
    """
    rules = {rule.code: _facts_of(rule) for rule in RULES}
    others = {code: _facts_from(text) for code, text in texts.items() if code not in rules}
    return tuple(
        _page(code, facts, texts.get(code, Text({}))) for code, facts in {**rules, **others}.items()
    )


def signature_pages(texts: Mapping[str, Text]) -> tuple[Page, ...]:
    """A page for each kind of wrong result that a verification tells."""
    return tuple(_signature_page(each, texts.get(each.code, Text({}))) for each in DETECTORS)


def _facts_of(rule: Rule) -> _Facts:
    return _Facts(
        rule.title,
        rule.explanation,
        rule.severity,
        rule.stage,
        rule.source,
        rule.safe,
        rule.group is Group.GUIDELINE,
    )


def _facts_from(text: Text) -> _Facts:
    head = text.head
    severity, stage = Severity(head["severity"]), Stage(head["stage"])
    return _Facts(head["title"], head["summary"], severity, stage, head.get("source", ""))


def _page(code: str, facts: _Facts, text: Text) -> Page:
    sections = (
        Section("", (_table(code, facts),)),
        *text.sections,
        *(_removed_sections() if code == _REMOVED else ()),
    )
    return Page(
        f"{PageKind.RULE.value}/{code}",
        facts.title,
        PageKind.RULE,
        facts.explanation,
        sections,
        _links(text),
        (code, *text.words("names")),
        label=code,
    )


def _table(code: str, facts: _Facts) -> Table:
    rows = [
        ("Code", f"`{code}`"),
        ("Severity", _SEVERITIES[facts.severity]),
        ("Seen", _STAGES[facts.stage]),
    ]
    if facts.is_safe:
        rows.append(("Fix", "offered at the line, and made by `check --fix`"))
    elif code in FIXERS:
        rows.append(("Fix", "offered at the line, where it can be told what to change"))
    if facts.is_guideline:
        rows.append(("Hint", f"a guideline: `check --without {code}` leaves it out"))
    if facts.source:
        rows.append(("Source", facts.source))
    return Table((), tuple(rows))


def _links(text: Text) -> tuple[Link, ...]:
    """Links of the head; their titles are put in once all pages are known."""
    return tuple(Link(slug, "") for slug in text.words("related"))


def _removed_sections() -> Iterator[Section]:
    """The names that are recognised, from the table that the check reads."""
    table = load_removed()
    names = [
        (f"`{path}`", record) for path, record in (*table.modules.items(), *table.names.items())
    ]
    yield _removed_section("Names", names)
    keywords = [(f"`{call}({key}=…)`", record) for (call, key), record in table.keywords.items()]
    yield _removed_section("Keywords", keywords)
    values = [(f"`{key}={value!r}`", record) for (key, value), record in table.values.items()]
    yield _removed_section("Values", values)


def _removed_section(title: str, records: list[tuple[str, Removed]]) -> Section:
    rows = tuple(
        (name, each.last or "unknown", each.instead or "nothing takes its place")
        for name, each in records
    )
    return Section(title, (Table(("Was", "Last release", "Use instead"), rows),))


def _signature_page(detector: Detector, text: Text) -> Page:
    hint = f"{detector.hint[0].upper()}{detector.hint[1:]}."
    blocks: tuple[Block, ...] = (
        Paragraph(hint),
        Paragraph(
            "Told by **Verify**: an output that is wrong is compared with what would explain it, "
            "and the share of elements that agree is the evidence."
        ),
    )
    return Page(
        f"{PageKind.SIGNATURE.value}/{detector.code}",
        f"{detector.title[0].upper()}{detector.title[1:]}",
        PageKind.SIGNATURE,
        text.head.get("summary", hint),
        (Section("Where to look", blocks), *text.sections),
        _links(text) or (Link("guide/wrong-results", ""),),
        (detector.code,),
        label=detector.code,
    )
