"""What a name in a document stands for: imports and aliases followed to a dotted path."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable, Iterator

# What the vocabulary of a kernel is called where nothing in the file binds the name,
# as when it comes from another file's `import *`.
_CONVENTIONS = {"tilelang": "tilelang", "T": "tilelang.language"}
_STAR_NAMES = frozenset({"jit", "lazy_jit", "autotune", "prim_func", "compile", "language"})


class Marker(enum.Enum):
    """The decorators that make a function a kernel, or change how it is built."""

    JIT = "jit"
    AUTOTUNE = "autotune"
    PRIM_FUNC = "prim_func"


_MARKERS = {
    "jit": Marker.JIT,
    "lazy_jit": Marker.JIT,
    "autotune": Marker.AUTOTUNE,
    "prim_func": Marker.PRIM_FUNC,
}


class Names:
    """The aliases of one module, wherever in it they are imported or assigned."""

    def __init__(self, tree: ast.Module) -> None:
        self._paths: dict[str, str] = {}
        self._star = False
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                self._paths.update(_imported(node.names))
            elif isinstance(node, ast.ImportFrom):
                self._add_import_from(node)
        for statement in tree.body:
            self._add_alias(statement)

    def _add_import_from(self, node: ast.ImportFrom) -> None:
        module = "." * node.level + (node.module or "")
        for alias in node.names:
            if alias.name != "*":
                self._paths[alias.asname or alias.name] = f"{module}.{alias.name}"
            elif module.split(".")[0] == "tilelang":
                self._star = True

    def _add_alias(self, statement: ast.stmt) -> None:
        """Follow `my_jit = tilelang.jit` and `my_jit = tilelang.jit(out_idx=[-1])`."""
        if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
            return
        target, value = statement.targets[0], statement.value
        # With a positional argument the decorator has been applied, unless it is a `partial`.
        applied = isinstance(value, ast.Call) and value.args and not self._is_partial(value)
        path = None if applied else self.resolve(value)
        if isinstance(target, ast.Name) and path is not None:
            self._paths[target.id] = path

    def resolve(self, node: ast.expr) -> str | None:
        """The dotted path that an expression names; a call stands for what it calls."""
        if isinstance(node, ast.Name):
            return self._resolve_name(node.id)
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value)
            return base and f"{base}.{node.attr}"
        if isinstance(node, ast.Call):
            return self.resolve(node.args[0] if self._is_partial(node) else node.func)
        return None

    def _resolve_name(self, name: str) -> str | None:
        if name in self._paths:
            return self._paths[name]
        if self._star and name in _STAR_NAMES:
            return f"tilelang.{name}"
        return _CONVENTIONS.get(name)

    def _is_partial(self, node: ast.Call) -> bool:
        if not node.args or isinstance(node.func, ast.Call):
            return False
        return self.resolve(node.func) in {"functools.partial", "partial"}

    def last(self, node: ast.expr) -> str | None:
        """The last part of the path of a name from TileLang or TVM, else None."""
        path = self.resolve(node)
        if path is None or path.split(".")[0] not in {"tilelang", "tvm"}:
            return None
        return path.rsplit(".", 1)[-1]

    def marker(self, node: ast.expr) -> Marker | None:
        """The marker that a decorator expression is, by whatever alias."""
        path = self.resolve(node)
        if path is None:
            return None
        marker = _MARKERS.get(path.rsplit(".", 1)[-1])
        # Others have a `jit` and an `autotune` too (triton, numba, torch); `prim_func` is TVM's own
        # word, which a file may get by way of a module of its own.
        ours = path.startswith("tilelang.") or marker is Marker.PRIM_FUNC
        return marker if ours else None

    def markers(self, function: ast.FunctionDef) -> frozenset[Marker]:
        """The markers among a function's decorators."""
        found = (self.marker(node) for node in function.decorator_list)
        return frozenset(marker for marker in found if marker is not None)


def _imported(aliases: Iterable[ast.alias]) -> Iterator[tuple[str, str]]:
    for alias in aliases:
        if alias.asname:
            yield alias.asname, alias.name
        else:  # `import a.b` binds `a`
            root = alias.name.split(".")[0]
            yield root, root
