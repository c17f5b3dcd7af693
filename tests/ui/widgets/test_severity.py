from __future__ import annotations

import pytest
from pytestqt.qtbot import QtBot

from workbench.core.diagnostics import Severity
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.severity import GOOD, SEVERITY_LOOKS, SeverityMark


def test_every_severity_has_a_look() -> None:
    assert set(SEVERITY_LOOKS) == set(Severity)


def test_looks_differ_in_shape_colour_and_word() -> None:
    looks = [*SEVERITY_LOOKS.values(), GOOD]
    for part in ("icon", "tone", "word"):
        assert len({getattr(look, part) for look in looks}) == len(looks)


@pytest.mark.parametrize("severity", Severity)
def test_a_mark_says_what_it_is(icons: Icons, qtbot: QtBot, severity: Severity) -> None:
    mark = SeverityMark(icons, severity)
    qtbot.addWidget(mark)
    word = SEVERITY_LOOKS[severity].word
    assert (mark.accessibleName(), mark.toolTip()) == (word, word)


def test_a_mark_follows_the_theme(icons: Icons, theme: Theme, qtbot: QtBot) -> None:
    mark = SeverityMark(icons, Severity.ERROR)
    qtbot.addWidget(mark)
    before = mark.pixmap().toImage()
    theme.set_choice("light")
    assert mark.pixmap().toImage() != before


def test_a_mark_takes_another_severity(icons: Icons, qtbot: QtBot) -> None:
    mark = SeverityMark(icons, Severity.ERROR)
    qtbot.addWidget(mark)
    mark.set_severity(GOOD)
    assert mark.look is GOOD
    assert mark.accessibleName() == "Good"
