"""Control flow of a PTX entry: what a branch decides about."""

from __future__ import annotations

from workbench.engine.analysis.ptx import Entry

_ENDS = ("ret", "exit", "trap")


def uncertain_region(entry: Entry, branch: int) -> set[int]:
    """The instructions that run or not by a branch: those before all its ways have met again."""
    meeting = _meeting(entry, branch)
    region: set[int] = set()
    waiting = [index for index in successors(entry, branch) if index != meeting]
    while waiting:
        index = waiting.pop()
        if index in region:
            continue
        region.add(index)
        waiting.extend(each for each in successors(entry, index) if each != meeting)
    return region


def successors(entry: Entry, index: int) -> list[int]:
    """Where control may go from an instruction; the number of instructions is the end."""
    each, end = entry.instructions[index], len(entry.instructions)
    onward = [index + 1] if index < end else []
    if each.op[0] in _ENDS:
        return [end] if each.guard is None else [*onward, end]
    if each.target is not None:
        return [each.target] if each.guard is None else [*onward, each.target]
    return onward


def _meeting(entry: Entry, branch: int) -> int:
    """The first instruction that every way from the branch to the end passes."""
    chains = [_passed_by_all(entry, index) for index in successors(entry, branch)]
    common = set(chains[0]).intersection(*chains[1:])
    return next((index for index in chains[0] if index in common), len(entry.instructions))


def _passed_by_all(entry: Entry, start: int) -> list[int]:
    """The post-dominators of an instruction from it on, nearest first."""
    parents = _post_dominators(entry)
    chain, index = [], start
    while index not in chain:
        chain.append(index)
        index = parents.get(index, len(entry.instructions))
    return chain


def _post_dominators(entry: Entry) -> dict[int, int]:
    """The immediate post-dominator of each instruction that reaches the end."""
    end = len(entry.instructions)
    before: dict[int, list[int]] = {}
    for index in range(end):
        for after in successors(entry, index):
            before.setdefault(after, []).append(index)
    order = _from_end(before, end)
    rank = {index: place for place, index in enumerate(order)}
    parents = {end: end}
    changed = True
    while changed:
        changed = False
        for index in order[1:]:
            known = [each for each in successors(entry, index) if each in parents]
            nearest = known[0]
            for other in known[1:]:
                nearest = _common(nearest, other, parents, rank)
            if parents.get(index) != nearest:
                parents[index], changed = nearest, True
    return parents


def _common(a: int, b: int, parents: dict[int, int], rank: dict[int, int]) -> int:
    while a != b:
        while rank[a] > rank[b]:
            a = parents[a]
        while rank[b] > rank[a]:
            b = parents[b]
    return a


def _from_end(before: dict[int, list[int]], end: int) -> list[int]:
    """Instructions in reverse postorder of the reversed graph, the end first."""
    seen, done = {end}, []
    stack = [(end, iter(before.get(end, ())))]
    while stack:
        index, ways = stack[-1]
        for way in ways:
            if way not in seen:
                seen.add(way)
                stack.append((way, iter(before.get(way, ()))))
                break
        else:
            done.append(index)
            stack.pop()
    return done[::-1]
