"""Generated Python: lines with their indentation, fresh names, and constants kept as objects."""

from __future__ import annotations

import keyword
import re
from collections.abc import Hashable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Value:
    """A translated expression.

    `rank` is 0 for a scalar, else the number of axes (lanes, or the variables of T.Parallel) that
    the numpy array `code` broadcasts against. `ufunc` holds the name and the operands where the
    value is one numpy function's result, so that a store can compute straight into its target.
    `per_thread` marks a variable that holds a value for each thread of the block.
    """

    code: str
    dtype: str
    rank: int = 0
    ufunc: tuple[str, ...] | None = None
    per_thread: bool = False

    @property
    def is_vector(self) -> bool:
        """Whether the value differs between the iterations or lanes."""
        return self.rank > 0


class Emitter:
    """Collects the source text of one program."""

    def __init__(self) -> None:
        self.constants: dict[str, Any] = {}
        self._constant_names: dict[Hashable, str] = {}
        self._lines: list[str] = []
        self._depth = 0
        self._blocks = [0]
        self._block_count = 0
        self._names: dict[str, int] = {}

    @property
    def block(self) -> int:
        """The number of the innermost open block of statements."""
        return self._blocks[-1]

    @property
    def position(self) -> int:
        """How many lines stand so far."""
        return len(self._lines)

    @property
    def source(self) -> str:
        """The text so far."""
        return "\n".join(self._lines) + "\n"

    def in_scope(self, block: int) -> bool:
        """Whether a name bound in `block` is certainly bound here."""
        return block in self._blocks

    def line(self, text: str) -> None:
        """Append one line at the current indentation."""
        self._lines.append("    " * self._depth + text)

    def retract(self, text: str) -> bool:
        """Drop the last line where it is this one, in this suite."""
        if not self._lines or self._lines[-1] != "    " * self._depth + text:
            return False
        del self._lines[-1]
        return True

    def rewind(self, position: int) -> None:
        """Drop the lines from `position` on (nothing may have kept a name from them)."""
        del self._lines[position:]

    def fresh(self, stem: str) -> str:
        """Return an unused identifier that resembles `stem`."""
        base = re.sub(r"\W", "_", stem) or "v"
        if base[0].isdigit() or base[0] == "_" or keyword.iskeyword(base):
            base = "v" + base
        self._names[base] = self._names.get(base, 0) + 1
        return f"{base}_{self._names[base]}"

    def assign(self, code: str, stem: str = "t") -> str:
        """Bind `code` to a fresh name and return the name."""
        name = self.fresh(stem)
        self.line(f"{name} = {code}")
        return name

    def constant(self, value: Any, key: Hashable = None) -> str:
        """Return the name under which the program finds `value`; equal keys share one name."""
        if key is not None and key in self._constant_names:
            return self._constant_names[key]
        name = f"K{len(self.constants)}"
        self.constants[name] = value
        if key is not None:
            self._constant_names[key] = name
        return name

    @contextmanager
    def suite(self, header: str) -> Iterator[None]:
        """Emit `header` and indent what is emitted inside; an empty suite gets a `pass`."""
        self.line(header)
        self._depth += 1
        self._block_count += 1
        self._blocks.append(self._block_count)
        start = len(self._lines)
        yield
        if len(self._lines) == start:
            self.line("pass")
        self._blocks.pop()
        self._depth -= 1
