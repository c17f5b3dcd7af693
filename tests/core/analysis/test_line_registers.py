from __future__ import annotations

from workbench.core.analysis.line_registers import LineRegisters, most_live, registers_by_line


def test_a_line_has_the_most_that_are_live_at_one_of_its_instructions() -> None:
    live = {0: 4, 16: 9, 32: 7, 48: 2}
    lines = {0: 12, 16: 12, 32: 5}
    assert registers_by_line(live, lines) == (
        LineRegisters(5, 7, 1),
        LineRegisters(12, 9, 2),
        LineRegisters(None, 2, 1),
    )


def test_the_line_with_the_most_is_found() -> None:
    lines = registers_by_line({0: 4, 16: 9}, {0: 1, 16: 2})
    assert most_live(lines) == LineRegisters(2, 9, 1)
    assert most_live(()) is None
