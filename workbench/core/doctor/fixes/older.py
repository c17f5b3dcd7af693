"""Fixes of what older TileLang had that need more than one name written anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix
from workbench.core.doctor.edits import drop_keyword, drop_line, entry_dropped, replace_node
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import (
    enclosing,
    free_name,
    indent_of,
    replaced,
    text_of,
)
from workbench.core.doctor.removed_table import load_removed
from workbench.core.doctor.values import bits_of

_SETTINGS = (
    "TL_DISABLE_DYNAMIC_TAIL_SPLIT", "TL_DYNAMIC_ALIGNMENT", "TL_DISABLE_FAST_MATH",
    "TL_ENABLE_PTXAS_VERBOSE_OUTPUT",
)  # fmt: skip
_DROPPED = {"alloc_buffer": ("strides", "align")}


def moved(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The fixes of the names at a place, where the table of names alone has none."""
    if diagnostic.fixes or diagnostic.range is None:
        return
    for node in _nodes_at(situation, diagnostic):
        name = node.attr if isinstance(node, ast.Attribute) else None
        if name in ("create_list_of_mbarrier", "get_mbarrier"):
            yield from _barriers(situation, node)
        elif name == "map_torch_type":
            yield from _torch_type(situation, node)
        elif name in _SETTINGS:
            yield from _setting(situation, node)
    yield from _imports(situation, diagnostic)
    yield from _keywords(situation, diagnostic)


