"""Fixes that give a block other threads, a product another policy, or tiles another size."""

from __future__ import annotations

import ast
import math
import re
from collections.abc import Iterable, Iterator

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity
from workbench.core.doctor.checks.products import partition, products_of
from workbench.core.doctor.edits import drop_line, replace_node, set_keyword, set_values
from workbench.core.doctor.facts import KernelFacts, Launch
from workbench.core.doctor.fixes.situation import Situation
from workbench.core.doctor.fixes.syntax import enclosing, language
from workbench.core.doctor.values import Buffer, bits_of

_POLICY = re.compile(r"policy=T\.GemmWarpPolicy\.(\w+)")
_THREADS = re.compile(r"threads=(\d+)")
_FACTORS = (1, 2, 4, 8)
_MOST = 3


def agreeing(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The policies and thread counts with which the kernel was seen to lower."""
    for choice in _strings(diagnostic.evidence.get("agree")):
        policy, threads = _POLICY.search(choice), _THREADS.search(choice)
        count = int(threads[1]) if threads is not None else None
        name = policy[1] if policy is not None else None
        for facts in situation.facts_at(_line(diagnostic)):
            edits = _edits(situation, facts, count, name)
            if edits:
                yield Fix(_title(count, name), tuple(edits), _is_literal(situation, edits))
                break


def other_threads(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """The thread counts that a finding names, the nearest first."""
    counts = diagnostic.evidence.get("threads") or diagnostic.evidence.get("legal_threads")
    numbers = [n for n in counts if type(n) is int] if isinstance(counts, (list, tuple)) else []
    for facts in situation.facts_at(_line(diagnostic)):
        launch = _launch(facts)
        present = launch.threads if launch is not None else None
        if type(present) is not int:
            continue
        nearest = sorted(numbers, key=lambda n: (n == present, abs(n - present), n))
        for count in [n for n in nearest if n != present][:_MOST]:
            edits = _edits(situation, facts, count, None)
            if edits:
                yield Fix(_title(count, None), tuple(edits))
        return


def larger_tiles(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Tiles of a product, named by arguments, that the present warps can share."""
    for facts in situation.facts_at(_line(diagnostic)):
        launch = _launch(facts)
        if launch is None or type(launch.threads) is not int:
            continue
        for product in products_of(facts):
            m, n = product.stored_c
            if (
                type(m) is not int
                or type(n) is not int
                or not _is_at(product.operation.node, diagnostic)
            ):
                continue
            for rows, columns in _sizes(facts, m, n, launch.threads):
                made = _resized(situation, product.c, (m, n), (rows, columns))
                if made is not None and _helps(situation, made, diagnostic.code):
                    yield made
                    return


def _sizes(facts: KernelFacts, m: int, n: int, threads: int) -> list[tuple[int, int]]:
    warp = min((t.arch.limits.warp_size or 32 for t in facts.on_gpu()), default=32)
    found = [
        (m * i, n * j)
        for i in _FACTORS
        for j in _FACTORS
        if partition(m * i, n * j, threads // warp) is not None
    ]
    return sorted(found, key=lambda size: (size[0] * size[1], abs(size[0] - size[1])))[:_MOST]


def _resized(
    situation: Situation, tile: Buffer, old: tuple[int, int], new: tuple[int, int]
) -> Fix | None:
    shape = tile.shape_node
    nodes = shape.elts if isinstance(shape, (ast.Tuple, ast.List)) else []
    changes: dict[str, tuple[Edit, ...]] = {}
    for node, before, after in zip(nodes, old, new, strict=False):
        if before == after:
            continue
        # A literal would have to be changed in every tile: only a name is one place.
        edits = set_values(situation.module, node, before, str(after)) if _is_name(node) else ()
        if not edits:
            return None
        changes[f"{ast.unparse(node)}={after}"] = edits
    if not changes:
        return None
    said = " and ".join(changes)
    return Fix(f"Use a tile of {new[0]} x {new[1]} ({said})", tuple(_once(changes.values())))


def _is_name(node: ast.expr) -> bool:
    return isinstance(node, ast.Name)


def _once(groups: Iterable[tuple[Edit, ...]]) -> list[Edit]:
    return list(dict.fromkeys(edit for group in groups for edit in group))


def _helps(situation: Situation, made: Fix, code: str) -> bool:
    """Whether a finding is gone afterwards and no new error has come."""
    after = situation.after(made)
    if after is None:
        return False
    before = {d.code for d in situation.linted if d.severity is Severity.ERROR}
    now = {d.code for d in after.linted if d.severity is Severity.ERROR}
    return code not in now and now <= before


def _edits(
    situation: Situation, facts: KernelFacts, threads: int | None, policy: str | None
) -> list[Edit]:
    """The edits of a choice; none where a part of it cannot be made."""
    edits: list[Edit] = []
    launch = _launch(facts)
    if threads is not None:
        made = thread_edits(situation, launch, threads) if launch is not None else ()
        if not made:
            return []
        edits += made
    if policy is not None:
        calls = [operation.node for operation in facts.products()]
        for call in dict.fromkeys(calls):
            text = f"{language(situation.module, call)}.GemmWarpPolicy.{policy}"
            edits.append(set_keyword(situation.module, call, "policy", 5, text))
    return edits


def thread_edits(situation: Situation, launch: Launch, count: int) -> tuple[Edit, ...]:
    """Give a launch other threads, where their number comes from."""
    node = launch.threads_node
    if node is None:
        place = len(launch.node.args)
        return (set_keyword(situation.module, launch.node, "threads", place, str(count)),)
    edits = set_values(situation.module, node, launch.threads, str(count))
    if edits or isinstance(node, ast.Name):
        return edits
    # Made of other values, which may be used elsewhere too: only here it is another number.
    return (replace_node(situation.module, node, str(count)),)


def most_threads(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """As many threads as every target can launch."""
    for facts in situation.facts_at(_line(diagnostic)):
        limits = [t.arch.limits.max_threads_per_block for t in facts.on_gpu()]
        most = min((n for n in limits if n is not None), default=0)
        launch = _launch(facts)
        edits = thread_edits(situation, launch, most) if launch is not None and most else ()
        if edits:
            yield Fix(_title(most, None), edits)
            return


def _is_literal(situation: Situation, edits: Iterable[Edit]) -> bool:
    """Whether only the kernel's own text is changed, and no case of the block."""
    lines = situation.module.lines
    return not any(lines[edit.range.line - 1].startswith("#") for edit in edits)


def _title(threads: int | None, policy: str | None) -> str:
    parts = [f"{threads} threads"] if threads is not None else []
    parts += [f"GemmWarpPolicy.{policy}"] if policy is not None else []
    return f"Use {' and '.join(parts)}"


def _strings(value: object) -> list[str]:
    return (
        [each for each in value if isinstance(each, str)]
        if isinstance(value, (list, tuple))
        else []
    )


def _launch(facts: KernelFacts) -> Launch | None:
    return facts.launches[0] if len(facts.launches) == 1 else None


def _line(diagnostic: Diagnostic) -> int | None:
    return diagnostic.range.line if diagnostic.range is not None else None


def _is_at(node: ast.AST, diagnostic: Diagnostic) -> bool:
    line = _line(diagnostic)
    return line is None or getattr(node, "lineno", 0) <= line <= getattr(node, "end_lineno", 0)


def enough_threads(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """More threads, which share a fragment that fewer have no registers for.

    Addresses and operands need registers too: a quarter is left to them.
    """
    line = _line(diagnostic)
    for facts in situation.facts_at(line):
        launch, words = _launch(facts), _words(facts, line)
        limits = [t.arch.limits for t in facts.on_gpu()]
        most = min((x.max_threads_per_block or 0 for x in limits), default=0)
        registers = min((x.max_registers_per_thread or 0 for x in limits), default=0)
        if launch is None or words is None or type(launch.threads) is not int:
            continue
        for factor in _FACTORS[1:]:
            count = launch.threads * factor
            if count > most or words // count > registers * 3 // 4:
                continue
            made = Fix(
                f"{_title(count, None)}: {words // launch.threads} → {words // count} registers "
                "of each for the tile",
                thread_edits(situation, launch, count),
            )
            if made.edits and _helps(situation, made, "warp-partition-illegal"):
                yield made
                return


def _words(facts: KernelFacts, line: int | None) -> int | None:
    """The registers that the fragment allocated at a line takes of a block."""
    for buffer in facts.buffers:
        bits = bits_of(buffer.dtype)
        if getattr(buffer.node, "lineno", None) == line and buffer.sizes and bits:
            return math.prod(buffer.sizes) * bits // 32
    return None


def without_minimum(situation: Situation, diagnostic: Diagnostic) -> Iterator[Fix]:
    """Ask for no number of resident blocks, which leaves each block all registers."""
    module = situation.module
    for facts in situation.facts_at(_line(diagnostic)):
        for operation in facts.named("annotate_min_blocks_per_sm"):
            statement = enclosing(module, operation.node)[0]
            edit = drop_line(module, statement)
            if edit is not None:
                yield Fix("Drop annotate_min_blocks_per_sm", (edit,), True)
        return
