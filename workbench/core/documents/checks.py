"""Checks a document as a whole: that it has a kernel, and what its block names."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.documents.discovery import Discovery
from workbench.core.documents.metadata import Positions
from workbench.core.documents.model import Case, Document, Kernel, Metadata
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.documents.toml_lines import Path

DEFAULT_REFERENCE = "ref_program"
"""The reference function of TileLang's own examples."""


def reference_of(
    kernel: str, metadata: Metadata | None, names: frozenset[str] | None
) -> str | None:
    """The reference function of a kernel.

    The block's where it speaks of the kernel, else the default where the file binds that name;
    `names` is None where it is not known what the file binds.
    """
    if metadata is not None and metadata.reference and metadata.kernel in {None, kernel}:
        return metadata.reference
    return DEFAULT_REFERENCE if names is not None and DEFAULT_REFERENCE in names else None


def check_document(
    document: Document, found: Discovery, positions: Positions | None
) -> tuple[Diagnostic, ...]:
    """The faults of a document whose source is valid Python."""
    if not document.kernels:
        return (_no_kernel(document, found),)
    if document.metadata is None or positions is None:
        return ()
    return tuple(_MetadataChecks(document, found, positions).all(document.metadata))


def _no_kernel(document: Document, found: Discovery) -> Diagnostic:
    if not document.text.strip():
        message = "The file is empty."
    elif document.has_main and document.metadata is None:
        # Its `main` may run kernels of other files, which recording it would find.
        message = "The file defines no kernel itself."
        return Diagnostic("no-kernel-found", Severity.INFO, message, TextRange(found.first_line))
    else:
        message = "The file has no `tilelang.jit` function, no `T.prim_func` and no function that "
        message += "returns one."
    return Diagnostic(
        "no-kernel-found",
        Severity.ERROR,
        message,
        TextRange(found.first_line),
        help="Write the kernel with `@tilelang.jit` and `T.prim_func`, at the file's top level.",
    )


class _MetadataChecks:
    """Compares the names in a block with those of the file."""

    def __init__(self, document: Document, found: Discovery, positions: Positions) -> None:
        self._document = document
        self._names = found.names
        self._positions = positions

    def all(self, metadata: Metadata) -> Iterator[Diagnostic]:
        """Every fault, in the order of the block."""
        yield from self._kernel(metadata.kernel, ("kernel",))
        yield from self._function(metadata.reference, ("reference",))
        for index, case in enumerate(metadata.cases):
            path: Path = ("case", index)
            yield from self._kernel(case.kernel, (*path, "kernel"))
            yield from self._function(case.baseline, (*path, "baseline"))
            yield from self._arguments(metadata, case, (*path, "args"))

    def _kernel(self, name: str | None, path: Path) -> Iterator[Diagnostic]:
        names = [kernel.name for kernel in self._document.kernels]
        if name is not None and name not in names:
            message = f"The file has no kernel `{name}`{did_you_mean(name, names)}"
            yield self._error("metadata-unknown-kernel", message, path)

    def _function(self, name: str | None, path: Path) -> Iterator[Diagnostic]:
        if name is not None and self._names is not None and name not in self._names:
            hint = did_you_mean(name, self._document.functions)
            message = f"The file has no function `{name}`{hint}"
            yield self._error("metadata-unknown-function", message, path)

    def _arguments(self, metadata: Metadata, case: Case, path: Path) -> Iterator[Diagnostic]:
        kernel = self._kernel_of(metadata, case)
        if kernel is None or kernel.accepts_extra:
            return
        names = [parameter.name for parameter in kernel.parameters]
        for name in case.args:
            if name not in names:
                hint = did_you_mean(name, names)
                message = f"`{kernel.name}` has no parameter `{name}`{hint}"
                yield self._error("metadata-unknown-argument", message, (*path, name))

    def _kernel_of(self, metadata: Metadata, case: Case) -> Kernel | None:
        name = metadata.kernel_of(case)
        if name is not None:
            return self._document.kernel(name)
        return self._document.kernels[0] if len(self._document.kernels) == 1 else None

    def _error(self, code: str, message: str, path: Path) -> Diagnostic:
        return Diagnostic(code, Severity.ERROR, message, TextRange(self._positions.line(path)))