def _imports(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Imports of several names of which some are elsewhere now: those get lines of their own."""
    module = situation.module
    node = next(
        (
            n
            for n in module.nodes.get(ast.ImportFrom, [])
            if module.range_of(n) == diagnostic.range and n.module
        ),
        None,
    )
    if node is None:
        return
    places = {alias.name: _present(node.module, alias.name) for alias in node.names}
    lines, edits = [], []
    for alias in node.names:
        local = alias.asname or alias.name
        place = places[alias.name]
        if place is not None:
            base, _, name = place.rpartition(".")
            lines.append(f"from {base} import {name}" + (f" as {local}" if local != name else ""))
        elif alias.name == "map_torch_type":
            made = _torch_calls(situation, local)
            if made is None:
                return
            edits += made
        elif _is_lost(node.module):
            return
    kept = [a for a in node.names if places[a.name] is None and a.name != "map_torch_type"]
    if kept:
        names = ", ".join(ast.unparse(alias) for alias in kept)
        lines.insert(0, f"from {node.module} import {names}")
    whole = replaced(module, node, lines) if lines else drop_line(module, node)
    if whole is not None:
        yield Fix("Import from where it is now", (whole, *edits), True)


def _present(base: str, name: str) -> str | None:
    """Where a name of an older TileLang is now; None where it is where it was, or nowhere."""
    table = load_removed()
    for path, record in table.modules.items():
        if base == path or base.startswith(f"{path}."):
            return record.imports.get(name)
    path = f"T.{name}" if base == "tilelang.language" else f"{base}.{name}"
    known = table.names.get(path)
    if known is None or not known.rename:
        return None
    return known.rename if "." in known.rename else f"{base}.{known.rename}"


def _is_lost(base: str) -> bool:
    return any(base == path or base.startswith(f"{path}.") for path in load_removed().modules)


def _torch_calls(situation: Situation, local: str) -> list[Edit] | None:
    """Calls of `map_torch_type` by a name of its own, None where they cannot be written anew."""
    module, prefix = situation.module, _language(situation)
    calls = [c for c in module.calls if isinstance(c.func, ast.Name) and c.func.id == local]
    if prefix is None or any(len(call.args) != 1 for call in calls):
        return None
    return [
        replace_node(module, c, f"{prefix}.dtype({text_of(module, c.args[0])}).as_torch()")
        for c in calls
    ]


def _nodes_at(situation: Situation, diagnostic: Diagnostic) -> list[ast.Attribute]:
    module = situation.module
    return [
        n for n in module.nodes.get(ast.Attribute, []) if module.range_of(n) == diagnostic.range
    ]


def _call_of(situation: Situation, node: ast.AST) -> ast.Call | None:
    return next((c for c in situation.module.calls if c.func is node), None)


def _barriers(situation: Situation, node: ast.Attribute) -> Iterator[Fix]:
    """One list of barriers with a name: `T.create_list_of_mbarrier(n, m)` and what gets them."""
    module = situation.module
    prefix = ast.unparse(node.value)
    made = [c for c in module.calls if _ends(c, "create_list_of_mbarrier")]
    got = [c for c in module.calls if _ends(c, "get_mbarrier")]
    statement = enclosing(module, made[0])[0] if len(made) == 1 else None
    if statement is None or indent_of(module, statement) is None:
        return
    call = made[0]
    name = free_name(module, "barriers")
    listed = len(call.args) == 1 and isinstance(call.args[0], (ast.List, ast.Tuple, ast.Name))
    counts = ", ".join(text_of(module, a) for a in call.args)
    text = f"{prefix}.alloc_barrier({counts if listed else f'[{counts}]'})"
    bare = isinstance(statement, ast.Expr) and statement.value is call
    edits = [replace_node(module, call, f"{name} = {text}" if bare else text)]
    if not bare:
        target = statement.targets[0] if isinstance(statement, ast.Assign) else None
        if not isinstance(target, ast.Name):
            return
        name = target.id
    for each in got:
        edits.append(replace_node(module, each, f"{name}[{text_of(module, each.args[0])}]"))
    yield Fix(f"Use {prefix}.alloc_barrier", tuple(edits), True)


def _ends(call: ast.Call, name: str) -> bool:
    return isinstance(call.func, ast.Attribute) and call.func.attr == name


def _torch_type(situation: Situation, node: ast.Attribute) -> Iterator[Fix]:
    """`map_torch_type(dtype)` as `T.dtype(dtype).as_torch()`."""
    module, call = situation.module, _call_of(situation, node)
    if call is None or len(call.args) != 1:
        return
    prefix = _language(situation)
    if prefix is not None:
        text = f"{prefix}.dtype({text_of(module, call.args[0])}).as_torch()"
        yield Fix(f"Use {prefix}.dtype(...).as_torch()", (replace_node(module, call, text),), True)


def _language(situation: Situation) -> str | None:
    for node in situation.module.nodes.get(ast.Import, []):
        for alias in node.names:
            if alias.name == "tilelang.language" and alias.asname:
                return str(alias.asname)
    for node in situation.module.nodes.get(ast.ImportFrom, []):
        for alias in node.names:
            if (node.module, alias.name) == ("tilelang", "language"):
                return str(alias.asname or alias.name)
    return None


def _setting(situation: Situation, node: ast.Attribute) -> Iterator[Fix]:
    """Take an entry out of a dictionary of settings, or give it its present name."""
    module = situation.module
    for table in module.nodes.get(ast.Dict, []):
        if node not in table.keys:
            continue
        place = table.keys.index(node)
        value = table.values[place]
        if node.attr == "TL_DISABLE_FAST_MATH" and isinstance(value, ast.Constant):
            name = f"{ast.unparse(node.value)}.TL_ENABLE_FAST_MATH"
            edits = (
                replace_node(module, node, name),
                replace_node(module, value, str(not value.value)),
            )
            yield Fix(f"Set TL_ENABLE_FAST_MATH to {not value.value}", edits, True)
        elif node.attr != "TL_DISABLE_FAST_MATH":
            yield Fix(
                f"Leave {node.attr} out", (entry_dropped(situation.module, table, place),), True
            )


def _keywords(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    module = situation.module
    for call in module.calls:
        if module.range_of(call) != diagnostic.range:
            continue
        for keyword in call.keywords:
            if keyword.arg == "bytes":
                yield from _elements(situation, call, keyword)
            named = _DROPPED.get(module.names.last(call.func) or "", ())
            name = keyword.arg or ""
            if name in named and name in diagnostic.message:
                edit = drop_keyword(module, call, name)
                if edit is not None:
                    yield Fix(f"Leave {name} out", (edit,))


def _elements(situation: Situation, call: ast.Call, keyword: ast.keyword) -> Iterator[Fix]:
    """`bytes=16` of an asynchronous copy as `num_elems=8`, where the element's size is known."""
    value = keyword.value.value if isinstance(keyword.value, ast.Constant) else None
    names = [n.id for n in ast.walk(call.args[0]) if isinstance(n, ast.Name)] if call.args else []
    buffers = [b for n in names if (b := situation.buffer(n, call.lineno)) is not None]
    bits = bits_of(buffers[0].dtype) if buffers else None
    if type(value) is int and bits and value * 8 % bits == 0:
        text = f"num_elems={value * 8 // bits}"
        yield Fix(f"Pass {text}", (replace_node(situation.module, keyword, text),), True)
