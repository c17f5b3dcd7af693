from __future__ import annotations

from PySide6.QtGui import QColor
from PySide6.QtWidgets import QLabel
from pytestqt.qtbot import QtBot

from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.theme import Theme
from workbench.ui.theme.tokens import DARK
from workbench.ui.widgets.labels import divider, hairline, set_look, text_label


def has_ink(label: QLabel, colour: str) -> bool:
    """Whether some pixel has nearly that colour; edges of letters are blends."""
    image, wanted = label.grab().toImage(), QColor(colour)
    pixels = (image.pixelColor(x, y) for x in range(image.width()) for y in range(image.height()))
    return any(distance(pixel, wanted) < 24 for pixel in pixels)


def distance(a: QColor, b: QColor) -> int:
    return abs(a.red() - b.red()) + abs(a.green() - b.green()) + abs(a.blue() - b.blue())


def test_a_label_has_the_font_of_its_role(theme: Theme, qtbot: QtBot) -> None:
    label = text_label(theme, "text", TextRole.TITLE)
    qtbot.addWidget(label)
    assert label.font().pixelSize() == 20


def test_a_label_is_written_in_its_tone(theme: Theme, qtbot: QtBot) -> None:
    label = text_label(theme, "MMMM", TextRole.TITLE, "error")
    qtbot.addWidget(label)
    assert has_ink(label, DARK.error)


def test_another_tone_is_shown_at_once(theme: Theme, qtbot: QtBot) -> None:
    label = text_label(theme, "MMMM", TextRole.TITLE, "error")
    qtbot.addWidget(label)
    label.ensurePolished()
    set_look(label, "tone", "good")
    assert has_ink(label, DARK.good)
    assert not has_ink(label, DARK.error)


def test_lines_are_one_pixel_wide(theme: Theme, qtbot: QtBot) -> None:
    across, down = hairline(), divider()
    qtbot.addWidget(across)
    qtbot.addWidget(down)
    across.ensurePolished()
    down.ensurePolished()
    assert (across.maximumHeight(), down.maximumWidth()) == (1, 1)
