"""Kernels with one mistake: made from right ones by changing one place of their text.

A place is found in the syntax tree of the kernel's own function, so that each mutant is what a
person might have written. Each kind of mistake is a function in `KINDS`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from small_kernels import SmallKernel, built, small_kernels, verified

from workbench.core.diagnostics import Severity

Change = tuple[ast.AST, str]  # a node, and what stands in its place
_PER_KERNEL = 2  # mutants of one kind from one kernel
_PER_KIND = 20  # of one kind from all kernels
_ALL_OF = "dropped sync"  # of which each is another question
_ALLOCATIONS = ("alloc_shared", "alloc_fragment", "alloc_local")
_LOOPS = ("serial", "Pipelined", "Parallel", "vectorized")
_WAITS = ("sync_threads", "barrier_wait", "barrier_arrive")
_COPIES = ("copy", "tma_copy")
_OPERATORS: dict[type, str] = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*"}
_COMPARISONS: dict[type, str] = {ast.Lt: "<=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "=="}


class Text:
    """A kernel's text, with its syntax tree and the place of each node in it."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._starts = [0]
        for line in text.splitlines(keepends=True):
            self._starts.append(self._starts[-1] + len(line))
        self.function = next(
            node
            for node in ast.walk(ast.parse(text))
            if isinstance(node, ast.FunctionDef)
            and any("prim_func" in ast.unparse(each) for each in node.decorator_list)
        )

    def of(self, node: ast.AST) -> str:
        """What stands for a node."""
        start, end = self._span(node)
        return self.text[start:end]

    def with_change(self, change: Change) -> str:
        """The text with another in a node's place."""
        start, end = self._span(change[0])
        return self.text[:start] + change[1] + self.text[end:]

    def _span(self, node: Any) -> tuple[int, int]:
        return (
            self._starts[node.lineno - 1] + node.col_offset,
            self._starts[node.end_lineno - 1] + node.end_col_offset,
        )

    @cached_property
    def nodes(self) -> list[ast.AST]:
        """All nodes of the function's body in the order of their places."""
        found = [n for part in self.function.body for n in ast.walk(part) if hasattr(n, "lineno")]
        return sorted(found, key=self._span)

    @cached_property
    def parameters(self) -> set[str]:
        """The names of the tensors in global memory."""
        return {each.arg for each in self.function.args.args}

    @cached_property
    def buffers(self) -> dict[str, str]:
        """How each buffer on the chip is allocated."""
        return {
            self.of(node.targets[0]): self.of(node.value)
            for node in self.nodes
            if isinstance(node, ast.Assign) and called(node.value) in _ALLOCATIONS
        }

    @cached_property
    def indexing(self) -> set[int]:
        """The identities of all nodes that are part of an index, a size, or a loop's bound."""
        holders = [
            node.slice if isinstance(node, ast.Subscript) else node
            for node in self.nodes
            if isinstance(node, ast.Subscript) or called(node) in (*_ALLOCATIONS, *_LOOPS, "Kernel")
        ]
        return {id(each) for holder in holders for each in ast.walk(holder)}

    def alike(self, name: str) -> str | None:
        """Another buffer that is allocated in the same words, None where there is none."""
        own = self.buffers.get(name)
        others = [each for each, how in self.buffers.items() if how == own and each != name]
        return others[0] if own is not None and others else None


def called(node: Any) -> str:
    """The name of the function that a node calls, without its module; "" for other nodes."""
    if not isinstance(node, ast.Call):
        return ""
    name = node.func
    return name.attr if isinstance(name, ast.Attribute) else getattr(name, "id", "")


def _indices(node: ast.Subscript) -> list[ast.expr]:
    return node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]


def wrong_offset(text: Text) -> Iterator[Change]:
    """A tile or an element begins one too far."""
    for node in text.nodes:
        for index in _indices(node) if isinstance(node, ast.Subscript) else ():
            if isinstance(index, ast.BinOp) and isinstance(index.op, (ast.Mult, ast.Add)):
                yield index, f"{text.of(index)} + 1"
            elif isinstance(index, ast.Slice) and index.lower is not None:
                lower, upper = text.of(index.lower), text.of(index.upper or index.lower)
                yield index, f"{lower} + 1 : {upper} + 1"


def missing_clear(text: Text) -> Iterator[Change]:
    """A buffer is not set to a value before something is added to it or compared with it."""
    for node in text.nodes:
        if isinstance(node, ast.Expr) and called(node.value) in ("clear", "fill"):
            yield node, "pass"


