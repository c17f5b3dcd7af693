"""Chooses what to run of a document: a kernel, a case, and the arguments that result."""

from __future__ import annotations

import ast
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.diagnostics import Diagnostic
from workbench.core.documents.fields import ALL_CASES
from workbench.core.documents.model import Case, Document, Kernel, KernelStyle, ParameterRole
from workbench.core.documents.overrides import misfit
from workbench.core.documents.suggestions import did_you_mean

_TOML_WORDS = {
    "true": True,
    "false": False,
    "inf": math.inf,
    "+inf": math.inf,
    "-inf": -math.inf,
    "nan": math.nan,
}
_UNREADABLE = frozenset({"python-error", "metadata-syntax", "no-kernel-found"})
_UNREAD_BLOCK = "metadata-unclosed-block"
_PLAIN = (bool, int, float, str, list, tuple, dict, type(None))


class SelectionError(Exception):
    """A kernel, case or argument that the document does not have; the message names what it has."""


@dataclass(frozen=True)
class Selection:
    """One thing to run: `args` are the defaults, the case's and the overrides, in that order.

    A default that the source does not tell, such as `T.float16`, is left out: Python fills it in.
    """

    kernel: Kernel
    case: Case
    args: dict[str, Any]
    reference: str | None


def select(
    document: Document,
    kernel: str | None = None,
    case: str | None = None,
    overrides: Mapping[str, str] | None = None,
) -> tuple[Selection, ...]:
    """The selections for a kernel and case by name, `"all"` being every case.

    Without a kernel: the case's own, else the block's, else the only one. Without a case: the
    first that applies, else one named `default` that leaves every parameter at its default.
    Raises SelectionError.
    """
    _require_readable(document)
    pairs = _pairs(document, kernel, case)
    values = {name: parse_value(text) for name, text in (overrides or {}).items()}
    for found in dict.fromkeys(found for found, _ in pairs):
        _require_fitting(document, found, overrides or {}, values)
    return tuple(_selection(found, chosen, values) for found, chosen in pairs)


def unreadable(document: Document) -> tuple[Diagnostic, ...]:
    """The errors of a document whose kernels or cases could not be read, the first of them first.

    They are faults of the document: nobody's choice of a kernel or a case can help.
    """
    codes = _UNREADABLE if document.metadata is not None else {*_UNREADABLE, _UNREAD_BLOCK}
    return tuple(d for d in document.errors if d.code in codes)


def _require_readable(document: Document) -> None:
    for diagnostic in unreadable(document):
        line = f"line {diagnostic.range.line}: " if diagnostic.range else ""
        raise SelectionError(f"{_name(document)}, {line}{diagnostic.message}")
    if not document.kernels:
        raise SelectionError(f"{_name(document)} defines no kernel.")


def _name(document: Document) -> str:
    return str(document.path) if document.path is not None else "The document"


def _pairs(
    document: Document, kernel_name: str | None, case_name: str | None
) -> list[tuple[Kernel, Case]]:
    if case_name is None:
        kernel = _kernel(document, kernel_name)
        return [(kernel, (*cases_of(document, kernel), Case("default"))[0])]
    if case_name == ALL_CASES:
        return _every_case(document, kernel_name)
    case = _case(document, case_name)
    if case is None:
        return [(_kernel(document, kernel_name), Case("default"))]
    kernel = _kernel(document, kernel_name or case.kernel)
    if not _applies(document, case, kernel):
        owner = document.metadata.kernel_of(case) if document.metadata else None
        raise SelectionError(f"The case `{case.name}` is for `{owner}`, not for `{kernel.name}`.")
    return [(kernel, case)]


def _every_case(document: Document, kernel_name: str | None) -> list[tuple[Kernel, Case]]:
    cases = document.metadata.cases if document.metadata else ()
    if kernel_name is not None or not cases:
        kernel = _kernel(document, kernel_name)
        applicable = cases_of(document, kernel) or (Case("default"),)
        return [(kernel, case) for case in applicable]
    return [(_kernel(document, case.kernel), case) for case in cases]


def _kernel(document: Document, name: str | None) -> Kernel:
    name = name or (document.metadata.kernel if document.metadata else None)
    names = [kernel.name for kernel in document.kernels]
    if name is not None:
        found = document.kernel(name)
        if found is None:
            raise SelectionError(
                f"{_name(document)} has no kernel `{name}`{did_you_mean(name, names)}"
            )
        return found
    choices = _choices(document)
    if len(choices) > 1:
        listed = ", ".join(names)
        raise SelectionError(
            f"{_name(document)} has {len(names)} kernels: {listed}. Choose one with --kernel."
        )
    return choices[0]


def default_kernel(document: Document) -> str | None:
    """The kernel to begin with: the block's, the only one, else the first; None without one."""
    wanted = document.metadata.kernel if document.metadata else None
    if wanted is not None and document.kernel(wanted) is not None:
        return wanted
    return next((kernel.name for kernel in _choices(document)), None)


