"""What changes of a tile cost, against counts by hand."""

from __future__ import annotations

import pytest

from tests.support.banked_tiles import TIMES, S, site, transpose
from workbench.core.analysis.bank_changes import Change, Changed, ChangeKind, changed, changes_for
from workbench.core.analysis.bank_tables import NVIDIA
from workbench.core.analysis.shared_sites import SharedKind
from workbench.core.analysis.shared_tiles import SharedTile, SharedTiles, TileSite

ROWS = 32 * TIMES  # wavefronts where each of the 32 instructions takes one
LOAD = 1


def effect(kind: ChangeKind, amount: int = 0) -> Changed:
    return changed(transpose(), Change(kind, "S", amount, LOAD), NVIDIA)


@pytest.mark.parametrize(
    ("pad", "ways"),
    [(1, 1), (2, 2), (4, 4), (8, 8)],
)
def test_padding_a_column_of_words(pad: int, ways: int) -> None:
    """Row r begins in bank 33r, 34r, 36r, 40r modulo 32: 32, 16, 8, 4 banks for 32 lanes."""
    made = effect(ChangeKind.PAD, pad)
    assert made.wavefronts == ROWS + ways * ROWS
    assert (made.ways, made.extra_bytes) == (ways, pad * 32 * 4)


def test_a_swizzle_moves_pieces_of_16_bytes_alone() -> None:
    """Its 8 pieces put 32 lanes into 8 banks: 4 ways. Rows stay rows."""
    made = effect(ChangeKind.SWIZZLE, 128)
    assert (made.wavefronts, made.ways, made.extra_bytes) == (ROWS + 4 * ROWS, 4, 0)


def test_columns_exchanged_by_the_row_are_in_all_banks() -> None:
    made = effect(ChangeKind.XOR, 1)
    assert (made.wavefronts, made.ways, made.extra_bytes) == (2 * ROWS, 1, 0)


def test_a_transposed_tile_moves_the_conflict_to_the_store() -> None:
    made = effect(ChangeKind.TRANSPOSE)
    assert made.wavefronts == 33 * ROWS
    store, load = (made.of(place) for place in range(2))
    assert store is not None
    assert load is not None
    assert (store.ways, load.ways) == (32, 1)


def test_lanes_without_neighbouring_elements_cannot_take_more() -> None:
    made = effect(ChangeKind.WIDTH, 16)
    assert made.wavefronts is None
    assert made.unknown == "line 26 has no neighbouring elements for a lane to take together"


def test_rows_of_16_bytes_refuse_pads_that_leave_them_unaligned() -> None:
    tile = SharedTile("O", 64, 64, 2, 2, 0, 0)
    whole = site(tile, 9, SharedKind.LOAD, 16, [[lane * 8 for lane in range(32)]])
    tiles = SharedTiles((tile,), (whole,))
    assert "no multiple of 16" in (
        changed(tiles, Change(ChangeKind.PAD, "O", 2), NVIDIA).unknown or ""
    )
    kept = changed(tiles, Change(ChangeKind.PAD, "O", 8), NVIDIA)
    assert kept.wavefronts == 4 * TIMES  # of 8 lanes each
    assert kept.extra_bytes == 8 * 64 * 2 * 2  # two copies for the pipeline


def test_what_is_tried_follows_the_tile() -> None:
    kinds = [(c.kind.value, c.amount) for c in changes_for(transpose(), LOAD)]
    assert kinds == [
        ("pad", 1), ("pad", 2), ("pad", 4), ("pad", 8),
        ("swizzle", 128), ("swizzle", 64), ("swizzle", 32),
        ("xor", 1), ("width", 8), ("width", 16), ("transpose", 0),
    ]  # fmt: skip


def test_operands_of_descriptors_and_vectors_are_left_as_they_are() -> None:
    own = site(S, 5, SharedKind.LOAD, 4, [list(range(32))])
    tensor = TileSite(6, SharedKind.TENSOR, "wgmma", "S", 16)
    assert changes_for(SharedTiles((S,), (own, tensor)), 0) == ()
    vector = SharedTile("S", 1, 1024, 4, 1, 0, 0)
    assert changes_for(SharedTiles((vector,), (own,)), 0) == ()


def test_a_site_whose_lanes_are_unknown_leaves_the_effect_unknown() -> None:
    known = transpose()
    blind = TileSite(30, SharedKind.LOAD, "load", "S", 4, lacks="addresses depend on data")
    made = changed(
        SharedTiles(known.tiles, (*known.sites, blind)), Change(ChangeKind.PAD, "S", 1), NVIDIA
    )
    assert (made.wavefronts, made.unknown) == (None, "addresses depend on data")
