"""Fills the templates of `resources/patterns`: kernel text with lines that a value switches."""

from __future__ import annotations

import functools
import textwrap
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from workbench.core.data_files import find_data

if TYPE_CHECKING:
    from jinja2 import Environment

LINE_LENGTH = 100


def render(template: str, context: Mapping[str, Any]) -> str:
    """The text of a template; a name that the context lacks raises jinja2's UndefinedError."""
    return _environment().get_template(template).render(context).strip("\n") + "\n"


def wrapped(text: str, width: int = LINE_LENGTH, indent: str = "") -> str:
    """A paragraph in lines of at most `width` columns, all indented."""
    return textwrap.fill(
        " ".join(text.split()),
        width,
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )


def comment(text: str, column: int) -> str:
    """A comment that begins at a column, in as many lines as it needs; the first not indented."""
    return wrapped(text, LINE_LENGTH, " " * column + "# ").lstrip()


def literal(value: Any) -> str:
    """A value as ruff writes it in a source."""
    return f'"{value}"' if isinstance(value, str) else repr(value)


def call(name: str, arguments: Sequence[str], column: int) -> str:
    """A call that begins at a column as ruff writes it: in one line, else an argument a line."""
    flat = ", ".join(arguments)
    if column + len(f"{name}({flat})") <= LINE_LENGTH:
        return f"{name}({flat})"
    inner = " " * (column + 4)
    if len(inner) + len(flat) <= LINE_LENGTH:
        return f"{name}(\n{inner}{flat}\n{' ' * column})"
    lines = "".join(f"{inner}{argument},\n" for argument in arguments)
    return f"{name}(\n{lines}{' ' * column})"


def assigned(left: str, expression: str, column: int) -> str:
    """An assignment that begins at a column as ruff writes it, in parentheses where it is long.

    The expression itself has to fit a line then.
    """
    if column + len(f"{left} = {expression}") <= LINE_LENGTH:
        return f"{left} = {expression}"
    pad = " " * column
    return f"{left} = (\n{pad}    {expression}\n{pad})"


def returned(name: str, steps: Sequence[str], finish: str = "{}") -> list[str]:
    """The lines of a function's body: each step but the last is assigned, the last returned."""
    lines = [f"{name} = {step}" for step in steps[:-1]]
    return [*lines, f"return {finish.format(steps[-1])}"]


@functools.cache
def _environment() -> Environment:
    from jinja2 import Environment, FileSystemLoader, StrictUndefined  # only where a text is made

    # `{% if bias %}` on a line of its own leaves no trace in the text, so that a template keeps the
    # look of the kernel. Nothing is escaped: the text is Python and not HTML.
    environment = Environment(
        loader=FileSystemLoader(find_data("resources") / "patterns"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        autoescape=False,
    )
    environment.filters["comment"] = comment
    environment.filters["literal"] = literal
    return environment
