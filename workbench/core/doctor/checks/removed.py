"""The check for names, keywords and values of older TileLang."""

from __future__ import annotations

import ast
import json
from collections.abc import Iterator

from workbench.core.diagnostics import Edit, Fix, Severity
from workbench.core.doctor.edits import drop_keyword, insert_before, replace_node
from workbench.core.doctor.evaluating import Evaluator
from workbench.core.doctor.findings import Finding, fix
from workbench.core.doctor.module import Module
from workbench.core.doctor.removed_table import Removed, RemovedTable, load_removed

_LANGUAGES = ("tilelang.language.", "tilelang.cpu.language.", "tilelang.ascend.language.")
# Options of a target in a string, as in "cuda -arch=sm_80" and "hip -mcpu=gfx942".
_OPTIONS = {"-arch": "arch", "--arch": "arch", "-mcpu": "mcpu", "--mcpu": "mcpu"}
_TARGET_CALLS = frozenset({"jit", "lazy_jit", "compile", "lower", "par_compile", "autotune"})
_TARGET_METHODS = frozenset({"set_compile_args"})
_TARGET_FUNCTIONS = frozenset({"determine_target", "Target"})


def removed_api(module: Module) -> Iterator[Finding]:
    """Everything in a document that the present TileLang does not have."""
    table = load_removed()
    imported = _Imports(module, table)
    for node in (*module.nodes.get(ast.Import, []), *module.nodes.get(ast.ImportFrom, [])):
        yield from imported.findings(node)
    for node in module.nodes.get(ast.Attribute, []):
        yield from _attribute(module, table, node, imported.roots)
    for call in module.calls:
        if call.keywords or call.args:
            yield from _keywords(module, table, call)
            yield from _values(module, table, call)
    for argument in module.nodes.get(ast.arg, []):
        if argument.annotation is not None:
            yield from _annotation(module, table, argument.annotation)


def _canonical(path: str) -> str:
    """A path as the table writes it: `T.` for the language of a kernel."""
    for prefix in _LANGUAGES:
        if path.startswith(prefix):
            return f"T.{path[len(prefix) :]}"
    if ".PassConfigKey." in path:
        return path[path.index("PassConfigKey.") :]
    return path.removeprefix("tilelang.") if path.startswith("tilelang.tvm.") else path


class _Imports:
    """Imports of removed modules and names; `roots` are the local names they would bind."""

    def __init__(self, module: Module, table: RemovedTable) -> None:
        self._module = module
        self._table = table
        self.roots: set[str] = set()

    def findings(self, node: ast.Import | ast.ImportFrom) -> Iterator[Finding]:
        """What an import asks for that is no longer there."""
        if isinstance(node, ast.Import):
            yield from self._modules(node)
        elif node.level == 0:
            yield from self._members(node)

    def _modules(self, node: ast.Import) -> Iterator[Finding]:
        for alias in node.names:
            record = _module_of(self._table, alias.name)
            if record is None:
                continue
            if alias.asname:
                self.roots.add(alias.asname)
            fixes: tuple[Fix, ...] = ()
            if record.rename and alias.asname and len(node.names) == 1:
                path = record.rename + _canonical(alias.name)[len(record.path) :]
                text = f"import {_same_root(alias.name, path)} as {alias.asname}"
                fixes = fix(f"Import {path}", replace_node(self._module, node, text))
            said = record.sentence(f"module {record.path}", self._table.version)
            yield Finding(node, f"{said} The import fails.", fixes)

    def _members(self, node: ast.ImportFrom) -> Iterator[Finding]:
        base = node.module or ""
        record = _module_of(self._table, base)
        if record is not None:
            self.roots |= {alias.asname or alias.name for alias in node.names}
            said = record.sentence(f"module {record.path}", self._table.version)
            yield Finding(node, f"{said} The import fails.", self._moved(node, base, record))
            return
        for alias in node.names:
            path = _canonical(f"{base}.{alias.name}")
            found = self._table.modules.get(path) or self._table.names.get(path)
            if found is None or path == "T.Buffer":
                continue
            self.roots.add(alias.asname or alias.name)
            said = found.sentence(path, self._table.version)
            yield Finding(node, said, self._renamed(node, alias, found))

    def _moved(self, node: ast.ImportFrom, base: str, record: Removed) -> tuple[Fix, ...]:
        if record.rename:
            path = record.rename + _canonical(base)[len(record.path) :]
            names = ", ".join(ast.unparse(alias) for alias in node.names)
            text = f"from {_same_root(base, path)} import {names}"
            return fix(f"Import from {path}", replace_node(self._module, node, text))
        moved = [(alias, record.imports.get(alias.name)) for alias in node.names]
        if not all(place for _, place in moved):
            return ()
        lines = [_import_of(place or "", alias.asname or alias.name) for alias, place in moved]
        text = "\n".join(lines)
        return fix("Import from where it is now", replace_node(self._module, node, text))

    def _renamed(self, node: ast.ImportFrom, alias: ast.alias, record: Removed) -> tuple[Fix, ...]:
        if not record.rename or len(node.names) != 1:
            return ()
        local = alias.asname or alias.name
        full = record.rename if "." in record.rename else f"{node.module}.{record.rename}"
        text = _import_of(_same_root(node.module or "", full), local)
        return fix(f"Import {full}", replace_node(self._module, node, text))


