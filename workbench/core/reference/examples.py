"""The shipped kernels as pages, and which names of TileLang each of them uses."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.model import Document
from workbench.core.documents.reading import read_document
from workbench.core.reference.model import (
    Block,
    CodeBlock,
    Link,
    Page,
    PageKind,
    Paragraph,
    Section,
    Table,
)

_PACKAGE = "tilelang"


@dataclass(frozen=True)
class Example:
    """A shipped kernel: its file, and the names that it uses (`T.gemm`, `tilelang.jit`)."""

    path: Path
    document: Document
    docstring: str
    uses: tuple[str, ...]

    @property
    def link(self) -> Link:
        """The link to its page."""
        return Link(f"{PageKind.EXAMPLE.value}/{self.path.stem}", self.path.name)


def read_examples(folder: Path) -> tuple[Example, ...]:
    """The kernels of a folder, in the order of their names. Raises DocumentError."""
    return tuple(_example(path) for path in sorted(folder.glob("*.py")))


def example_pages(examples: tuple[Example, ...], known: frozenset[str]) -> tuple[Page, ...]:
    """A page for each; `known` are the names of TileLang that have a page."""
    return tuple(_page(example, known) for example in examples)


def uses_of(examples: tuple[Example, ...]) -> dict[str, list[Link]]:
    """The links to the examples that use a name, by the name."""
    found: dict[str, list[Link]] = {}
    for example in examples:
        for name in example.uses:
            found.setdefault(name, []).append(example.link)
    return found


def _example(path: Path) -> Example:
    document = read_document(path)
    tree = ast.parse(document.text)
    return Example(path, document, ast.get_docstring(tree) or "", tuple(sorted(_uses(tree))))


def _uses(tree: ast.Module) -> set[str]:
    """The names of TileLang that a file reaches, as the reference calls them."""
    modules = dict(_modules(tree))
    found = set()
    for node in ast.walk(tree):
        name = _dotted(node)
        first, _, rest = name.partition(".")
        if rest and first in modules:
            found.add(f"{modules[first]}.{rest.split('.')[0]}")
    return found


def _modules(tree: ast.Module) -> Iterator[tuple[str, str]]:
    """What modules of TileLang are called in a file, and what the reference calls them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Import):
            continue
        for alias in node.names:
            if alias.name == _PACKAGE:
                yield alias.asname or _PACKAGE, _PACKAGE
            elif alias.name.startswith(f"{_PACKAGE}.") and alias.name.endswith(".language"):
                yield alias.asname or _PACKAGE, "T"


def _dotted(node: ast.AST) -> str:
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        before = _dotted(node.value)
        return f"{before}.{node.attr}" if before else ""
    return ""


def _page(example: Example, known: frozenset[str]) -> Page:
    first, _, rest = example.docstring.partition("\n\n")
    link = example.link
    links = tuple(Link(f"api/{name}", name) for name in example.uses if name in known)
    return Page(
        link.slug,
        example.path.name,
        PageKind.EXAMPLE,
        " ".join(first.split()),
        tuple(_sections(example, rest)),
        links,
        tuple(kernel.name for kernel in example.document.kernels),
        opens=str(example.path),
    )


def _sections(example: Example, rest: str) -> Iterator[Section]:
    blocks = [_block(part) for part in rest.split("\n\n") if part.strip()]
    if blocks:
        yield Section("", tuple(blocks))
    metadata = example.document.metadata
    if metadata is not None and metadata.cases:
        rows = tuple(
            (
                f"`{case.name}`",
                " ".join(f"{name}={value}" for name, value in case.args.items()),
                ", ".join(case.targets),
            )
            for case in metadata.cases
        )
        yield Section("Cases", (Table(("Case", "Arguments", "Targets"), rows),))
    yield Section("Kernel", (CodeBlock(_body(example)),))


def _block(part: str) -> Block:
    """Indented parts of a docstring are code."""
    lines = part.splitlines()
    if all(line.startswith("    ") for line in lines if line.strip()):
        return CodeBlock("\n".join(line[4:] for line in lines))
    return Paragraph(" ".join(part.split()))


def _body(example: Example) -> str:
    """The lines of the kernels, without what stands around them."""
    lines = example.document.text.splitlines()
    parts = []
    for kernel in example.document.kernels:
        start = kernel.line - 1
        while start > 0 and lines[start - 1].startswith("@"):
            start -= 1
        parts.append("\n".join(lines[start : kernel.end_line]))
    return "\n\n\n".join(parts)
