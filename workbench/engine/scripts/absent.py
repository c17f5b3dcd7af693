"""Lets a script import packages that are not here, and names them where it uses them."""

from __future__ import annotations

import ast
import importlib.abc
import importlib.machinery
import linecache
import sys
import types
from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

from workbench.engine.scripts.lacks import AbsentPackageError

_IMPORT_MACHINERY = "<frozen importlib._bootstrap>"
_CATCHING = {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"}
IsOfScript = Callable[[str], bool]
OnMocked = Callable[[str, str], None]


class AbsentFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Comes last: gives a mock for a package that nothing else finds and the script imports.

    An import that the script itself guards with `except ImportError`, or that another package
    does, fails as it would without us.
    """

    def __init__(self, is_of_script: IsOfScript, on_mocked: OnMocked) -> None:
        self._is_of_script = is_of_script
        self._on_mocked = on_mocked

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: Any = None
    ) -> importlib.machinery.ModuleSpec | None:
        """A spec for a mock, or None."""
        parent = sys.modules.get(fullname.rpartition(".")[0])
        if isinstance(parent, _MockModule):  # whoever asks: torch looks for parts of triton too
            return importlib.machinery.ModuleSpec(fullname, self, is_package=True)
        if path is not None:
            return None  # a part that a package which is here lacks: a removed name, not a package
        place = _importing_place(self._is_of_script)
        if place is None or _is_guarded(*place):
            return None
        package = fullname.partition(".")[0]
        self._on_mocked(package, f"{place[0]}:{place[1]}")
        return importlib.machinery.ModuleSpec(fullname, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """A module whose every name exists."""
        return _MockModule(spec.name, self._is_of_script)

    def exec_module(self, module: types.ModuleType) -> None:
        """A mock has nothing to execute."""


class _MockModule(types.ModuleType):
    """A package that is not here. Its version is the lowest, so that checks for one fail."""

    __version__ = "0.0.0"

    def __init__(self, name: str, is_of_script: IsOfScript) -> None:
        super().__init__(name)
        self.__path__: list[str] = []
        self.__file__ = f"<{name} is not installed>"
        self._is_of_script = is_of_script

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        whole = f"{self.__name__}.{name}"
        return _PLAIN_FUNCTIONS.get(whole) or AbsentName(whole, self._is_of_script)


class AbsentName:
    """A name of an absent package: may be decorated with, subclassed or looked into on import,
    and says what is missing when it is called to compute something."""

    def __init__(self, name: str, is_of_script: IsOfScript) -> None:
        self._name = name
        self._is_of_script = is_of_script

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return AbsentName(f"{self._name}.{name}", self._is_of_script)

    def __getitem__(self, key: Any) -> AbsentName:
        return self

    def __mro_entries__(self, bases: tuple[Any, ...]) -> tuple[type, ...]:
        return ()

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Another mock while a module is being imported; raises AbsentPackageError after."""
        file, line, is_import = _calling_place(self._is_of_script)
        if is_import:
            return AbsentName(f"{self._name}()", self._is_of_script)
        package = self._name.partition(".")[0]
        message = f"{self._name} is called, and the package {package} is not installed"
        raise AbsentPackageError(message, file, line)

    def __repr__(self) -> str:
        return f"<{self._name}, of a package that is not installed>"


def _next_power_of_2(n: int) -> int:
    return 1 << (n - 1).bit_length()


def _cdiv(x: int, y: int) -> int:
    return -(-x // y)


# Arithmetic on sizes that scripts take from triton; what computes tensors is not in this table.
_PLAIN_FUNCTIONS: dict[str, Any] = {
    "triton.cdiv": _cdiv,
    "triton.next_power_of_2": _next_power_of_2,
}


def provide(name: str, function: Any) -> None:
    """Give a name of an absent package a meaning."""
    _PLAIN_FUNCTIONS[name] = function


def _importing_place(is_of_script: IsOfScript) -> tuple[str, int] | None:
    """File and line of the import statement under way, where a file of the script holds it."""
    frame, in_import = sys._getframe(1), False
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _IMPORT_MACHINERY:
            in_import = in_import or frame.f_code.co_name == "_find_and_load"
        elif name != __file__ and not name.endswith("importlib/__init__.py"):
            return (name, frame.f_lineno) if in_import and is_of_script(name) else None
        frame = frame.f_back  # type: ignore[assignment]
    return None


def _calling_place(is_of_script: IsOfScript) -> tuple[str | None, int | None, bool]:
    """The script's deepest line, and whether it is part of a module's top level or import."""
    frame, place, depth = sys._getframe(2), None, 0
    while frame is not None:
        name = frame.f_code.co_filename
        if name == _IMPORT_MACHINERY:
            return (*(place or (None, None)), True)
        if is_of_script(name):
            depth += 1
            place = place or (name, frame.f_lineno)
            if depth == 1 and frame.f_code.co_name == "<module>":
                return (*place, True)
        frame = frame.f_back  # type: ignore[assignment]
    return (*(place or (None, None)), False)


@cache
def _is_guarded(file: str, line: int) -> bool:
    """Whether the import at a line stands in a `try` that catches its failure."""
    try:
        tree = ast.parse("".join(linecache.getlines(file)))
    except SyntaxError:
        return False
    return any(
        statement.lineno <= line <= (statement.end_lineno or statement.lineno)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try) and any(map(_catches_import, node.handlers))
        for statement in node.body
    )


def _catches_import(handler: ast.ExceptHandler) -> bool:
    caught = handler.type
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(n is None or (isinstance(n, ast.Name) and n.id in _CATCHING) for n in names)
