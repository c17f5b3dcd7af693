"""Writes a page as the rich text that Qt shows, in the colours of a palette."""

from __future__ import annotations

import html
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from workbench.core.reference.guide_pages import PANEL
from workbench.core.reference.inline import Style, pieces
from workbench.core.reference.model import (
    Block,
    Bullets,
    CodeBlock,
    Definitions,
    Page,
    Paragraph,
    Section,
    Table,
    Tone,
)
from workbench.ui.editor.lexing import ROOT, LineLexer
from workbench.ui.panes.reference.applied_html import applied_html
from workbench.ui.panes.reference.dress import Dress, code_text
from workbench.ui.panes.reference.findings import Findings

PAGE, COPY, OPEN, SOURCE = "page:", "copy:", "open:", "source:"
"""What a link begins with, by what it does."""
_TONES = {Tone.PLAIN: "line2", Tone.WRONG: "error", Tone.RIGHT: "good"}
_CAPTIONS = {Tone.PLAIN: "fg3", Tone.WRONG: "error", Tone.RIGHT: "good"}


@dataclass(frozen=True)
class Shown:
    """A page and what is shown with it: what it has to do with the kernel in front."""

    page: Page
    findings: Findings | None = None


def page_html(shown: Shown, dress: Dress) -> str:
    """The whole page."""
    return _Writer(shown.page, dress).write(shown.findings)


