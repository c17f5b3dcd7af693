"""Checks of attention's scores: scaled where the reference scales them."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping

from workbench.core.doctor.checks.softmax import EXPONENTIALS
from workbench.core.doctor.checks.statements import Write, reads_by_node, writes_of
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, buffer_of

_ROOTS = frozenset({"sqrt", "rsqrt"})
_SCALED = frozenset({"scaled_dot_product_attention"})


def unscaled_scores(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """A product that goes into a softmax as it is, where the reference scales it."""
    scaling = _reference_scaling(facts, module)
    if scaling is None:
        return
    reads = reads_by_node(facts)
    writes = writes_of(facts, module)
    exponents = [_in_exponents(w, facts, reads) for w in writes]
    for product in facts.products():
        scores = buffer_of(product.operand(2, "C"))
        inputs = {scores, buffer_of(product.operand(0, "A")), buffer_of(product.operand(1, "B"))}
        related = {b for b in _related(facts, inputs) if b is not None}
        copies = _copies_of(facts, scores) if scores is not None else set()
        if scores is None or not any(copies & each for each in exponents):
            continue
        if any(_multiplies(w) for w in writes if (w.reads | {w.buffer}) & related):
            continue
        message = (
            f"The reference scales the scores ({scaling}); here {scores.name} goes into the "
            "exponential as the product gives it."
        )
        yield Finding(product.node, message)
        return


def _reference_scaling(facts: KernelFacts, module: Module) -> str | None:
    """How the reference of a softmax scales its scores, in its own words."""
    function = next((f for f in module.functions if f.name == facts.kernel.reference), None)
    if function is None:
        return None
    names = {
        str(getattr(node, "attr", getattr(node, "id", "")))
        for node in ast.walk(function)
        if isinstance(node, (ast.Attribute, ast.Name))
    }
    if names & _SCALED:
        return "scaled_dot_product_attention divides by the root of the head's size"
    if not names & {"softmax", "exp", "exp2"}:
        return None
    return next((ast.unparse(node) for node in ast.walk(function) if _is_root(node)), None)


def _is_root(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Pow):
        return ast.unparse(node.right) in {"-0.5", "0.5", "(-0.5)"}
    name = getattr(node.func, "attr", None) if isinstance(node, ast.Call) else None
    return name in _ROOTS


def _in_exponents(
    write: Write, facts: KernelFacts, reads: Mapping[int, set[Buffer]]
) -> set[Buffer]:
    """What the exponents of a statement read."""
    return {
        buffer
        for node in ast.walk(write.value)
        if isinstance(node, ast.Call) and facts.names.last(node.func) in EXPONENTIALS
        for each in ast.walk(node)
        for buffer in reads.get(id(each), ())
    }


def _multiplies(write: Write) -> bool:
    """Whether a statement multiplies or divides, indices left out, or calls something unknown."""
    if isinstance(write.operator, (ast.Mult, ast.Div)):
        return True
    return any(
        isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))
        for node in _outside_indices(write.value)
    )


def _outside_indices(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if not isinstance(node, ast.Subscript):
        for child in ast.iter_child_nodes(node):
            yield from _outside_indices(child)


def _copies_of(facts: KernelFacts, buffer: Buffer) -> set[Buffer]:
    found = {buffer}
    for op in facts.named("copy"):
        if buffer_of(op.operand(0, "src")) in found:
            target = buffer_of(op.operand(1, "dst"))
            found |= {target} if target is not None else set()
    return found


def _related(facts: KernelFacts, buffers: Iterable[Buffer | None]) -> set[Buffer | None]:
    """Buffers with those that they are copied from and to."""
    found = set(buffers)
    for _ in range(2):
        for op in facts.named("copy"):
            sides = {buffer_of(op.operand(0, "src")), buffer_of(op.operand(1, "dst"))}
            found |= sides if sides & found else set()
    return found
