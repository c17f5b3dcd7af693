"""Control flow of a PTX entry: what a branch decides about."""

from __future__ import annotations

from functools import cached_property

from workbench.engine.analysis.ptx import Entry

_ENDS = ("ret", "exit", "trap")


class ControlFlow:
    """The ways through an entry; where they meet is worked out once, for all branches."""

    def __init__(self, entry: Entry) -> None:
        self._entry = entry
        self._end = len(entry.instructions)

    def uncertain_region(self, branch: int) -> set[int]:
        """The instructions that run or not by a branch: those before all its ways meet again."""
        meeting = self._meeting(branch)
        region: set[int] = set()
        waiting = [index for index in successors(self._entry, branch) if index != meeting]
        while waiting:
            index = waiting.pop()
            if index in region:
                continue
            region.add(index)
            onward = successors(self._entry, index)
            waiting.extend(each for each in onward if each != meeting)
        return region

    def _meeting(self, branch: int) -> int:
        """The first instruction that every way from the branch to the end passes."""
        ways = successors(self._entry, branch)
        if any(way not in self._parents for way in ways):
            return self._end  # a way that never ends
        meeting = ways[0]
        for other in ways[1:]:
            meeting = _common(meeting, other, self._parents, self._rank)
        return meeting

    @cached_property
    def _rank(self) -> dict[int, int]:
        """The place of each instruction that reaches the end: reverse postorder from the end."""
        before: dict[int, list[int]] = {}
        for index in range(self._end):
            for after in successors(self._entry, index):
                before.setdefault(after, []).append(index)
        return {index: place for place, index in enumerate(_from_end(before, self._end))}

    @cached_property
    def _parents(self) -> dict[int, int]:
        """The immediate post-dominator of each instruction that reaches the end."""
        rank = self._rank
        parents = {self._end: self._end}
        changed = True
        while changed:
            changed = False
            for index in list(rank)[1:]:
                known = [each for each in successors(self._entry, index) if each in parents]
                nearest = known[0]
                for other in known[1:]:
                    nearest = _common(nearest, other, parents, rank)
                if parents.get(index) != nearest:
                    parents[index], changed = nearest, True
        return parents


def successors(entry: Entry, index: int) -> list[int]:
    """Where control may go from an instruction; the number of instructions is the end."""
    end = len(entry.instructions)
    if index >= end:
        return []
    each = entry.instructions[index]
    if each.op[0] in _ENDS:
        return [end] if each.guard is None else [index + 1, end]
    if each.target is not None:
        return [each.target] if each.guard is None else [each.target, index + 1]
    return [index + 1]


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
