"""What the layouts lens draws: the buffers there are, the one shown, and the sentence above it."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from workbench.core.analysis.buffer_layouts import BufferLayout
from workbench.core.analysis.index_expressions import ExpressionError
from workbench.session.lenses.layouts.conflict import Conflict, conflict_of
from workbench.session.lenses.layouts.fragment import Fragment, fragment_of
from workbench.session.lenses.layouts.shared import SharedTile, shared_tile
from workbench.session.lenses.subject import LensSubject, LensTarget

_WARP = 32
_FRAGMENT = "local.fragment"


class Kind(enum.Enum):
    """What is drawn of a buffer."""

    FRAGMENT = "fragment"
    SHARED = "shared"
    CONFLICT = "conflict"


@dataclass(frozen=True)
class BufferChoice:
    """A buffer to look at: `summary` is its type and shape, `line` where it is allocated."""

    name: str
    kind: Kind
    summary: str
    line: int | None


Drawing = Fragment | SharedTile | Conflict


@dataclass(frozen=True, eq=False)
class LayoutsPicture:
    """`drawing` is None where the layout of the buffer shown is no map; `lacks` says why then."""

    buffers: tuple[BufferChoice, ...]
    shown: BufferChoice
    drawing: Drawing | None
    lacks: str = ""


def layouts_picture(
    subject: LensSubject, target: LensTarget, wanted: str | None = None
) -> LayoutsPicture | None:
    """The layout of the buffer `wanted`, else of a conflict or the first; None for no buffer."""
    found = list(_choices(subject, target))
    if not found:
        return None
    choice, made = next((pair for pair in found if pair[0].name == wanted), found[0])
    choices = tuple(each for each, _ in found)
    if isinstance(made, Conflict):
        return LayoutsPicture(choices, choice, made)
    try:
        return LayoutsPicture(choices, choice, _drawing(made, target))
    except (ExpressionError, KeyError, ValueError) as error:
        return LayoutsPicture(choices, choice, None, str(error))


def _choices(
    subject: LensSubject, target: LensTarget
) -> Iterator[tuple[BufferChoice, BufferLayout | Conflict]]:
    """Conflicts first, then fragments, the largest first, then tiles of shared memory."""
    for problem in target.problems:
        conflict = conflict_of(problem)
        if conflict is not None:
            size = f"{conflict.rows} × {conflict.columns}"
            yield BufferChoice(conflict.name, Kind.CONFLICT, size, conflict.line), conflict
            break
    lines = allocation_lines(subject.text)
    layouts = (target.kernel.layouts if target.kernel is not None else None) or ()
    for layout in sorted(layouts, key=_order):
        kind = Kind.FRAGMENT if layout.scope == _FRAGMENT else Kind.SHARED
        yield BufferChoice(layout.name, kind, _summary(layout), lines.get(layout.name)), layout


def _order(layout: BufferLayout) -> tuple[bool, int]:
    return layout.scope != _FRAGMENT, -(layout.registers or 0)


def _summary(layout: BufferLayout) -> str:
    shape = " × ".join(map(str, layout.map.shape)) if layout.map is not None else ""
    return f"{layout.dtype} {shape}".strip()


def _drawing(layout: BufferLayout, target: LensTarget) -> Drawing:
    if layout.map is None:
        raise ValueError(f"it is {layout.text}, which is no map that can be drawn")
    limits = target.target.arch.limits
    if layout.scope == _FRAGMENT:
        return fragment_of(layout, layout.map, limits.warp_size or _WARP)
    return shared_tile(layout, layout.map, limits.shared_banks)


@lru_cache(maxsize=16)
def allocation_lines(text: str) -> dict[str, int]:
    """The first line that allocates each name, from 1; empty where Python cannot read the text."""
    try:
        module = ast.parse(text)
    except (SyntaxError, ValueError):
        return {}
    found: dict[str, int] = {}
    for node in ast.walk(module):
        if isinstance(node, ast.Assign) and _allocates(node.value):
            for name in node.targets:
                if isinstance(name, ast.Name):
                    found.setdefault(name.id, node.lineno)
    return found


def _allocates(node: ast.expr) -> bool:
    function = node.func if isinstance(node, ast.Call) else None
    return isinstance(function, ast.Attribute) and function.attr.startswith("alloc_")
