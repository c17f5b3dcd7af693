"""The lines of code in which runs differ: by their text, or by the arguments that lines name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from workbench.core.runs import Run
from workbench.session.comparison_view.model import CodeBlock, CodeLine, Span
from workbench.session.text_differences import compare, word_changes

MOST_LINES = 5
_CEILDIV = re.compile(r"\b(?:T|tilelang|tl)\.(?:ceildiv|cdiv)\((\d+), ?(\d+)\)")
#: Lines that say little of a difference: empty ones, comments, decorators, heads of functions.
_PLAIN = re.compile(r"\s*(#|@|def |[\])}:,]*$)")
_WANTED = ("T.Kernel", "alloc_", "T.Pipelined", "threads", "num_stages")
Texts = Sequence["str | None"]


def code_block(runs: Sequence[Run], texts: Texts, base: int) -> CodeBlock:
    """What differs among the runs' texts and arguments, held against the base's.

    A text is None where it is not kept any more.
    """
    differing = _differing(runs)
    told = _sentences(runs, texts, differing, base)
    if any(text is None for text in texts):
        lacking = [chr(ord("A") + at) for at, text in enumerate(texts) if text is None]
        return CodeBlock(told, _nothing(runs), f"The text of {', '.join(lacking)} is not kept.")
    kept = [text or "" for text in texts]
    if len(set(kept)) == 1:
        columns = _by_arguments(kept[0], runs, differing, base)
    else:
        columns = _by_text(kept, runs, base)
    empty = "" if any(columns) else "No line of the kernel names what differs."
    return CodeBlock(told, columns, "" if not differing and len(set(kept)) == 1 else empty)


def _nothing(runs: Sequence[Run]) -> tuple[tuple[CodeLine, ...], ...]:
    return tuple(() for _ in runs)


def _differing(runs: Sequence[Run]) -> tuple[str, ...]:
    names = dict.fromkeys(name for run in runs for name in run.args)
    return tuple(n for n in names if len({repr(run.args.get(n)) for run in runs}) > 1)


def _sentences(
    runs: Sequence[Run], texts: Texts, differing: Sequence[str], base: int
) -> tuple[str, ...]:
    """Whether the texts are the same, how many arguments differ, and which document it is."""
    count = len(differing)
    arguments = {0: "same arguments", 1: "1 argument differs"}.get(
        count, f"{count} arguments differ"
    )
    same = len({run.text_blob for run in runs}) == 1
    head = "Same text" if same else _changed(runs, texts, base)
    documents = list(dict.fromkeys((run.document or "").rsplit("/", 1)[-1] for run in runs))
    name = documents[0] if len(documents) == 1 else f"{len(documents)} documents"
    return tuple(part for part in (f"{head}, {arguments}", name) if part)


def _changed(runs: Sequence[Run], texts: Texts, base: int) -> str:
    """How many lines the texts differ in from the base's, where they are two; else how many."""
    known = {run.text_blob for run in runs}
    own, first = runs[base].text_blob, texts[base]
    other = next((texts[n] for n, run in enumerate(runs) if run.text_blob != own), None)
    if len(known) != 2 or other is None or first is None:
        return f"{len(known)} texts"
    found = compare(first.splitlines(), other.splitlines())
    return f"+{found.added} \N{MINUS SIGN}{found.removed} lines"


def _by_arguments(
    text: str, runs: Sequence[Run], differing: Sequence[str], base: int
) -> tuple[tuple[CodeLine, ...], ...]:
    """The lines that name an argument that differs, with each run's values in their place."""
    lines = text.splitlines()
    numbers = list(_naming(text, runs[base].kernel, lines, differing))
    best = sorted(numbers, key=lambda number: _interest(lines[number - 1], differing))
    chosen = sorted(best[:MOST_LINES])
    plain = [_valued(lines[number - 1].strip(), runs[base].args) for number in chosen]
    return tuple(
        tuple(
            CodeLine(number, _spans(plain[at], _valued(lines[number - 1].strip(), run.args)))
            for at, number in enumerate(chosen)
        )
        for run in runs
    )


def _naming(
    text: str, kernel: str | None, lines: Sequence[str], names: Sequence[str]
) -> Iterator[int]:
    """The lines of the kernel's body with one of these names, from 1."""
    first, last = _body_range(text, kernel)
    pattern = _pattern(names)
    for number in range(first, last + 1):
        line = lines[number - 1]
        if names and not _PLAIN.match(line) and pattern.search(line):
            yield number


