"""Blocks in waves: as many at a time as a GPU runs at once."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Waves:
    """`blocks` in waves of `capacity`, those that run at once; one or more."""

    blocks: int
    capacity: int

    @property
    def count(self) -> int:
        """Waves, the last one counted in full."""
        return -(-self.blocks // self.capacity)

    @property
    def last(self) -> int:
        """Blocks of the last wave."""
        return self.blocks - (self.count - 1) * self.capacity

    @property
    def lost(self) -> float:
        """The part of the waves' time in which places for blocks are empty."""
        return 1 - self.blocks / (self.count * self.capacity)

    def wave_of(self, number: int) -> int:
        """The wave of a block by its launch number, from 0."""
        return number // self.capacity
