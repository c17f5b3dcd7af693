"""Writes what a page has to do with the kernel in front: a card at the top of the page."""

from __future__ import annotations

import html
from collections.abc import Iterator

from workbench.ui.panes.reference.dress import Dress
from workbench.ui.panes.reference.findings import FindingRow, Findings, Standing

_LINE_WIDTH = 72
LINE, FIX, PAGE = "line:", "fix:", "page:"
_MARKS = {Standing.THERE: "●", Standing.UNKNOWN: "○"}
_TOKENS = {Standing.THERE: "warn", Standing.UNKNOWN: "fg3"}


def applied_html(findings: Findings, dress: Dress) -> str:
    """The card: its sentence, what is there or unknown, then the rest in one go."""
    sentence = html.escape(findings.sentence)
    told = [row for row in findings.rows if row.standing is not Standing.NOT_THERE]
    absent = [row for row in findings.rows if row.standing is Standing.NOT_THERE]
    rows = "".join("".join(_row(row, findings, dress)) for row in told)
    rows += _absent(absent, dress) if absent else ""
    head = f'<p style="margin:0 0 4px 0;{dress.heading()}">{sentence}</p>'
    return (
        f'<table width="100%" cellspacing="0" cellpadding="0" bgcolor="{dress.colour("bg2")}"'
        ' style="margin:10px 0 4px 0"><tr><td style="padding:10px 12px">'
        f'{head}<table width="100%" cellspacing="0" cellpadding="0">{rows}</table>'
        "</td></tr></table>"
    )


def _absent(rows: list[FindingRow], dress: Dress) -> str:
    """What is not there, in one paragraph."""
    mark = f'<td width="18" style="padding-top:6px;color:{dress.colour("good")}">✓</td>'
    links = ", ".join(dress.link(f"{PAGE}{row.slug}", html.escape(row.title), 12) for row in rows)
    text = f'<span style="{dress.small("fg3")}">Not in this kernel: {links}.</span>'
    return f'<tr>{mark}<td colspan="2" style="padding-top:6px">{text}</td></tr>'


def _row(row: FindingRow, findings: Findings, dress: Dress) -> Iterator[str]:
    mark = _MARKS[row.standing]
    colour = dress.colour(_TOKENS[row.standing])
    yield f'<tr><td width="18" style="padding-top:4px;color:{colour}">{mark}</td>'
    said = f"{_title(row, dress)}{_text(row, dress)}{_fix(row, findings, dress)}"
    yield f'<td style="padding-top:4px">{said}</td>'
    cell = f'<td width="{_LINE_WIDTH}" align="right" style="padding-top:4px">'
    yield f"{cell}{_line(row, dress)}</td></tr>"


def _title(row: FindingRow, dress: Dress) -> str:
    title = html.escape(row.title)
    if row.slug:
        return dress.link(f"{PAGE}{row.slug}", title)
    return f'<span style="color:{dress.colour("fg")}">{title}</span>'


def _text(row: FindingRow, dress: Dress) -> str:
    """What was found, or why nothing is known."""
    told = row.text if row.standing is Standing.THERE else f"Unknown: {row.text}."
    return f'<br><span style="{dress.small("fg3")}">{html.escape(told)}</span>' if told else ""


def _line(row: FindingRow, dress: Dress) -> str:
    return dress.link(f"{LINE}{row.line}", f"line&nbsp;{row.line}") if row.line is not None else ""


def _fix(row: FindingRow, findings: Findings, dress: Dress) -> str:
    """The fix of the row, on a line of its own."""
    if row.fix is None:
        return ""
    title = html.escape(findings.fixes[row.fix].fix.title)
    return f"<br>{dress.link(f'{FIX}{row.fix}', f'Fix: {title}', 12)}"
