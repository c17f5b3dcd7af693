"""Which roles do tile operations without each other, because they take turns at barriers.

Each role then does the part of an operation whose elements its threads hold. Which those are is
TileLang's choice when it lowers; here each fragment is divided evenly along one dimension, that of
the product that it comes from. A program that is right does not depend on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from workbench.engine.simulator.roles import (
    Apart,
    Members,
    Roles,
    barrier_index,
    fragments_in,
    reached,
)
from workbench.engine.simulator.tile_statements import (
    UNEVEN,
    Direction,
    TileStatement,
    part_of,
    product_dimension,
    tile_statement,
)
from workbench.engine.simulator.tir import tirx

_COPIED = -1  # a fragment that each role has as a whole
_Dimensions = dict[Any, int]  # along which a fragment is divided, by data variable


def with_turns(roles: Roles, body: Any) -> Roles:
    """Return the roles with what those of them do apart that take turns: equally many threads."""
    sizes = [len(lanes) for lanes in roles.lanes]
    return _Division(roles, body).roles() if len(set(sizes)) < len(sizes) else roles


class _Division:
    """What is known of a block's roles, and how its statements on tiles are divided."""

    def __init__(self, roles: Roles, body: Any) -> None:
        found = list(reached(roles, body, roles.everyone))
        self._roles = roles
        self._ways = _ways(roles, found)
        self._statements = [
            tile_statement(node, members)
            for node, members in found
            if len(members) > 1 and roles.is_collective(node)
        ]
        self._owners = _owners(found)
        self._whole = _not_divided(roles, found)
        self._places: dict[tuple[int, ...], Any] = {}

    def roles(self) -> Roles:
        """Return the roles with what they do apart."""
        parted = [each for each in self._statements if self._takers(each)]
        if not parted:
            return self._roles
        dimensions = self._dimensions(parted)
        alone = [each for each in parted if self._is_alone(each, dimensions)]
        own = self._own_copies(parted, alone)
        apart = {each.node: Apart() for each in alone if _written(each) <= own}
        for each in parted:
            found = None if each.node in apart else self._part(each, dimensions)
            if found is not None:
                apart[each.node] = found
        groups = self._roles.groups | {
            data: tuple(frozenset([each]) for each in sorted(self._roles.everyone)) for data in own
        }
        return replace(self._roles, apart=apart, groups=groups)

    def _takers(self, statement: TileStatement) -> tuple[int, ...]:
        """Return the roles, in the threads' order, that do a statement apart; none where none do.

        They have equally many threads, the same fragments, and wait in different ways.
        """
        data = _fragments(statement)
        sets = {self._owners[each] for each in data} or {statement.members}
        if len(sets) != 1 or data & self._whole:
            return ()
        (owners,) = sets
        lanes = self._roles.lanes
        alike = len({len(lanes[each]) for each in owners}) == 1
        part = len({self._ways[each] for each in owners}) > 1
        if len(owners) < 2 or not alike or not part:
            return ()
        return tuple(sorted(owners, key=lambda each: int(lanes[each][0])))

    def _dimensions(self, statements: list[TileStatement]) -> _Dimensions:
        """Return the dimension along which each fragment is divided, from product to product."""
        known: _Dimensions = {}
        for each in statements:
            if each.kind == "gemm" and each.accesses[-1].is_fragment:
                groups = len(self._takers(each))
                known[each.accesses[-1].buffer.data] = product_dimension(each, groups)
        every = [data for each in statements for data in _fragments(each)]
        while True:
            while self._spread(statements, known):
                pass
            unknown = next((data for data in every if data not in known), None)
            if unknown is None:
                return known
            known[unknown] = 0

    def _spread(self, statements: list[TileStatement], known: _Dimensions) -> bool:
        """Make known what follows for the other fragments of a statement; whether anything did."""
        before = len(known)
        for each in statements:
            for data, dimension in _implied(each, known):
                if known.setdefault(data, dimension) != dimension:
                    self._whole.add(data)
        return len(known) > before

    def _is_alone(self, statement: TileStatement, dimensions: _Dimensions) -> bool:
        """Whether a statement fills only fragments that each role has as a whole."""
        writes = [each for each in statement.accesses if each.writes]
        return all(each.is_fragment for each in writes) and all(
            dimensions.get(data) == _COPIED for data in _fragments(statement)
        )

    def _own_copies(self, parted: list[TileStatement], alone: list[TileStatement]) -> set[Any]:
        """Return the fragments that only statements fill which each role does as a whole."""
        nodes = {each.node for each in alone}
        others = [each for each in self._statements if each.node not in nodes]
        filled = {data for each in alone for data in _written(each)}
        return filled - {data for each in others for data in _written(each)} - self._whole

    def _part(self, statement: TileStatement, dimensions: _Dimensions) -> Apart | None:
        """Return how a statement is divided, None where all roles have to do it together."""
        owners = self._takers(statement)
        direction = _direction(statement, dimensions, len(owners))
        writes_copies = any(dimensions.get(data) == _COPIED for data in _written(statement))
        if not owners or direction is None or writes_copies:
            return None
        place = self._places.setdefault(owners, tirx.Var("place", "int32"))
        part = part_of(statement, direction, place, len(owners))
        loop = "" if direction.loop is None else str(direction.loop.name)
        size = (direction.extent or 0) // len(owners)
        return Apart(owners, part, place, self._may_meet(statement, owners), loop, size)

    def _may_meet(self, statement: TileStatement, owners: tuple[int, ...]) -> bool:
        """Whether TileLang may have threads wait for each other here, for what they share.

        It does so between statements on shared memory that the same threads write and access.
        """
        if not _fragments(statement):
            return True
        shared = {each.buffer.data for each in statement.accesses if each.is_shared}
        written = {
            access.buffer.data
            for each in self._statements
            for access in each.accesses
            if access.is_shared and access.writes and each.members & set(owners)
        }
        return bool(shared & written)


