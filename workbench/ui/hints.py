"""Switches kinds of hints off and on again, from the problem list and from a dialog."""

from __future__ import annotations

from typing import TYPE_CHECKING

from PySide6.QtCore import QObject

if TYPE_CHECKING:
    from workbench.ui.controller import Controller
    from workbench.ui.hints_dialog import HintsDialog

_TOPIC = "hints"


class Hints(QObject):
    """Keeps the setting of declined hints, and what the window shows, the same."""

    def __init__(self, controller: Controller) -> None:
        super().__init__(controller)
        self._controller = controller
        self._dialog: HintsDialog | None = None
        controller.panels.problems.hint_declined.connect(self.decline)

    @property
    def dialog(self) -> HintsDialog | None:
        """The dialog, None as long as nobody has opened it."""
        return self._dialog

    def decline(self, code: str) -> None:
        """Tell a kind of hint no more, and how it comes back."""
        self.tell(code, False)
        self._controller.tell(f"{code} is off. View > Hints… turns it on again.", topic=_TOPIC)

    def tell(self, code: str, is_told: bool) -> None:
        """Tell a kind of hint, or not, from now on."""
        from workbench.session.guidelines import with_hint  # the rules, which a start does without

        session = self._controller.session
        declined = with_hint(session.settings.hints_off, code, is_told)
        session.update_settings(hints_off=declined)
        if self._dialog is not None:
            self._dialog.show_declined(session.settings.hints_off)
        self._controller.view.show_current()

    def open(self) -> None:
        """Show all kinds of hints."""
        if self._dialog is None:
            from workbench.ui.hints_dialog import HintsDialog

            self._dialog = HintsDialog(self._controller.icons, self._controller.window)
            self._dialog.hint_toggled.connect(self.tell)
        self._dialog.show_declined(self._controller.session.settings.hints_off)
        self._dialog.open()
