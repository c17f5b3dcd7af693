"""A page of the reference as lines of plain text for a terminal."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from workbench.core.reference.inline import plain
from workbench.core.reference.model import (
    Block,
    Bullets,
    CodeBlock,
    Definitions,
    Page,
    Paragraph,
    Table,
)

WIDTH = 92
_CODE = "    "


def page_lines(page: Page) -> Iterator[str]:
    """The lines of a page."""
    label = f" ({page.label})" if page.label else ""
    yield f"{page.title}{label}"
    yield "=" * min(WIDTH, len(page.title) + len(label))
    yield from textwrap.wrap(plain(page.summary), WIDTH)
    for section in page.sections:
        if section.title:
            yield from ("", section.title, "-" * len(section.title))
        for block in section.blocks:
            yield ""
            yield from _block_lines(block)
    if page.source is not None:
        yield from ("", f"{page.source[0]}:{page.source[1]}")
    if page.links:
        yield from ("", "See also")
        yield from (f"  {link.slug}  {link.title}" for link in page.links)


def _block_lines(block: Block) -> Iterator[str]:
    if isinstance(block, Paragraph):
        yield from textwrap.wrap(plain(block.text), WIDTH)
    elif isinstance(block, Bullets):
        for item in block.items:
            yield from textwrap.wrap(
                plain(item), WIDTH, initial_indent="- ", subsequent_indent="  "
            )
    elif isinstance(block, CodeBlock):
        if block.caption:
            yield f"{block.caption}:"
        yield from (f"{_CODE}{line}".rstrip() for line in block.text.splitlines())
    elif isinstance(block, Definitions):
        for each in block.items:
            yield f"{each.term}  {each.note}".rstrip()
            yield from (f"{_CODE}{line}" for line in textwrap.wrap(plain(each.text), WIDTH - 4))
    else:
        yield from _table_lines(block)


def _table_lines(table: Table) -> Iterator[str]:
    """Columns side by side; the last one, which holds sentences, is wrapped."""
    rows = [*((table.header,) if table.header else ()), *table.rows]
    cells = [[plain(cell) for cell in row] for row in rows]
    widths = [max(len(row[at]) for row in cells) for at in range(len(cells[0]) - 1)]
    left = sum(widths) + 2 * len(widths)
    for row in cells:
        head = "".join(cell.ljust(width + 2) for cell, width in zip(row, widths, strict=False))
        last = textwrap.wrap(row[-1], max(24, WIDTH - left)) or [""]
        yield f"{head}{last[0]}".rstrip()
        yield from (f"{' ' * left}{more}" for more in last[1:])