def _body_range(text: str, kernel: str | None) -> tuple[int, int]:
    """The first and last line of the body of the kernel's function; of the text without one."""
    try:
        nodes = ast.walk(ast.parse(text))
    except (SyntaxError, ValueError):
        nodes = iter(())
    found = [node for node in nodes if isinstance(node, ast.FunctionDef) and node.name == kernel]
    if not found:
        return 1, len(text.splitlines())
    return found[0].body[0].lineno, found[0].end_lineno or found[0].lineno


def _pattern(names: Sequence[str]) -> re.Pattern[str]:
    """A name where it is used: no attribute, and no keyword of a call."""
    listed = "|".join(re.escape(name) for name in names) or r"(?!)"
    return re.compile(rf"(?<![\w.\"'])({listed})(?![\w\"'])(?!\s*=(?!=))")


def _interest(line: str, names: Sequence[str]) -> tuple[int, int, int]:
    """Lines that allocate or launch come first, then those with most of the names."""
    wanted = next((n for n, word in enumerate(_WANTED) if word in line), len(_WANTED))
    return int(wanted == len(_WANTED)), -len(set(_pattern(names).findall(line))), len(line)


def _valued(line: str, arguments: Mapping[str, Any]) -> str:
    """The line with values in place of names, and quotients of whole numbers worked out."""
    values = {n: v for n, v in arguments.items() if isinstance(v, (int, float, str, bool))}
    if values:
        line = _pattern(tuple(values)).sub(lambda match: repr(values[match[1]]), line)
    return _CEILDIV.sub(lambda match: str(-(-int(match[1]) // int(match[2]))), line)


def _by_text(
    texts: Sequence[str], runs: Sequence[Run], base: int
) -> tuple[tuple[CodeLine, ...], ...]:
    """The first lines in which each text differs from the base's; of the base those that do."""
    bodies = [_body(text, run.kernel) for text, run in zip(texts, runs, strict=True)]
    own = bodies[base]
    touched: set[int] = set()
    columns: list[tuple[CodeLine, ...]] = []
    for at, body in enumerate(bodies):
        if at == base:
            columns.append(())
            continue
        found = compare([line for _, line in own], [line for _, line in body], str.strip)
        for hunk in found.changes:
            touched.update(range(*hunk.left))
        columns.append(_telling(list(_changed_lines(own, body, found.changes))))
    first = sorted(touched)[:MOST_LINES]
    columns[base] = tuple(CodeLine(own[n][0], (Span(own[n][1].strip()),)) for n in first)
    return tuple(columns)


def _telling(lines: Sequence[CodeLine]) -> tuple[CodeLine, ...]:
    """The first lines, those before the others of which only words are changed."""
    ordered = sorted(lines, key=lambda line: all(span.is_changed for span in line.spans))
    return tuple(sorted(ordered[:MOST_LINES], key=lambda line: line.line))


def _body(text: str, kernel: str | None) -> list[tuple[int, str]]:
    """The kernel's lines with their numbers, those left out that say little."""
    first, last = _body_range(text, kernel)
    lines = list(enumerate(text.splitlines(), start=1))[first - 1 : last]
    return [(number, line) for number, line in lines if not _PLAIN.match(line)]


def _changed_lines(
    own: Sequence[tuple[int, str]], body: Sequence[tuple[int, str]], hunks: Sequence[Any]
) -> Iterator[CodeLine]:
    for hunk in hunks:
        left = [own[n][1].strip() for n in range(*hunk.left)]
        for offset, at in enumerate(range(*hunk.right)):
            number, line = body[at]
            before = left[offset] if offset < len(left) else ""
            yield CodeLine(number, _spans(before, line.strip()))


def _spans(before: str, after: str) -> tuple[Span, ...]:
    """The words of a line, those marked that are others than in the line before."""
    if before == after:
        return (Span(after),)
    _, changed = word_changes(before, after)
    if not changed:
        return (Span(after, True),)
    spans, place = [], 0
    for start, end in changed:
        if start > place:
            spans.append(Span(after[place:start]))
        spans.append(Span(after[start:end], True))
        place = end
    return (*spans, *([Span(after[place:])] if place < len(after) else []))