def wrong_transpose(text: Text) -> Iterator[Change]:
    """A factor is taken as it lies where it should be transposed, or the other way round."""
    for node in text.nodes:
        if isinstance(node, ast.Call) and called(node) == "gemm":
            flags = [each for each in node.keywords if str(each.arg).startswith("transpose")]
            for flag in flags:
                yield flag.value, "False"
            for name in ("transpose_A", "transpose_B"):
                if name not in [each.arg for each in flags]:
                    yield node.args[2], f"{text.of(node.args[2])}, {name}=True"


def swapped_index(text: Text) -> Iterator[Change]:
    """Two indices have changed places."""
    for node in text.nodes:
        if isinstance(node, ast.Subscript):
            parts = [text.of(each) for each in _indices(node)]
            if len(parts) > 1 and parts[0] != parts[1] and ":" not in parts[0] + parts[1]:
                yield node.slice, ", ".join([parts[1], parts[0], *parts[2:]])
        names = node.optional_vars if isinstance(node, ast.withitem) else None
        if isinstance(node, ast.With) and called(node.items[0].context_expr) == "Kernel":
            names = node.items[0].optional_vars
        if isinstance(names, ast.Tuple) and len(names.elts) > 1:
            ids = [text.of(each) for each in names.elts]
            yield names, f"({', '.join([ids[1], ids[0], *ids[2:]])})"


def dropped_sync(text: Text) -> Iterator[Change]:
    """Threads no longer wait for each other, or no longer tell that others may go on."""
    for node in text.nodes:
        if isinstance(node, ast.Expr) and called(node.value) in _WAITS:
            yield node, "pass"


def wrong_bound(text: Text) -> Iterator[Change]:
    """A loop runs once too rarely or too often."""
    for node in text.nodes:
        if isinstance(node, ast.For) and called(node.iter) in _LOOPS:
            call = node.iter
            assert isinstance(call, ast.Call)
            last = call.args[-1]
            yield last, f"{text.of(last)} - 1"
            if called(call) in ("serial", "Pipelined"):
                yield last, f"{text.of(last)} + 1"


def wrong_grid(text: Text) -> Iterator[Change]:
    """There is a block too few, or a division leaves out the last one."""
    for node in text.nodes:
        if called(node) == "Kernel":
            assert isinstance(node, ast.Call)
            for size in node.args:
                if called(size) == "ceildiv":
                    assert isinstance(size, ast.Call)
                    yield size, " // ".join(text.of(each) for each in size.args)
                yield size, f"{text.of(size)} - 1"


def wrong_dimension(text: Text) -> Iterator[Change]:
    """A reduction or a scan goes along the other dimension."""
    for node in text.nodes:
        for flag in node.keywords if isinstance(node, ast.Call) else ():
            if flag.arg == "dim":
                yield flag.value, "0" if text.of(flag.value) == "1" else "1"


def flipped_flag(text: Text) -> Iterator[Change]:
    """What was there before is kept where it should be dropped, or dropped where it is needed."""
    for node in text.nodes:
        if not isinstance(node, ast.Call):
            continue
        known = {each.arg: each.value for each in node.keywords}
        if "clear" in known:
            yield known["clear"], "True" if text.of(known["clear"]) == "False" else "False"
        elif called(node).startswith("reduce_"):
            yield node.args[1], f"{text.of(node.args[1])}, clear=False"
        elif called(node) == "gemm":
            yield node.args[2], f"{text.of(node.args[2])}, clear_accum=True"


def missing_cast(text: Text) -> Iterator[Change]:
    """A value is computed with in the type in which it was stored."""
    for node in text.nodes:
        if isinstance(node, ast.Call) and called(node) == "cast" and len(node.args) == 2:
            yield node, text.of(node.args[0])
        if isinstance(node, ast.Call) and called(node) == "astype":
            assert isinstance(node.func, ast.Attribute)
            yield node, text.of(node.func.value)


def wrong_operand(text: Text) -> Iterator[Change]:
    """Another buffer of the same form is read or written."""
    for node in text.nodes:
        if isinstance(node, ast.Call) and called(node) == "gemm":
            first, second = (text.of(each) for each in node.args[:2])
            yield node.args[0], second
            yield node.args[1], first
        if isinstance(node, ast.Name) and node.id in text.buffers:
            other = text.alike(node.id)
            if other is not None and not _is_allocated(text, node):
                yield node, other


def _is_allocated(text: Text, name: ast.Name) -> bool:
    return any(
        isinstance(node, ast.Assign) and name in node.targets and called(node.value) in _ALLOCATIONS
        for node in text.nodes
    )


def wrong_operator(text: Text) -> Iterator[Change]:
    """A sum instead of a difference or a product, or the other way round."""
    for node in text.nodes:
        if id(node) in text.indexing:
            continue
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
            sign = _OPERATORS[type(node.op)]
            yield node, f"({text.of(node.left)} {sign} {text.of(node.right)})"
        if isinstance(node, ast.AugAssign):
            yield node, f"{text.of(node.target)} = {text.of(node.value)}"


