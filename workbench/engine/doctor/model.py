"""The case that is diagnosed, what a translator makes of it, and the form of a translator."""

from __future__ import annotations

import re
import traceback
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from workbench.core.diagnostics import Related, Severity, TextRange
from workbench.core.jobs import KernelChoice, Source
from workbench.core.targets.model import Target
from workbench.engine import lowering
from workbench.engine.doctor.tiles import Tile, TileProgram, read_tiles
from workbench.engine.doctor.trials import Trials
from workbench.engine.kernels import BuiltKernel

DEFAULT_WARP = 32


@dataclass(frozen=True)
class Subject:
    """A kernel that is lowered, and what for; `built` is None while it is being built.

    `source` and `choice` are what it is built of, where it can be built once more.
    """

    target: Target
    built: BuiltKernel | None = None
    source: Source | None = None
    choice: KernelChoice | None = None


@dataclass(frozen=True)
class Trouble:
    """An exception of TileLang or TVM with the kernel that it came of."""

    error: BaseException
    document: str
    source: str
    subject: Subject | None = None

    @cached_property
    def text(self) -> str:
        """What the exception says."""
        return str(self.error)

    @cached_property
    def program(self) -> TileProgram:
        """The tiles and operations of the kernel; empty where none was built."""
        if self.subject is None or self.subject.built is None:
            return TileProgram(None, None, {}, ())
        return read_tiles(self.subject.built.func, self.document)

    @cached_property
    def trials(self) -> Trials | None:
        """What tries other choices on the kernel; None where none was built."""
        if self.subject is None or self.subject.built is None:
            return None
        return Trials(self.subject.built, lowering.tvm_target(self.subject.target))

    @property
    def warp_size(self) -> int:
        """Threads of a warp of the target."""
        limits = self.subject.target.arch.limits if self.subject is not None else None
        return (limits.warp_size if limits is not None else None) or DEFAULT_WARP

    @property
    def target_name(self) -> str:
        """The architecture as a message names it."""
        return self.subject.target.arch.name if self.subject is not None else "the target"

    def frames(self) -> Iterator[tuple[str, str, dict[str, Any]]]:
        """File, function and local variables of each Python frame, the innermost first."""
        found = [frame for frame, _ in traceback.walk_tb(self.error.__traceback__)]
        for frame in reversed(found):
            yield frame.f_code.co_filename, frame.f_code.co_name, dict(frame.f_locals)

    def user_line(self) -> int | None:
        """The innermost line of the document in the traceback, or where the builder stood.

        A loop's own line is lost in what TileLang generates of a kernel, and shows as line 1.
        """
        lines = traceback.extract_tb(self.error.__traceback__)
        own = [frame.lineno for frame in lines if frame.filename == self.document]
        found = own[-1] if own else None
        return found if found is not None and found > 1 else self._builder_line() or found

    def _builder_line(self) -> int | None:
        for _, _, values in self.frames():
            builder: Any = values.get("__tb")
            if getattr(builder, "current_file", None) == self.document:
                return int(builder.current_line)
        return None

    def tile(self, name: str) -> Tile | None:
        """A tile of the kernel by its name."""
        return self.program.tiles.get(name)

    def label(self, name: str) -> str:
        """A buffer with its shape where that is known, as a message names it."""
        tile = self.tile(name)
        return tile.label if tile is not None else f"`{name}`"


@dataclass(frozen=True)
class Finding:
    """What is wrong: a code, a sentence with operands and reason, and what would be right."""

    code: str
    message: str
    line: int | None
    severity: Severity = Severity.ERROR
    help: str | None = None
    related: tuple[Related, ...] = ()
    evidence: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Translator:
    """A pattern of exception texts and what explains them; None: it is something else after all."""

    pattern: re.Pattern[str]
    explain: Callable[[Trouble, re.Match[str]], Finding | None]


def translator(
    pattern: str, explain: Callable[[Trouble, re.Match[str]], Finding | None]
) -> Translator:
    """A row of the table."""
    return Translator(re.compile(pattern, re.DOTALL), explain)


def related(line: int | None, text: str) -> tuple[Related, ...]:
    """Another place, where it has a line."""
    return (Related(TextRange(line), text),) if line is not None else ()


def listed(words: list[str] | tuple[str, ...], last: str = "or") -> str:
    """`a, b or c`."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"
