"""Explains names and arguments that the installed TileLang does not have."""

from __future__ import annotations

import inspect
import re
import sys
from typing import Any

import tilelang
import tilelang.language

from workbench.core.documents.suggestions import nearest
from workbench.engine.doctor.model import Finding, Translator, Trouble, translator

_CODE = "removed-api"


def _attribute(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A module of TileLang has no such name."""
    module, name = match["module"], match["name"]
    known = dir(sys.modules[module]) if module in sys.modules else []
    public = [each for each in known if not each.startswith("_")]
    message = f"{module} {tilelang.__version__} has no `{name}`: it was removed, or never existed."
    return _named(message, trouble, name, public)


def _import(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A module of TileLang, or a name in one, cannot be imported."""
    module, name = match["module"], match.groupdict().get("name")
    known = [each for each in sys.modules if each.startswith("tilelang.")]
    if name is not None:
        known = dir(sys.modules[module]) if module in sys.modules else []
    what = f"no `{name}` in {module}" if name else f"no module `{module}`"
    message = f"tilelang {tilelang.__version__} has {what}: it was removed, or never existed."
    return _named(message, trouble, name or module, known)


def _keyword(trouble: Trouble, match: re.Match[str]) -> Finding | None:
    """A function of TileLang takes no such argument."""
    function, name = match["function"].rpartition(".")[2], match["name"]
    found: Any = getattr(tilelang.language, function, None) or getattr(tilelang, function, None)
    if found is None or not callable(found):
        return None
    try:
        taken = list(inspect.signature(found).parameters)
    except (TypeError, ValueError):
        taken = []  # a builtin tells no parameters
    message = (
        f"{function} of tilelang {tilelang.__version__} takes no argument `{name}`: it was "
        "removed, or never existed."
    )
    if taken and nearest(name, taken) is None:
        message += f" It takes {', '.join(taken)}."
    return _named(message, trouble, name, taken)


def _named(message: str, trouble: Trouble, name: str, known: list[str]) -> Finding:
    """The finding, with the name that was probably meant where one is like it."""
    found = nearest(name, known)
    if found is None:
        return Finding(_CODE, message, trouble.user_line())
    message += f" The nearest name is `{found}`."
    evidence = {"name": name, "nearest": found}
    return Finding(_CODE, message, trouble.user_line(), evidence=evidence)


NAMES: tuple[Translator, ...] = (
    translator(
        r"^module '(?P<module>tilelang[\w.]*)' has no attribute '(?P<name>\w+)'", _attribute
    ),
    translator(r"^cannot import name '(?P<name>\w+)' from '(?P<module>tilelang[\w.]*)'", _import),
    translator(r"^No module named '(?P<module>tilelang\.[\w.]+)'", _import),
    translator(
        r"^(?P<function>[\w.]+)\(\) got an unexpected keyword argument '(?P<name>\w+)'", _keyword
    ),
)
