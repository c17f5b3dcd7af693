"""How shared memory serves asynchronous copies: global memory's places decide beside its own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from workbench.core.analysis.bank_rules import BankRules, Bools, Ints, Service, Split


@dataclass(frozen=True)
class TransferRule:
    """Narrow asynchronous copies pass L1, whose data lie in the same banks as shared memory.

    Two lanes of a phase are at odds where they write to one bank or read from one, also where they
    read the same word. A phase takes as many wavefronts as the lane that is at odds with the most
    others, and one more. Lanes that are filled with zeros read nothing. `source` says what the
    rule is from.
    """

    split: Split
    source: str
    needs_global: bool = True

    def serve(self, geometry: BankRules, shared: Ints, outside: Ints | None, width: int) -> Service:
        """How the patterns are served; a negative address in `outside` is filled with zeros."""
        assert outside is not None
        active = shared >= 0
        phases = np.where(active, self.split(shared), -1)
        slots = geometry.row_bytes // max(width, geometry.bank_bytes)
        written, read = shared // width % slots, outside // width % slots
        reads = outside >= 0
        odds = _same(written) | (_same(read) & reads[:, :, None] & reads[:, None, :])
        odds &= _same(phases) & active[:, :, None] & active[:, None, :]
        busiest = odds.sum(axis=2)
        count = int(phases.max(initial=0)) + 1
        own = [np.where(phases == phase, busiest, 0).max(axis=1) for phase in range(count)]
        wavefronts = np.stack(own, axis=1)
        return Service(phases, wavefronts, (wavefronts > 0).sum(axis=1))


@dataclass(frozen=True)
class LineRule:
    """16-byte asynchronous copies past the L1, served as lines of global memory come in.

    A wavefront moves sectors of 32 bytes from one line of 128 bytes to one row of all banks, each
    from a place and to a place of its own. All of its sectors bring the same halves, and all keep
    or change the two lowest bits of the 16-byte place alike. Where a lane is filled with zeros,
    the instruction takes the wavefronts of `filled` besides, whose conflicts alone are counted as
    such. `source` says what the rule is from.
    """

    filled: TransferRule
    source: str
    line_bytes: int = 128
    needs_global: bool = True

    def serve(self, geometry: BankRules, shared: Ints, outside: Ints | None, width: int) -> Service:
        """How the patterns are served; a negative address in `outside` is filled with zeros."""
        assert outside is not None
        active = shared >= 0
        group, ways = self._moves(geometry, shared, outside, width)
        first = group.argmax(axis=2)
        lanes = np.arange(shared.shape[1])
        leads = group.any(axis=2) & (first == lanes)
        moved = np.where(leads, (group * ways[:, None, :]).sum(axis=2), 0)
        whole = self.filled.serve(geometry, shared, outside, width)
        zeros = (active & (outside < 0)).any(axis=1, keepdims=True)
        put = np.where(zeros, whole.wavefronts, 0)
        phases = np.where(outside >= 0, first, len(lanes) + whole.phases)
        wavefronts = np.concatenate([moved, put], axis=1)
        ideal = moved.sum(axis=1) + (put > 0).sum(axis=1)
        return Service(np.where(active, phases, -1), wavefronts, ideal)

    def _moves(
        self, geometry: BankRules, shared: Ints, outside: Ints, width: int
    ) -> tuple[Bools, Ints]:
        """Which lanes are of one line and row, and the wavefronts that each adds to those of all.

        Of the lanes that move alike the first has the wavefronts, the others none.
        """
        reads = (shared >= 0) & (outside >= 0)
        there, here = outside % self.line_bytes // width, shared % geometry.row_bytes // width
        source, place = _same(there // 2), _same(here // 2)
        group = _same(outside // self.line_bytes) & _same(shared // geometry.row_bytes)
        group &= reads[:, :, None] & reads[:, None, :]
        alike = group & _same((there ^ here) & 3)
        sector = alike & source & place
        halves = [(sector & (there % 2 == half)[:, None, :]).any(axis=2) for half in (0, 1)]
        alike &= _same(halves[0] + 2 * halves[1])
        once = alike & _leads(alike & sector)[:, None, :]
        ways = np.maximum((once & source).sum(axis=2), (once & place).sum(axis=2))
        most = np.where(alike, ways[:, None, :], 0).max(axis=2)
        return group, np.where(_leads(alike), most, 0)


def _same(values: Ints) -> Bools:
    same: Bools = values[:, :, None] == values[:, None, :]
    return same


def _leads(same: Bools) -> Bools:
    """The lanes that are the first of those they are the same as."""
    first: Bools = same.any(axis=2) & (same.argmax(axis=2) == np.arange(same.shape[1]))
    return first
