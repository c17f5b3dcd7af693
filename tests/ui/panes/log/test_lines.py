from __future__ import annotations

from datetime import datetime

import pytest

from workbench.ui.panes.log.lines import lines_of

TIME = datetime(2026, 11, 29, 14, 3, 22)


def texts(text: str) -> list[str]:
    return [line.text for line in lines_of("live", text, "output", TIME)]


@pytest.mark.parametrize(
    ("printed", "lines"),
    [
        ("one", ["one"]),
        ("one\ntwo\n", ["one", "two"]),
        ("one\r\ntwo\r\n", ["one", "two"]),
        ("10 %\r50 %\r100 %", ["100 %"]),
        ("\x1b[1;31merror:\x1b[0m bad", ["error: bad"]),
        ("\x1b]0;a title\x07text", ["text"]),
        ("a\tb", ["a       b"]),
        ("", [""]),
        ("one\n\ntwo", ["one", "", "two"]),
    ],
)
def test_a_printed_text_is_made_readable(printed: str, lines: list[str]) -> None:
    assert texts(printed) == lines


def test_only_the_first_line_tells_time_and_lane() -> None:
    first, second = lines_of("live", "one\ntwo", "output", TIME)
    assert first.plain == "14:03:22  typing    one"
    assert second.plain == "                    two"