def dropped_write_back(text: Text) -> Iterator[Change]:
    """A result, or a step on its way, is not stored."""
    for node in text.nodes:
        if isinstance(node, ast.Expr) and called(node.value) in _COPIES:
            yield node, "pass"
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Subscript):
            yield node, "pass"


def wrong_guard(text: Text) -> Iterator[Change]:
    """A boundary is off by one, or not looked at."""
    for node in text.nodes:
        if isinstance(node, ast.Compare) and type(node.ops[0]) in _COMPARISONS:
            sign = _COMPARISONS[type(node.ops[0])]
            yield node, f"{text.of(node.left)} {sign} {text.of(node.comparators[0])}"
        if isinstance(node, ast.If):
            yield node.test, "True"
        if isinstance(node, ast.Call) and called(node) == "if_then_else":
            yield node, text.of(node.args[1])


Kind = Callable[[Text], Iterator[Change]]
KINDS: dict[str, Kind] = {
    "wrong offset": wrong_offset,
    "missing clear": missing_clear,
    "wrong transpose": wrong_transpose,
    "swapped index": swapped_index,
    "dropped sync": dropped_sync,
    "wrong loop bound": wrong_bound,
    "wrong grid": wrong_grid,
    "wrong dimension": wrong_dimension,
    "flipped clear flag": flipped_flag,
    "missing cast": missing_cast,
    "wrong operand": wrong_operand,
    "wrong operator": wrong_operator,
    "dropped write": dropped_write_back,
    "wrong guard": wrong_guard,
}


@dataclass(frozen=True)
class Mutant:
    """A kernel with one mistake: `before` stood at `line`, where `after` stands now."""

    small: SmallKernel = field(repr=False)
    kind: str
    line: int
    before: str
    after: str
    text: str = field(repr=False)

    @property
    def key(self) -> str:
        """What tells it from all others, for reading."""
        return f"{self.small.name}:{self.line}: {self.kind}: {self.before} -> {self.after}"


@dataclass(frozen=True)
class Outcome:
    """How a mutant is noticed: by a "finding", a "mismatch", or "refused" where it is not built.

    "same": the front end makes the same program of it as of the original; "explained": it is right
    all the same, or right to within the tolerance, and `EXPLAINED` says why; else "missed".
    """

    how: str
    codes: tuple[str, ...]


def mutants() -> tuple[Mutant, ...]:
    """All mutants, ordered by kind and kernel: of each kind some, from different kernels."""
    texts = [(small, Text(small.text)) for small in small_kernels()]
    chosen: list[Mutant] = []
    for kind, changes in KINDS.items():
        found: dict[str, Mutant] = {}
        for small, text in texts:
            for change in _spread(list(changes(text)), 99 if kind == _ALL_OF else _PER_KERNEL):
                made = _mutant(small, text, kind, change)
                found.setdefault(made.key, made)
        chosen += _spread(list(found.values()), 99 if kind == _ALL_OF else _PER_KIND)
    return tuple(chosen)


