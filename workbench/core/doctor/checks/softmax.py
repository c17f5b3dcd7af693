"""Checks of a softmax in pieces: its running sums follow the maximum when that grows."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from workbench.core.doctor.checks.statements import Write, reads_by_node, writes_of
from workbench.core.doctor.facts import REDUCTIONS, KernelFacts, Loop, LoopKind, Operation
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module
from workbench.core.doctor.values import Buffer, buffer_of

EXPONENTIALS = frozenset({"exp", "exp2", "exp10", "__exp", "__exp2"})
_LOGARITHMS = frozenset({"log", "log2", "log10", "log1p", "__log"})
_MAXIMA = frozenset({"reduce_max", "reduce_absmax"})
_PRODUCTS = frozenset({"gemm", "wgmma_gemm", "tcgen05_gemm"})
_COPIES = frozenset({"copy"})
_KNOWN = REDUCTIONS | _PRODUCTS | _COPIES | {"clear", "fill"}


class _Flow:
    """The statements of one loop, and what comes of exponentials of a distance to a maximum."""

    def __init__(self, facts: KernelFacts, module: Module, loop: Loop) -> None:
        self._names = facts.names
        self._reads = reads_by_node(facts)
        self.writes = [w for w in writes_of(facts, module) if loop in w.access.loops]
        self.operations = [each for each in facts.operations if loop in each.loops]
        self.maxima = self._maxima()
        self.terms = self._closure(self._exponentials())

    def _maxima(self) -> set[Buffer]:
        """What holds a maximum, and copies of it."""
        found = {
            b
            for op in self.operations
            if op.name in _MAXIMA and (b := buffer_of(op.operand(1, "out"))) is not None
        }
        return self._spread(found) if found else found

    def _spread(self, found: set[Buffer]) -> set[Buffer]:
        """With what is copied, or made of nothing else but by an exponential."""
        for _ in range(len(self.operations) + len(self.writes)):
            more = {
                target
                for op in self.operations
                if op.name in _COPIES
                and buffer_of(op.operand(0, "src")) in found
                and (target := buffer_of(op.operand(1, "dst"))) is not None
            }
            more |= {w.buffer for w in self.writes if self._only(w, found)}
            if more <= found:
                break
            found = found | more
        return found

    def _only(self, write: Write, buffers: set[Buffer]) -> bool:
        made = bool(write.reads) and write.reads <= buffers
        return made and not any(True for _ in self.calls(write.value, EXPONENTIALS))

    def _exponentials(self) -> set[Buffer]:
        """What holds exp(score - maximum)."""
        found = set()
        for write in self.writes:
            for call in self.calls(write.value, EXPONENTIALS):
                reads = self.reads_of(call)
                if reads & self.maxima and not reads <= self.maxima:
                    found.add(write.buffer)
        return found

    def _closure(self, found: set[Buffer]) -> set[Buffer]:
        """With what is made of it by copies, sums and products, until it is divided or logged."""
        while found:
            more = {b for op in self.operations for b in _made(op, found)}
            more |= {w.buffer for w in self.writes if w.reads & found and not self.ends(w, found)}
            if more - self.maxima <= found:
                break
            found = found | (more - self.maxima)
        return found

    def ends(self, write: Write, found: set[Buffer]) -> bool:
        """Whether a statement normalises: it divides by such a sum or takes its logarithm."""
        divided = isinstance(write.operator, ast.Div) and bool(write.reads & found)
        return divided or any(
            (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
             and bool(self.reads_of(node.right) & found))
            or (isinstance(node, ast.Call) and self._names.last(node.func) in _LOGARITHMS)
            for node in ast.walk(write.value)
        )  # fmt: skip

    def calls(self, value: ast.AST, names: frozenset[str]) -> Iterator[ast.Call]:
        """The calls of functions of TileLang by these names."""
        for node in ast.walk(value):
            if isinstance(node, ast.Call) and self._names.last(node.func) in names:
                yield node

    def reads_of(self, node: ast.AST) -> set[Buffer]:
        """The buffers that an expression reads."""
        return {b for each in ast.walk(node) for b in self._reads.get(id(each), ())}


def rescaling(facts: KernelFacts, module: Module) -> Iterator[Finding]:
    """Sums over the turns of a loop of exp(score - maximum), whose maximum grows with the turns."""
    told: set[Buffer] = set()
    for loop in _loops_of_maxima(facts):
        flow = _Flow(facts, module, loop)
        for buffer, node in _sums(flow):
            known = buffer in facts.buffers and buffer not in facts.escaped
            if not known or buffer in told or _is_set(flow, buffer) or _is_scaled(flow, buffer):
                continue
            told.add(buffer)
            running = next(iter(sorted(b.name for b in flow.maxima)))
            message = (
                f"{buffer.name} adds up exp(score - maximum) over the turns of this loop, and the "
                f"maximum ({running}) grows: what {buffer.name} holds was taken against an older "
                f"one. Multiply {buffer.name} by exp(old maximum - new maximum) in each turn, "
                "before the next term is added."
            )
            yield Finding(node, message)


def _loops_of_maxima(facts: KernelFacts) -> list[Loop]:
    """The innermost loops over time around the operations that find a maximum."""
    found = []
    for operation in facts.named(*_MAXIMA):
        loops = [loop for loop in operation.loops if loop.kind is not LoopKind.PARALLEL]
        found += loops[-1:]
    return list(dict.fromkeys(found))


def _sums(flow: _Flow) -> Iterator[tuple[Buffer, ast.AST]]:
    """What terms are added to, and where."""
    for op in flow.operations:
        target = None
        if op.name in _PRODUCTS and op.flag("clear_accum", 6) is False:
            operands = {buffer_of(op.operand(0, "A")), buffer_of(op.operand(1, "B"))}
            target = buffer_of(op.operand(2, "C")) if operands & flow.terms else None
        elif op.name == "reduce_sum" and op.operand(3, "clear") is False:
            source = buffer_of(op.operand(0, "buffer"))
            target = buffer_of(op.operand(1, "out")) if source in flow.terms else None
        if target is not None:
            yield target, op.node
    for write in flow.writes:
        others = set(write.reads - {write.buffer}) & flow.terms
        is_sum = write.access.accumulates and write.buffer not in flow.maxima
        if is_sum and others and not flow.ends(write, others):
            yield write.buffer, write.access.node


def _is_set(flow: _Flow, buffer: Buffer) -> bool:
    """Whether the loop sets a buffer anew, or does something to it that nobody knows."""
    for op in flow.operations:
        values = (*op.arguments, *op.keywords.values())
        if not any(buffer_of(value) is buffer for value in values):
            continue
        if op.name not in _KNOWN or _overwrites(op, buffer):
            return True
    return any(w.buffer is buffer and not w.access.accumulates for w in flow.writes)


def _overwrites(op: Operation, buffer: Buffer) -> bool:
    if op.name in {"clear", "fill"}:
        return True
    if op.name in _PRODUCTS:
        written = buffer_of(op.operand(2, "C")) is buffer
        return written and op.flag("clear_accum", 6) is not False
    target = buffer_of(op.operand(1, "dst" if op.name in _COPIES else "out"))
    return target is buffer and (op.name in _COPIES or op.operand(3, "clear") is not False)


def _is_scaled(flow: _Flow, buffer: Buffer) -> bool:
    """Whether the loop multiplies what a buffer holds."""
    for write in flow.writes:
        if write.buffer is not buffer:
            continue
        if isinstance(write.operator, (ast.Mult, ast.Div)):
            return True
        for node in ast.walk(write.value):
            is_product = isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Mult, ast.Div))
            if (is_product or isinstance(node, ast.Call)) and buffer in flow.reads_of(node):
                return True
    return False


def _made(op: Operation, terms: set[Buffer]) -> Iterator[Buffer]:
    """What an operation makes of terms."""
    if op.name in _PRODUCTS:
        sources = {buffer_of(op.operand(0, "A")), buffer_of(op.operand(1, "B"))}
        target = buffer_of(op.operand(2, "C"))
    elif op.name in _COPIES or op.name in REDUCTIONS:
        sources = {buffer_of(op.operand(0, "src" if op.name in _COPIES else "buffer"))}
        target = buffer_of(op.operand(1, "dst" if op.name in _COPIES else "out"))
    else:
        return
    if target is not None and sources & terms:
        yield target
