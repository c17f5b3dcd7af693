from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK, LIGHT
from workbench.ui.widgets.conclusion import ConclusionLabel, split_conclusion


@pytest.mark.parametrize(
    ("text", "first", "rest"),
    [
        ("Registers limit it: 136 a thread.", "Registers limit it:", "136 a thread."),
        ("Fits H100; the 4090 has no room.", "Fits H100;", "the 4090 has no room."),
        ("All 3 outputs match.", "All 3 outputs match.", ""),
        ("It is 1.74 times as fast. Why?", "It is 1.74 times as fast.", "Why?"),
        ("No mark", "No mark", ""),
        ("", "", ""),
    ],
)
def test_the_first_clause_ends_at_its_mark(text: str, first: str, rest: str) -> None:
    assert split_conclusion(text) == (first, rest)


@pytest.fixture
def label(theme: Theme, qtbot: QtBot) -> ConclusionLabel:
    label = ConclusionLabel(theme, "A < B: so it is.")
    qtbot.addWidget(label)
    return label


def test_the_first_clause_is_strong(label: ConclusionLabel) -> None:
    assert f'font-weight: 600; color: {DARK.fg}">A &lt; B:</span>' in label.text()


def test_no_line_ends_between_a_number_and_its_unit(label: ConclusionLabel) -> None:
    label.set_conclusion("47 % of it: 16 KiB in 1.5 µs, 3 threads.")
    assert "47\N{NO-BREAK SPACE}% of it:" in label.text()
    assert "16\N{NO-BREAK SPACE}KiB in 1.5\N{NO-BREAK SPACE}µs, 3 threads." in label.text()
    assert label.conclusion == "47 % of it: 16 KiB in 1.5 µs, 3 threads."


def test_a_screen_reader_hears_plain_text(label: ConclusionLabel) -> None:
    assert label.accessibleName() == "A < B: so it is."


def test_the_colours_follow_the_theme(label: ConclusionLabel, theme: Theme) -> None:
    theme.set_choice("light")
    assert LIGHT.fg in label.text()
    assert DARK.fg not in label.text()


def test_another_conclusion_is_shown(label: ConclusionLabel) -> None:
    label.set_conclusion("Other.")
    assert label.conclusion == "Other."
    assert "Other." in label.text()


def test_in_a_low_pane_it_takes_less_height(label: ConclusionLabel) -> None:
    usual = label.heightForWidth(400)
    label.set_compact(True)
    assert label.heightForWidth(400) < usual
    label.set_compact(False)
    assert label.heightForWidth(400) == usual
