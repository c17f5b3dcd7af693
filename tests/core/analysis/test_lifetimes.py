from __future__ import annotations

from workbench.core.analysis.lifetimes import Allocation, Lifetimes, Touch, lifetimes_of

A = Allocation("A", "float16", 1024, 0)
B = Allocation("B", "float16", 512, 1024)
C = Allocation("C", "float16", 1024, 0)
BARRIER = Allocation("bar", "uint64", 16, None)


def found(
    *touches: tuple[int, str, int | None], loops: tuple[tuple[int, int], ...] = ()
) -> Lifetimes:
    return lifetimes_of((A, B, C, BARRIER), [Touch(*touch) for touch in touches], loops, 1536)


def test_the_peak_is_where_most_bytes_are_in_use_at_once() -> None:
    lives = found((0, "A", 3), (1, "B", 4), (2, "A", 5), (3, "B", 6), (4, "C", 7), (5, "C", 8))
    assert (lives.peak_bytes, lives.peak_line, lives.peak_buffers) == (1536, 4, ("A", "B"))


def test_a_buffer_that_a_loop_uses_is_in_use_for_all_of_it() -> None:
    lives = found((0, "A", 3), (1, "A", 4), (2, "B", 5), loops=((0, 2),))
    assert (lives.peak_bytes, lives.peak_line) == (1536, 3)
    apart = found((0, "A", 3), (1, "A", 4), (2, "B", 5))
    assert apart.peak_bytes == 1024


def test_buffers_at_the_same_bytes_name_each_other() -> None:
    lives = {each.name: each for each in found((0, "A", 3), (1, "C", 4)).buffers}
    assert (lives["A"].shares_with, lives["B"].shares_with) == (("C",), ())
    assert lives["B"].used is False


def test_lines_are_those_of_the_first_and_the_last_use_that_have_one() -> None:
    lives = {each.name: each for each in found((0, "A", None), (1, "A", 4), (2, "A", 9)).buffers}
    assert (lives["A"].first_line, lives["A"].last_line) == (4, 9)


def test_a_barrier_beside_the_rest_counts_for_no_peak() -> None:
    lives = found((0, "bar", None), (1, "B", 4))
    assert (lives.peak_bytes, lives.peak_buffers) == (512, ("B",))
    assert lives.saved_bytes == 1024