class _Writer:
    """Writes one page; pieces of code are numbered, so that they can be copied."""

    def __init__(self, page: Page, dress: Dress) -> None:
        self._page, self._dress = page, dress
        self._lexer = LineLexer()
        self._codes = 0

    def write(self, findings: Findings | None) -> str:
        """The title, what concerns the kernel in front, the sections, and the links."""
        parts = [*self._head()]
        if findings is not None:
            parts.append(applied_html(findings, self._dress))
        for section in self._page.sections:
            parts += self._section(section)
        parts += self._tail()
        return f"<html><body>{''.join(parts)}</body></html>"

    def _head(self) -> Iterator[str]:
        page, dress = self._page, self._dress
        over = page.kind.title if not page.label else f"{page.kind.title} · {page.label}"
        yield f'<p style="margin:0;{dress.small("fg3")}">{html.escape(over)}</p>'
        yield f'<p style="margin:2px 0 0 0;{dress.title()}">{html.escape(page.title)}</p>'
        if page.summary:
            yield f'<p style="margin:6px 0 4px 0;{dress.lead()}">{self._line(page.summary)}</p>'
        if page.opens is not None:
            name = html.escape(page.title)
            link = dress.link(f"{OPEN}{page.opens}", f"Open a copy of {name}")
            yield f'<p style="margin:6px 0 0 0">{link}</p>'

    def _section(self, section: Section) -> Iterator[str]:
        if section.title:
            yield self._heading(section.title)
        for block in section.blocks:
            yield _WRITERS[type(block)](self, block)

    def _heading(self, title: str) -> str:
        return f'<p style="margin:18px 0 4px 0;{self._dress.heading()}">{html.escape(title)}</p>'

    def _tail(self) -> Iterator[str]:
        page, dress = self._page, self._dress
        if page.links:
            yield self._heading("See also")
            for link in page.links:
                shown = dress.link(f"{PAGE}{link.slug}", html.escape(link.title))
                yield f'<p style="margin:2px 0">{shown}</p>'
        if page.source is not None:
            file, line = page.source
            place = html.escape(f"{_tail_of(file)}:{line}")
            shown = dress.link(f"{SOURCE}{line}:{file}", place)
            yield f'<p style="margin:10px 0 0 0;{dress.small("fg3")}">Source: {shown}</p>'

    def paragraph(self, block: Paragraph) -> str:
        """A paragraph."""
        return f'<p style="margin:6px 0">{self._line(block.text)}</p>'

    def bullets(self, block: Bullets) -> str:
        """Points with a hanging mark."""
        mark = f'<td width="16" style="color:{self._dress.colour("fg3")}">•</td>'
        rows = "".join(
            f'<tr>{mark}<td style="padding-bottom:4px">{self._line(item)}</td></tr>'
            for item in block.items
        )
        return f'<table cellspacing="0" cellpadding="0" style="margin:4px 0">{rows}</table>'

    def code(self, block: CodeBlock) -> str:
        """Code on a ground of its own, with a coloured edge, what it is, and a link to copy it."""
        dress, number = self._dress, self._codes
        self._codes += 1
        caption = html.escape(block.caption)
        mark = f'<span style="{dress.small(_CAPTIONS[block.tone], 600)}">{caption}</span>'
        copy = dress.link(f"{COPY}{number}", "Copy", 11)
        head = (
            '<tr><td></td><td style="padding:4px 10px 0 10px">'
            '<table width="100%" cellspacing="0" cellpadding="0"><tr>'
            f'<td>{mark}</td><td align="right">{copy}</td></tr></table></td></tr>'
        )
        edge = f'<td width="3" bgcolor="{dress.colour(_TONES[block.tone])}"></td>'
        text = f'<pre style="margin:0;{dress.code()}">{self._coloured(block.text)}</pre>'
        body = f"<tr>{edge}<td style='padding:2px 10px 8px 10px'>{text}</td></tr>"
        head = head.replace("<td></td>", edge, 1)
        return (
            f'<table width="100%" cellspacing="0" cellpadding="0" bgcolor="{dress.colour("bg2")}"'
            f' style="margin:6px 0 8px 0">{head}{body}</table>'
        )

    def table(self, block: Table) -> str:
        """A table with hairlines between its rows."""
        dress = self._dress
        edge = f"border-bottom:1px solid {dress.colour('line')}"
        strong = f"border-bottom:1px solid {dress.colour('line2')}"
        head = "".join(
            f'<td style="padding:3px 12px 3px 0;{strong};{dress.small("fg3", 500)}">'
            f"{self._line(cell)}</td>"
            for cell in block.header
        )
        rows = "".join(
            "<tr>" + "".join(self._cell(cell, at, edge) for at, cell in enumerate(row)) + "</tr>"
            for row in block.rows
        )
        head = f"<tr>{head}</tr>" if block.header else ""
        return (
            '<table cellspacing="0" cellpadding="0" style="margin:4px 0 8px 0;'
            f'border-collapse:collapse">{head}{rows}</table>'
        )

    def _cell(self, cell: str, at: int, edge: str) -> str:
        tone = "fg3" if at == 0 else "fg2"
        style = f"padding:4px 12px 4px 0;{edge};{self._dress.small(tone)}"
        return f'<td style="{style}">{self._line(cell)}</td>'

    def definitions(self, block: Definitions) -> str:
        """Names in code, each with its type and default, and what it is below."""
        dress = self._dress
        parts = []
        for each in block.items:
            note = f"&nbsp;&nbsp;{code_text(each.note)}" if each.note else ""
            term = f'<span style="{dress.code()};font-weight:600">{html.escape(each.term)}</span>'
            takes = f'<span style="{dress.code("fg3")}">{note}</span>'
            parts.append(f'<p style="margin:8px 0 0 0">{term}{takes}</p>')
            if each.text:
                parts.append(f'<p style="margin:1px 0 0 16px">{self._line(each.text)}</p>')
        return "".join(parts)

    def _line(self, text: str) -> str:
        return "".join(self._piece(piece.text, piece.style, piece.slug) for piece in pieces(text))

    def _piece(self, text: str, style: Style, slug: str) -> str:
        if style is Style.CODE:
            return f'<span style="{self._dress.code("fg", inline=True)}">{code_text(text)}</span>'
        shown = html.escape(text)
        if style is Style.STRONG:
            return f'<span style="font-weight:600;color:{self._dress.colour("fg")}">{shown}</span>'
        to = slug if slug.startswith(PANEL) else f"{PAGE}{slug}"
        return self._dress.link(to, shown) if style is Style.LINK else shown

    def _coloured(self, text: str) -> str:
        """Python in the editor's colours."""
        lines, state = [], ROOT
        for line in text.splitlines():
            lexed = self._lexer.lex(line, state)
            state = lexed.end_state
            parts, end = [], 0
            for start, length, kind in lexed.spans:
                parts.append(code_text(line[end:start]))
                piece = code_text(line[start : start + length])
                parts.append(self._dress.syntax(kind.value, piece))
                end = start + length
            lines.append("".join([*parts, code_text(line[end:])]))
        return "\n".join(lines)


def _tail_of(file: str) -> str:
    """The path within the packages, which says enough."""
    return file.rpartition("site-packages/")[2].replace("\\", "/")


_WRITERS: dict[type[Block], Callable[..., str]] = {
    Paragraph: _Writer.paragraph,
    Bullets: _Writer.bullets,
    CodeBlock: _Writer.code,
    Table: _Writer.table,
    Definitions: _Writer.definitions,
}
