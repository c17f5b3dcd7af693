"""Turns the kernels that a script was seen to build into cases of its document."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.jobs import RunScriptResult, ScriptKernel


def recorded_cases(document: Document, result: RunScriptResult) -> tuple[Case, ...]:
    """A case for each set of arguments that a kernel of the document was built with, once.

    Left out are kernels of other files, and arguments that a block cannot hold or the kernel does
    not name; a case that would lack a required one is left out too.
    """
    found: list[Case] = []
    for recorded in result.kernels:
        kernel = _kernel_of(document, recorded)
        args = dict(_settable(kernel, recorded)) if kernel is not None else {}
        if kernel is None or not _is_complete(kernel, args):
            continue
        case = Case(f"recorded-{len(found) + 1}", args, dims=dict(recorded.dims))
        several = kernel.name if len(document.kernels) > 1 else None
        if not any((c.args, c.kernel) == (args, several) for c in found):
            found.append(Case(case.name, args, dims=case.dims, kernel=several))
    return tuple(found)


def _kernel_of(document: Document, recorded: ScriptKernel) -> Kernel | None:
    is_own = document.path is not None and recorded.file == str(document.path.absolute())
    return document.kernel(recorded.name) if is_own else None


def _settable(kernel: Kernel, recorded: ScriptKernel) -> Iterator[tuple[str, object]]:
    """The arguments that a block can hold; None has no form there, and is a default's value."""
    for name, value in recorded.args.items():
        is_known = kernel.accepts_extra or kernel.parameter(name) is not None
        if is_known and value is not None and name not in recorded.opaque:
            yield name, value


def _is_complete(kernel: Kernel, args: dict[str, object]) -> bool:
    return all(p.has_default or p.name in args for p in kernel.parameters)