def _ways(roles: Roles, found: Iterable[tuple[Any, Members]]) -> list[tuple[Any, ...]]:
    """Return for each role at which barriers it waits, in order."""
    ways: list[list[Any]] = [[] for _ in roles.lanes]
    for node, members in found:
        index = barrier_index(node.value) if isinstance(node, tirx.Evaluate) else None
        if index is None:
            continue
        told = roles.values.of(index)
        for role, lanes in enumerate(roles.lanes):
            number = float(np.nan_to_num(told[lanes[0]], nan=-1))
            ways[role].append(number if role in members else None)
    return [tuple(each) for each in ways]


def _owners(found: Iterable[tuple[Any, Members]]) -> dict[Any, Members]:
    """Return for each fragment the roles that every statement with it is reached by."""
    owners: dict[Any, Members] = {}
    for node, members in found:
        for each in fragments_in(node):
            owners[each.buffer.data] = owners.get(each.buffer.data, members) & members
    return owners


def _not_divided(roles: Roles, found: Iterable[tuple[Any, Members]]) -> set[Any]:
    """Return the fragments that are seen in several shapes, or outside of tile operations."""
    shapes: dict[Any, set[str]] = {}
    whole: set[Any] = set()
    for node, _ in found:
        for each in fragments_in(node):
            shapes.setdefault(each.buffer.data, set()).add(str(list(each.buffer.shape)))
            if not roles.is_collective(node):
                whole.add(each.buffer.data)
    return whole | {data for data, seen in shapes.items() if len(seen) > 1}


def _fragments(statement: TileStatement) -> set[Any]:
    return {each.buffer.data for each in statement.accesses if each.is_fragment}


def _written(statement: TileStatement) -> set[Any]:
    return {each.buffer.data for each in statement.accesses if each.writes}


def _along(statement: TileStatement, known: _Dimensions) -> set[Direction]:
    """Return the directions in which a statement's fragments are divided."""
    return {
        direction
        for at, access in enumerate(statement.accesses)
        for direction in statement.directions
        if access.is_fragment and direction.dimensions[at] == known.get(access.buffer.data, _COPIED)
    }


def _implied(statement: TileStatement, known: _Dimensions) -> Iterator[tuple[Any, int]]:
    """Yield how a statement's fragments are divided, as far as one of them tells."""
    for direction in _along(statement, known):
        for at, access in enumerate(statement.accesses):
            if access.is_fragment:
                dimension = direction.dimensions[at]
                yield access.buffer.data, _COPIED if dimension is None else dimension


def _direction(statement: TileStatement, known: _Dimensions, count: int) -> Direction | None:
    """Return the direction in which a statement is divided among so many roles."""
    found = _along(statement, known) if _fragments(statement) else set(statement.directions[:1])
    if len(found) != 1:
        return None
    (direction,) = found
    if not direction.divisible or not direction.extent or direction.extent % max(count, 1):
        return None
    pairs = zip(statement.accesses, direction.dimensions, strict=True)
    fits = all(
        dimension is None or (dimension != UNEVEN and access.is_whole(dimension, direction.extent))
        for access, dimension in pairs
        if access.is_fragment
    )
    return direction if fits else None
