"""Makes the pages of TileLang's names from what was read off the installed package."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from workbench.core.reference.api_model import Api, ApiEntry, ApiParameter
from workbench.core.reference.model import (
    Block,
    Bullets,
    CodeBlock,
    Definition,
    Definitions,
    Link,
    Page,
    PageKind,
    Paragraph,
    Section,
)

_KINDS = {
    "function": "function",
    "macro": "macro",
    "dtype": "type of an element",
    "class": "class",
    "enum": "enumeration",
}
_LANGUAGE = "tilelang.language"
_ROLE = re.compile(r":\w+:(?=`)")
_LEAST_NAME = 4  # letters of a parameter that its function is found by
_LINE = 64  # characters; a longer signature has one parameter a line


def api_pages(api: Api, uses: Mapping[str, Iterable[Link]]) -> tuple[Page, ...]:
    """A page for each name; `uses` are the shipped examples that use a name."""
    return tuple(_page(entry, api, tuple(uses.get(entry.name, ()))) for entry in api.entries)


def slug_of(name: str) -> str:
    """The slug of a name's page."""
    return f"{PageKind.API.value}/{name}"


def _page(entry: ApiEntry, api: Api, uses: tuple[Link, ...]) -> Page:
    bare = entry.name.rpartition(".")[2]
    source = (entry.file, entry.line or 1) if entry.file is not None else None
    return Page(
        slug_of(entry.name),
        entry.name,
        PageKind.API,
        entry.summary or f"{_KINDS[entry.kind].capitalize()} of {entry.module}.",
        tuple(_sections(entry, api)),
        uses,
        tuple(dict.fromkeys((bare, *entry.aliases))),
        tuple(each.name for each in entry.parameters if len(each.name) >= _LEAST_NAME),
        "TVM" if entry.is_foreign else _KINDS[entry.kind],
        source=source,
    )


def _sections(entry: ApiEntry, api: Api) -> Iterator[Section]:
    first: list[Block] = []
    if entry.signature:
        first.append(CodeBlock(wrapped(entry.name, entry.signature)))
    first += [block for text in entry.details.split("\n\n") for block in _prose(text)]
    if entry.returns:
        first.append(Paragraph(f"**Returns** {_escaped(entry.returns)}"))
    if first:
        yield Section("", tuple(first))
    if entry.parameters:
        yield Section("Parameters", (_parameters(entry.parameters),))
    if entry.members:
        title = "Values" if entry.kind == "enum" else "Methods"
        yield Section(title, (Bullets(tuple(f"`{member}`" for member in entry.members)),))
    if entry.aliases:
        names = ", ".join(f"`{name}`" for name in entry.aliases)
        yield Section("Also called", (Paragraph(names),))
    yield from _dialects(entry)
    where = f"`{entry.module}`, TileLang {api.tilelang}."
    yield Section("Where it is", (Paragraph(f"Read off the installed package: {where}"),))


def _prose(text: str) -> Iterator[Block]:
    """A paragraph of a docstring; lines that begin with a dash are points."""
    lines = [_escaped(line) for line in text.split("\n") if line]
    words = " ".join(line for line in lines if not line.startswith("- "))
    if words:
        yield Paragraph(words)
    points = tuple(line.removeprefix("- ") for line in lines if line.startswith("- "))
    if points:
        yield Bullets(points)


def _parameters(parameters: Iterable[ApiParameter]) -> Definitions:
    return Definitions(
        tuple(Definition(each.name, _takes(each), _escaped(each.text)) for each in parameters)
    )


def _takes(parameter: ApiParameter) -> str:
    """`bool = False`: the type as far as it is written, and the default."""
    if parameter.default is None:
        return parameter.annotation
    return f"{parameter.annotation} = {parameter.default}".lstrip()


def _dialects(entry: ApiEntry) -> Iterator[Section]:
    """Where a name is not the same in all of the dialects."""
    blocks: list[Block] = []
    if entry.dialects and _LANGUAGE not in entry.dialects:
        blocks.append(Paragraph(f"Only in {' and '.join(f'`{d}`' for d in entry.dialects)}."))
    elif len(entry.dialects) == 1:
        blocks.append(Paragraph(f"`{_LANGUAGE}` alone has it; the other dialects do not."))
    for form in entry.forms:
        caption = f"In {form.dialect}"
        blocks.append(CodeBlock(wrapped(entry.name, form.signature), caption=caption))
    if blocks:
        yield Section("Dialects", tuple(blocks))


def wrapped(name: str, signature: str) -> str:
    """A signature in one line, or with one parameter a line where that is too long."""
    whole = f"{name}{signature}"
    if len(whole) <= _LINE or not signature.startswith("("):
        return whole
    inside, arrow, result = signature[1:].rpartition(") -> ")
    if not arrow:
        inside, result = signature[1:].removesuffix(")"), ""
    parameters = "".join(f"    {part},\n" for part in _split(inside))
    return f"{name}(\n{parameters})" + (f" -> {result}" if arrow else "")


def _split(inside: str) -> Iterator[str]:
    """The parameters between the outer commas."""
    depth, start, quote = 0, 0, ""
    for at, character in enumerate(inside):
        if quote:
            quote = "" if character == quote else quote
        elif character in "'\"":
            quote = character
        elif character in "([{<":
            depth += 1
        elif character in ")]}>" and depth:
            depth -= 1
        elif character == "," and depth == 0:
            yield inside[start:at].strip()
            start = at + 1
    if inside[start:].strip():
        yield inside[start:].strip()


def _escaped(text: str) -> str:
    """Text of docstrings with its double backquotes as ours; roles of Sphinx lose theirs."""
    return _ROLE.sub("", text.replace("``", "`"))