def _same_root(old: str, new: str) -> str:
    """TVM by way of TileLang stays so."""
    return f"tilelang.{new}" if old.startswith("tilelang.tvm") and new.startswith("tvm") else new


def _import_of(path: str, local: str) -> str:
    base, _, name = path.rpartition(".")
    return f"from {base} import {name}" + (f" as {local}" if local != name else "")


def _module_of(table: RemovedTable, path: str) -> Removed | None:
    path = _canonical(path)
    for known, record in table.modules.items():
        if path == known or path.startswith(f"{known}."):
            return record
    return None


def _attribute(
    module: Module, table: RemovedTable, node: ast.Attribute, roots: set[str]
) -> Iterator[Finding]:
    # Most attributes are told by their last part: nothing in the table ends so.
    path = module.names.resolve(node) if node.attr in table.ends and _is_dotted(node) else None
    if path is None or _root(node) in roots:
        return
    known = _canonical(path)
    record = table.names.get(known) or table.modules.get(known)
    if record is None:
        return
    edits = _renaming(module, node, record)
    fixes = fix(f"Use {record.rename}", *edits) if edits else ()
    yield Finding(node, record.sentence(known, table.version), fixes)


def _is_dotted(node: ast.expr) -> bool:
    while isinstance(node, ast.Attribute):
        node = node.value
    return isinstance(node, ast.Name)


def _root(node: ast.expr) -> str:
    while isinstance(node, ast.Attribute):
        node = node.value
    return node.id if isinstance(node, ast.Name) else ""


def _renaming(module: Module, node: ast.Attribute, record: Removed) -> list[Edit]:
    if not record.rename:
        return []
    if "." not in record.rename:
        return [replace_node(module, node, f"{ast.unparse(node.value)}.{record.rename}")]
    new = record.rename
    edits = [replace_node(module, node, new)]
    if record.path.startswith("tvm."):
        base = ast.unparse(node.value)
        return [replace_node(module, node, f"{base}.{new.rpartition('.')[2]}")]
    imports = [n for n in module.tree.body if isinstance(n, (ast.Import, ast.ImportFrom))]
    bound = any(
        alias.name.split(".")[0] == "tilelang" and alias.asname is None
        for n in imports
        if isinstance(n, ast.Import)
        for alias in n.names
    )
    if not bound and imports:
        edits.append(insert_before(module, imports[0], "import tilelang"))
    return edits


def _keywords(module: Module, table: RemovedTable, node: ast.Call) -> Iterator[Finding]:
    name = module.names.last(node.func) if node.keywords else None
    if name is None:
        return
    # A function that has another name now has that one's keywords.
    renamed = table.names.get(f"T.{name}")
    name = renamed.rename if renamed is not None and renamed.rename else name
    for keyword in node.keywords:
        record = table.keywords.get((f"T.{name}", keyword.arg or ""))
        if record is not None:
            what = f"keyword {record.keyword} of {record.call}"
            fixes = _keyword_fix(module, node, keyword, record)
            yield Finding(node, record.sentence(what, table.version), fixes)


