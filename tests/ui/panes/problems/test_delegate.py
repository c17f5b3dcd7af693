from __future__ import annotations

import itertools

from workbench.ui.panes.problems.delegate import Widths, places_of

WIDE = Widths(place=20, marks=48, stage=60, code=100, fix=120)


def test_what_stands_at_the_right_ends_at_the_edge() -> None:
    places = places_of(WIDE, 1200)
    assert sum(places.fix) == 1200 - 8 - 12


def test_the_columns_follow_one_another() -> None:
    places = places_of(WIDE, 1200)
    columns = [places.icon, places.place, places.message, places.marks, places.stage]
    columns += [places.code, places.fix]
    for left, right in itertools.pairwise(columns):
        assert left[0] + left[1] < right[0]


def test_a_narrow_row_gives_up_its_stage_first() -> None:
    places = places_of(WIDE, 780)
    assert (places.stage[1], places.code[1], places.fix[1]) == (0, 100, 120)


def test_a_narrower_row_gives_up_its_code() -> None:
    places = places_of(WIDE, 640)
    assert (places.stage[1], places.code[1], places.fix[1]) == (0, 0, 120)


def test_the_narrowest_row_keeps_the_light_bulb() -> None:
    places = places_of(WIDE, 500)
    assert (places.code[1], places.fix[1]) == (0, 16)


def test_without_fixes_the_message_has_their_room() -> None:
    without = Widths(place=20, marks=48, stage=60, code=100)
    gain = places_of(without, 1200).message[1] - places_of(WIDE, 1200).message[1]
    assert gain == 120 + 24
