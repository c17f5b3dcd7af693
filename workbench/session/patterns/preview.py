"""The code of a draft as it stands beside the fields, with what the last change did to it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from workbench.core.documents.reading import parse_document
from workbench.session.text_differences import Change, Range, compare, word_changes


@dataclass(frozen=True)
class CodeLine:
    """A line of the kernel; `changed` are the columns that the last change touched."""

    text: str
    changed: tuple[Range, ...] = ()


@dataclass(frozen=True)
class CodeView:
    """The kernel's lines without their common blanks; `first` is the first that was changed.

    `note` says what changed them, or why there are none.
    """

    lines: tuple[CodeLine, ...] = ()
    first: int | None = None
    note: str = ""


def code_view(text: str | None, kernel: str, before: str | None, cause: str) -> CodeView:
    """The kernel of a document, compared with the document `before` the last change."""
    if text is None:
        return CodeView(note="These choices make no program.")
    lines = kernel_lines(text, kernel)
    earlier = kernel_lines(before, kernel) if before is not None else lines
    changed = dict(_changed(earlier, lines))
    shown = tuple(CodeLine(line, changed.get(at, ())) for at, line in enumerate(lines))
    return CodeView(shown, min(changed, default=None), cause if changed else "")


@lru_cache(maxsize=16)
def kernel_lines(text: str, kernel: str) -> tuple[str, ...]:
    """The lines of a document's kernel, without its comment lines and common blanks."""
    lines = text.splitlines()
    found = parse_document(text).kernel(kernel)
    inside = lines[found.line - 1 : found.end_line] if found is not None else lines
    coded = [line for line in inside if not line.lstrip().startswith("#")]
    return tuple(coded)


def _changed(
    earlier: Sequence[str], lines: Sequence[str]
) -> Iterator[tuple[int, tuple[Range, ...]]]:
    for hunk in compare(earlier, lines).changes:
        for at, number in enumerate(range(*hunk.right)):
            old = hunk.left[0] + at
            if hunk.change is Change.CHANGED and old < hunk.left[1]:
                yield number, tuple(word_changes(earlier[old], lines[number])[1])
            else:
                indent = len(lines[number]) - len(lines[number].lstrip())
                yield number, ((indent, len(lines[number])),)