def _spread(items: list[Any], count: int) -> list[Any]:
    """At most so many items, evenly over all of them."""
    if len(items) <= count:
        return items
    return [items[at * len(items) // count] for at in range(count)]


def _mutant(small: SmallKernel, text: Text, kind: str, change: Change) -> Mutant:
    before = " ".join(text.of(change[0]).split())
    after = " ".join(change[1].split())
    line = int(getattr(change[0], "lineno", 0))
    return Mutant(small, kind, line, before, after, text.with_change(change))


def outcome_of(mutant: Mutant, folder: Path) -> Outcome:
    """Verify a mutant with all checks."""
    result = verified(mutant.small, mutant.text, folder)
    told = [d for d in result.diagnostics if d.severity is not Severity.INFO]
    codes = tuple(dict.fromkeys(each.code for each in told))
    if result.failure is not None:
        return Outcome("refused", ())  # in whose words is another matter
    if set(codes) - {"reference-mismatch"}:
        return Outcome("finding", codes)
    if codes:
        return Outcome("mismatch", codes)
    if _is_same_program(mutant, folder):
        return Outcome("same", ())
    return Outcome("explained" if reason_of(mutant.key) else "missed", ())


def _is_same_program(mutant: Mutant, folder: Path) -> bool:
    import tilelang  # noqa: F401 - it brings its own tvm
    from tvm import ir

    functions = [built(mutant.small, text, folder)[0] for text in (mutant.small.text, mutant.text)]
    return bool(ir.structural_equal(*functions))


_INSERTED = "TileLang's own pass inserts the barrier: the lowered code has as many as before"
_COMMUTE = "atomic additions on both sides may come in any order"
_SHIFT = (
    "the maximum only keeps exponents in range: with scores as small as these any number for a row "
    "cancels between the weights and their sum"
)
_WHOLE = "whole numbers up to 15, which either type holds exactly"
_ALL_LANES = "after the reduction all lanes hold the same sum, so that any of them may store it"
EXPLAINED: dict[str, str] = {
    "atomic_f32_shared:29: dropped sync": _INSERTED,
    "atomic_f32_shared:32: dropped sync": _INSERTED,
    "atomic_i32_strided:28: dropped sync": _INSERTED,
    "atomic_i32_strided:30: dropped sync": _COMMUTE,
    "atomic_i32_strided:32: dropped sync": _COMMUTE,
    "atomic_i32_strided:35: dropped sync": _INSERTED,
    "copy_vectors_96:28: dropped sync": _INSERTED,
    "gather_shared:32: dropped sync": _INSERTED,
    "half_vectors:29: dropped sync": "each thread reads what it has written itself",
    "histogram_shared:28: dropped sync": _INSERTED,
    "histogram_shared:31: dropped sync": _INSERTED,
    "strided_shared:28: dropped sync": _INSERTED,
    "strided_stores_96:27: dropped sync": _INSERTED,
    "transpose_f16_padded:30: dropped sync": _INSERTED,
    "transpose_f64:30: dropped sync": _INSERTED,
    "transpose_f64_padded:30: dropped sync": _INSERTED,
    "transpose_int8:30: dropped sync": _INSERTED,
    "dequant_int4:38: missing cast": _WHOLE,
    "dequant_int4:39: missing cast": _WHOLE,
    "attention_causal_sm90:59: wrong dimension": _SHIFT,
    "attention_sm90:57: wrong dimension": _SHIFT,
    "gqa_decode_sm90:57: wrong dimension": _SHIFT,
    "benchmarks/attention.py:52: wrong dimension": _SHIFT,
    "gqa_decode_sm90:54: flipped clear flag": "the statement before has just cleared it",
    "rms_norm:36: wrong operator": "epsilon is a millionth of a row's mean square",
    "kernels/rms_norm.py:48: wrong operator": "epsilon is a millionth of a row's mean square",
    "conv2d_sm90:48: wrong guard": "TileLang guards the read of the row behind the last, which "
    "gives the zero that the padding wants",
    "gemv_f16:53: wrong guard": _ALL_LANES,
    "gqa_decode_sm90:46: wrong guard": "the rows beyond the group are never stored",
}


def reason_of(key: str) -> str | None:
    """Why a mutant is right all the same; None where nobody has found out."""
    return next((why for start, why in EXPLAINED.items() if key.startswith(start)), None)


def is_put_back(key: str) -> bool:
    """Whether a dropped barrier is explained by TileLang's inserting one."""
    return reason_of(key) == _INSERTED


def barriers_of(small: SmallKernel, text: str, folder: Path) -> int:
    """How many barriers of a block the lowered source of a text has."""
    import tilelang

    function, target = built(small, text, folder)
    with target:
        return str(tilelang.lower(function, target=target).kernel_source).count("__syncthreads")


_COLUMNS = ("finding", "mismatch", "refused", "same", "explained", "missed")


def table(outcomes: dict[str, str]) -> str:
    """The outcomes of mutants by kind, as Markdown; `outcomes` has how by the mutants' keys."""
    counts = {kind: dict.fromkeys(_COLUMNS, 0) for kind in KINDS}
    for key, how in outcomes.items():
        counts[key.split(": ")[1]][how] += 1
    counts["all"] = {name: sum(row[name] for row in counts.values()) for name in _COLUMNS}
    lines = [f"| kind | mutants | {' | '.join(_COLUMNS)} |", "|---" * (len(_COLUMNS) + 2) + "|"]
    for kind, row in counts.items():
        numbers = [sum(row.values()), *row.values()]
        lines.append(f"| {kind} | {' | '.join(map(str, numbers))} |")
    return "\n".join(lines)


def explanations(outcomes: dict[str, str]) -> str:
    """The mutants that are explained, by reason, as Markdown."""
    found: dict[str, list[str]] = {}
    for key, how in outcomes.items():
        if how == "explained":
            found.setdefault(reason_of(key) or "", []).append(":".join(key.split(":")[:2]))
    rows = [f"| {why} | {', '.join(f'`{each}`' for each in at)} |" for why, at in found.items()]
    return "\n".join(["| explained | mutants |", "|---|---|", *rows])
