"""What the source of an open document's kernel says of it, with the arguments in force."""

from __future__ import annotations

from collections.abc import Iterable

from workbench.core import figures
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.values import Buffer, Scope
from workbench.session.open_document import OpenDocument

#: Where a buffer lies, in one word.
SCOPE_WORDS = {
    Scope.GLOBAL: "global",
    Scope.SHARED: "shared",
    Scope.FRAGMENT: "registers",
    Scope.LOCAL: "local",
    Scope.TENSOR: "tensor memory",
    Scope.BARRIER: "barrier",
    Scope.L1: "L1",
    Scope.L0A: "L0A",
    Scope.L0B: "L0B",
    Scope.L0C: "L0C",
}


def facts_in(document: OpenDocument) -> list[KernelFacts] | None:
    """The facts of what the chosen kernel builds; None where the text cannot be read just now."""
    kernel, module = document.chosen_kernel, read_module(document.parsed.text)
    if module is None or document.is_unreadable or document.readable is not document.parsed:
        return None
    return facts_of(module, kernel, document.arguments(), ()) if kernel is not None else []


def buffers_of(facts: KernelFacts) -> Iterable[Buffer]:
    """Every buffer of a kernel: parameters, results, allocations."""
    return dict.fromkeys((*facts.tensors, *facts.results, *facts.buffers))


def shape_text(buffer: Buffer) -> str:
    """The extents as `64×64`, those that the source does not fix as it writes them."""
    if buffer.sizes is not None:
        return "×".join(map(str, buffer.sizes))
    sizes = buffer.shape or (None,) * len(buffer.shape_texts)
    parts = zip(sizes, buffer.shape_texts, strict=False)
    return "×".join(str(n) if type(n) is int else text for n, text in parts) or "unknown shape"


def size_text(size: int | None) -> str:
    """Bytes in words."""
    return "size unknown" if size is None else str(figures.size(size))