def _choices(document: Document) -> list[Kernel]:
    """A factory beside one kernel mostly wraps that kernel, so it does not make the choice open."""
    decorated = [k for k in document.kernels if k.style is not KernelStyle.FACTORY]
    return decorated if len(decorated) == 1 else list(document.kernels)


def _case(document: Document, name: str) -> Case | None:
    """The case of that name; None is the implicit `default`."""
    cases = document.metadata.cases if document.metadata else ()
    found = next((case for case in cases if case.name == name), None)
    if found is None and (name != "default" or cases):
        known = [case.name for case in cases] or ["default"]
        raise SelectionError(f"{_name(document)} has no case `{name}`{did_you_mean(name, known)}")
    return found


def cases_of(document: Document, kernel: Kernel) -> tuple[Case, ...]:
    """The cases of the block that are for a kernel; one that names none is for all."""
    cases = document.metadata.cases if document.metadata else ()
    return tuple(case for case in cases if _applies(document, case, kernel))


def _applies(document: Document, case: Case, kernel: Kernel) -> bool:
    owner = document.metadata.kernel_of(case) if document.metadata else None
    return owner in {None, kernel.name}


def _selection(kernel: Kernel, case: Case, overrides: Mapping[str, Any]) -> Selection:
    _require_known(kernel, case.args, f"the case `{case.name}`")
    _require_known(kernel, overrides, "--set")
    args = known_arguments(kernel, case, overrides)
    _require_complete(kernel, case, args)
    return Selection(kernel, case, args, kernel.reference)


def known_arguments(kernel: Kernel, case: Case, overrides: Mapping[str, Any]) -> dict[str, Any]:
    """The defaults, the case's arguments and the overrides in that order; some may be missing."""
    given = {**_dimensions(kernel, case), **case.args, **overrides}
    args = {}
    for parameter in kernel.parameters:
        if parameter.name in given:
            args[parameter.name] = given.pop(parameter.name)
        elif parameter.default_is_known:
            args[parameter.name] = parameter.default
    args.update(given)
    return args


def missing_arguments(kernel: Kernel, args: Mapping[str, Any]) -> tuple[str, ...]:
    """The parameters that have neither a value nor a default."""
    return tuple(p.name for p in kernel.parameters if not p.has_default and p.name not in args)


def _dimensions(kernel: Kernel, case: Case) -> dict[str, Any]:
    """An eager kernel's `T.const` dimensions may stand among the case's `dims` too."""
    shapes = {p.name for p in kernel.parameters if p.role is ParameterRole.SHAPE}
    return {name: size for name, size in case.dims.items() if name in shapes}


def require_named(
    document: Document, kernel: str | None, case: str | None, overrides: Mapping[str, str]
) -> None:
    """See that a readable document has the kernel and the case, and a kernel the parameters.

    Raises SelectionError. Nothing else is asked: arguments may be missing, the choice be open.
    """
    kernels = [_kernel(document, kernel)] if kernel is not None else list(document.kernels)
    if case is not None and case != ALL_CASES:
        _case(document, case)
    for name in overrides if kernels else ():
        known = {p.name for k in kernels for p in k.parameters}
        if name not in known and not any(k.accepts_extra for k in kernels):
            _require_known(kernels[0], {name: None}, "--set")


def _require_known(kernel: Kernel, args: Mapping[str, Any], giver: str) -> None:
    names = [parameter.name for parameter in kernel.parameters]
    for name in args:
        if name not in names and not kernel.accepts_extra:
            hint = did_you_mean(name, names) if names else "; it has none."
            raise SelectionError(f"`{kernel.name}` has no parameter `{name}` ({giver}){hint}")


def _require_fitting(
    document: Document, kernel: Kernel, texts: Mapping[str, str], values: Mapping[str, Any]
) -> None:
    for name, text in texts.items():
        message = misfit(kernel, cases_of(document, kernel), name, text, values[name])
        if message is not None:
            raise SelectionError(message)


def _require_complete(kernel: Kernel, case: Case, args: Mapping[str, Any]) -> None:
    missing = missing_arguments(kernel, args)
    if missing:
        options = " ".join(f"--set {name}=..." for name in missing)
        raise SelectionError(
            f"`{kernel.name}` needs {', '.join(missing)}, which the case `{case.name}` does not "
            f"give. Add {options}"
        )


def parse_value(text: str) -> Any:
    """The value of an override: a Python or TOML literal where the text is one, else the text."""
    word = text.strip()
    if word in _TOML_WORDS:
        return _TOML_WORDS[word]
    try:
        value = ast.literal_eval(word)
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        pass
    else:
        return value if _is_plain(value) else text
    return text


def _is_plain(value: Any) -> bool:
    """Whether a value has a place in TOML and JSON, so that a case can keep it."""
    if isinstance(value, dict):
        return all(isinstance(key, str) and _is_plain(item) for key, item in value.items())
    if isinstance(value, (list, tuple)):
        return all(_is_plain(item) for item in value)
    return isinstance(value, _PLAIN)
