"""The last page: texts with code in them."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QLabel

from workbench.core.patterns.model import Why
from workbench.session.patterns.done_view import DoneView
from workbench.ui.theme.icons import Icons
from workbench.ui.wizard.done_panel import DonePanel


def test_code_within_a_reason_is_set_as_code(qtbot: Any, icons: Icons) -> None:
    panel = DonePanel(icons)
    qtbot.addWidget(panel)
    why = (Why("Order", "what `pack` gives, a < b"), Why("Tiles", "a < b"))
    panel.set_done(DoneView("it is ready", "Open", why, ("a", "b", "c"), "Not measured."))

    texts = [label.text() for label in panel.findChildren(QLabel)]

    assert "a < b" in texts
    family = icons.theme.fonts.monospace(11).family()
    assert f"""what <span style="font-family: '{family}'">pack</span> gives, a &lt; b""" in texts