def _keyword_fix(
    module: Module, node: ast.Call, keyword: ast.keyword, record: Removed
) -> tuple[Fix, ...]:
    if record.rename:
        where = module.range_of(keyword)
        column = where.column + len(record.keyword)
        name = type(where)(where.line, where.column, where.line, column)
        return fix(f"Call it {record.rename}", Edit(name, record.rename))
    if not record.drop:
        return ()
    edit = drop_keyword(module, node, record.keyword)
    if record.language is None:
        return fix(f"Leave {record.keyword} out", edit)
    if isinstance(keyword.value, ast.Constant) and not keyword.value.value:
        return fix(f"Leave {record.keyword} out", edit)
    imports = [n for n in module.nodes.get(ast.Import, []) if _imports_language(n)]
    if len(imports) != 1 or not isinstance(imports[0], ast.Import):
        return ()
    text = f"import {record.language} as {imports[0].names[0].asname}"
    return fix(f"Use {record.language}", edit, replace_node(module, imports[0], text))


def _imports_language(node: ast.AST) -> bool:
    if not isinstance(node, ast.Import) or len(node.names) != 1:
        return False
    alias = node.names[0]
    return alias.name == "tilelang.language" and alias.asname is not None


def _values(module: Module, table: RemovedTable, node: ast.Call) -> Iterator[Finding]:
    end = node.func.attr if isinstance(node.func, ast.Attribute) else None
    if end is not None and end not in _TARGET_CALLS | _TARGET_FUNCTIONS | _TARGET_METHODS:
        return
    name = module.names.last(node.func)
    # Methods of objects that the source does not tell, as `tuner.set_compile_args(target=...)`.
    builds = name in _TARGET_CALLS or end in _TARGET_METHODS
    given = [(k.arg or "", k.value) for k in node.keywords] if builds else []
    if name in _TARGET_FUNCTIONS and node.args:
        given.append(("target", node.args[0]))
    for keyword, expression in given:
        value = Evaluator(module.names).value(expression, module.constants)
        if not isinstance(value, str):
            continue
        record = table.values.get((keyword, value.strip()))
        own = isinstance(expression, ast.Constant)
        if record is not None and record.new is not None:
            new = record.new
            message = record.sentence(f'{keyword} "{value}"', table.version)
        elif keyword == "target" and " -" in value:
            new = _target_text(value)
            message = (
                f'TileLang {table.version} takes no options in a target\'s name: "{value}" is '
                f"refused. Use target={new}."
            )
        else:
            continue
        fixes = fix(f"Write {new}", replace_node(module, expression, new)) if own else ()
        yield Finding(expression, message, fixes)


def _target_text(value: str) -> str:
    """The dictionary of a target in the form of a command line."""
    kind, *options = value.split()
    entries = {"kind": kind}
    for option in options:
        name, _, given = option.partition("=")
        entries[_OPTIONS.get(name, name.lstrip("-"))] = given
    return json.dumps(entries)


def _annotation(module: Module, table: RemovedTable, node: ast.expr) -> Iterator[Finding]:
    """`T.Buffer` in a signature still works, with a warning."""
    function = node.func if isinstance(node, ast.Call) else None
    if not isinstance(function, (ast.Attribute, ast.Name)):
        return
    path = _canonical(module.names.resolve(function) or "")
    if path == "T.Buffer":
        message = (
            f"T.Buffer in a signature is deprecated in TileLang {table.version}. Use T.Tensor."
        )
        fixes: tuple[Fix, ...] = ()
        if isinstance(function, ast.Attribute):
            text = f"{ast.unparse(function.value)}.Tensor"
            fixes = fix("Use T.Tensor", replace_node(module, function, text))
        yield Finding(node, message, fixes, severity=Severity.WARNING)
