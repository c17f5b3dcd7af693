"""Checks that a kernel's `out_idx` names what it writes, and that its reference takes the rest."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.jobs import Source
from workbench.engine.faults import DocumentFaultError, first_line
from workbench.engine.simulator import Parameter

MISUSE = "out-idx-misuse"
Reference = Callable[..., Any]


@dataclass(frozen=True)
class Signature:
    """What a kernel takes and gives, and where its document says so.

    `declared` are the positions that `out_idx` names, None where there is none.
    """

    source: Source
    kernel: str
    parameters: tuple[Parameter, ...]
    declared: tuple[int, ...] | None

    def left_out(self) -> list[int]:
        """The tensors that the kernel only writes and that `out_idx` does not name."""
        written = [i for i, p in enumerate(self.parameters) if p.is_buffer and p.writes]
        named = self.declared or ()
        return [i for i in written if not self.parameters[i].reads and i not in named]

    def names(self, indices: Sequence[int]) -> str:
        """The names of parameters, for a message."""
        return ", ".join(self.parameters[i].name for i in indices)

    def misuse(self, message: str) -> DocumentFaultError:
        """The error at the line of the `out_idx`, with what should stand there."""
        kept = [i for i in self.declared or () if self.parameters[i].writes]
        right = sorted({*kept, *self.left_out()})
        remedy = f"Write out_idx={right}" if right else "Leave out_idx away"
        line = out_idx_line(self.source.text, self.kernel)
        return DocumentFaultError(f"{message}. {remedy}", line, MISUSE)


def check_outputs(signature: Signature, reference: Reference | None) -> None:
    """Refuse an `out_idx` that names a tensor which the kernel only reads.

    TileLang allocates what `out_idx` names and returns it, so such a kernel reads memory that
    nobody filled, and its caller has to give what it writes. Raises DocumentFaultError.
    """
    parameters, left_out = signature.parameters, signature.left_out()
    wrong = [
        i
        for i in signature.declared or ()
        if not parameters[i].writes and (parameters[i].reads or left_out)
    ]
    if not wrong:
        return
    does = "only reads" if parameters[wrong[0]].reads else "never writes"
    message = f"{_written(signature)} names {signature.names(wrong)}, which the kernel {does}"
    if left_out:
        message += f", and not {signature.names(left_out)}, which it writes"
    raise signature.misuse(message + _takes(reference))


def check_reference(signature: Signature, reference: Reference, given: Sequence[int]) -> None:
    """Refuse a reference that cannot be called with the parameters at `given`.

    Raises DocumentFaultError: at the line of the `out_idx` where that leaves out what the kernel
    writes, else at the reference's.
    """
    if _accepts(reference, len(given)):
        return
    inputs = f"{len(given)} inputs" if len(given) != 1 else "one input"
    message = f"the kernel has {inputs} ({signature.names(given)}){_takes(reference)}"
    left_out = signature.left_out()
    if signature.declared is not None and left_out:
        names = signature.names(left_out)
        raise signature.misuse(f"{_written(signature)} does not name {names}, so {message}")
    line = first_line(reference, signature.source.path)
    raise DocumentFaultError(f"{message}. Give it a parameter for each input", line)


def out_idx_line(text: str, kernel: str) -> int | None:
    """The line of a kernel's `out_idx=`, from 1; None where the text has none for it."""
    found = None
    for node in ast.walk(ast.parse(text)):
        if _defines(node, kernel):
            found = _keyword_line(node) or found
    return found


def _defines(node: ast.AST, name: str) -> bool:
    if isinstance(node, ast.Assign):
        return any(isinstance(target, ast.Name) and target.id == name for target in node.targets)
    return isinstance(node, ast.FunctionDef) and node.name == name


def _keyword_line(definition: ast.AST) -> int | None:
    keywords = [node for node in ast.walk(definition) if isinstance(node, ast.keyword)]
    return next((k.value.lineno for k in keywords if k.arg == "out_idx"), None)


def _written(signature: Signature) -> str:
    return f"out_idx={list(signature.declared or ())}"


def _accepts(reference: Reference, count: int) -> bool:
    try:
        inspect.signature(reference).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True  # a built-in without a signature says itself what it lacks
    return True


def _takes(reference: Reference | None) -> str:
    try:
        names = list(inspect.signature(reference).parameters) if reference is not None else []
    except ValueError:
        return ""
    if reference is None:
        return ""
    name = getattr(reference, "__name__", "the reference")
    return f"; {name} takes {len(names)} ({', '.join(names)})"
