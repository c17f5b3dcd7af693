"""The pane of a profile: conclusion, what to believe, the picture, and the numbers."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import (
    QFileDialog,
    QFrame,
    QScrollArea,
    QSplitter,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.session.profile.view import AGAIN, CHOOSE, SHOW, ProfileState, ProfileView
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.panes.profile.failure import FailureBody
from workbench.ui.panes.profile.head import ProfileHead
from workbench.ui.panes.profile.numbers_panel import NumbersPanel
from workbench.ui.panes.profile.picture import ProfilePicture
from workbench.ui.panes.profile.trust_list import TrustList
from workbench.ui.panes.shares import read_shares
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.picture_files import ExportError, write_widget
from workbench.ui.widgets.veil import Veil

_NOTHING = "Nothing was measured yet."
_SHARES = (1000, 1000)
_MOST_PICTURE = 0.62  # of the height, before the person has divided it
_LOW, _SLIM = 300, 800  # px below which the conclusion has the size of other text
_BESIDE, _LOW_BESIDE = 1040, 640  # the width from which the numbers stand beside the picture


class ProfilePane(QWidget):
    """Shows what it is given of a profile; it measures nothing itself."""

    #: The person wants the kernel measured.
    profile_requested = Signal()
    #: The person wants it measured with the counters of the hardware; True: with all of them.
    counters_requested = Signal(bool)
    #: The person wants to choose where.
    place_requested = Signal()
    #: The person wants every case of the kernel measured.
    cases_requested = Signal()
    #: The person wants the measurement to end.
    cancel_requested = Signal()
    #: The person wants to see the profile of a run of the history: its id.
    known_requested = Signal(str)
    #: A run is shown, and the person wants the kernel in front.
    back_requested = Signal()
    #: The person wants to see that line of the kernel.
    line_requested = Signal(int)
    #: What happened to a file, in a sentence.
    told = Signal(str)

    def __init__(self, theme: Theme, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._theme = theme
        self._shown: ProfileView | None = None
        self._shares: tuple[int, int] | None = None
        self._head = ProfileHead(icons)
        self._trust = TrustList(icons)
        self._picture, self._numbers = PictureView(theme), NumbersPanel(icons)
        self._scroll = _scrolled(self._picture)
        self._empty = EmptyState(icons, "clock", _NOTHING)
        self._stack, self._page, self._body = QStackedWidget(), QWidget(), QSplitter()
        self._lay_out(icons)
        self._veil = Veil(theme, self._body)
        self._connect()

    @property
    def conclusion(self) -> str:
        """The sentence shown, of an empty pane what it would show."""
        is_empty = self._stack.currentWidget() is self._empty
        return self._empty.sentence if is_empty else self._head.conclusion

    @property
    def picture(self) -> PictureView:
        """What the samples and shares are painted in."""
        return self._picture

    @property
    def trust(self) -> TrustList:
        """The sentences on what to believe."""
        return self._trust

    @property
    def numbers(self) -> NumbersPanel:
        """The tables."""
        return self._numbers

    @property
    def failure(self) -> FailureBody:
        """What is said of a measurement that came to nothing."""
        return self._failure

    @property
    def head(self) -> ProfileHead:
        """The conclusion and the actions."""
        return self._head

    def show_view(self, view: ProfileView) -> None:
        """Show a profile, or why there is none."""
        self._shown = view
        if view.state is ProfileState.EMPTY and view.running is None:
            own = view.action or None
            first, second = (SHOW, own) if view.known else (own, None)
            self._empty.set_content("clock", view.conclusion, first, second)
            self._stack.setCurrentWidget(self._empty)
            return
        self._head.show_view(view)
        self._trust.show_trust(view.trust)
        self._show_picture(view)
        is_done = view.state is ProfileState.DONE
        self._body.setVisible(is_done)
        self._failure.setVisible(not is_done)
        self._failure.show_failure(view.failure)
        self._numbers.show_view(view)
        self._veil.setVisible(view.stale)
        self._stack.setCurrentWidget(self._page)
        self._divide()

    def export(self, path: Path) -> None:
        """Write the picture with its conclusion as a title. Raises ExportError."""
        write_widget(path, self._picture, self._theme, self.conclusion)

    def state(self) -> dict[str, Any]:
        """How the pane is divided, as JSON can hold it."""
        shares = list(self._shares) if self._shares is not None else None
        return {"version": 1, "shares": shares, "numbers": self._numbers.state()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Bring a saved state back; another version's is left alone."""
        if state.get("version") != 1:
            return
        if state.get("shares") is not None:
            self._shares = read_shares(state.get("shares"), _SHARES)
        self._divide()
        numbers = state.get("numbers")
        if isinstance(numbers, dict):
            self._numbers.restore(numbers)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        width, low = event.size().width(), self.height() < _LOW
        beside = width >= (_LOW_BESIDE if low else _BESIDE)
        wanted = Qt.Orientation.Horizontal if beside else Qt.Orientation.Vertical
        self._body.setOrientation(wanted)
        self._divide()
        self._head.set_compact(low or self.width() < _SLIM, low)
        self._trust.set_low(low)

    def minimumSizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        """It scrolls at any size."""
        return QSize(160, 96)

    def _divide(self) -> None:
        """Give the picture what it needs, as long as the numbers keep a part."""
        if self._shares is not None:
            self._body.setSizes(list(self._shares))
            return
        if self._body.orientation() is Qt.Orientation.Horizontal:
            self._body.setSizes(list(_SHARES))
            return
        room = max(1, self._body.height())
        needed = self._picture.heightForWidth(self.width()) + 4
        numbers = min(self._numbers.wanted_height, round(room * (1 - _MOST_PICTURE)))
        picture = min(needed, room - numbers)
        self._body.setSizes([picture, room - picture])

    def _show_picture(self, view: ProfileView) -> None:
        if view.samples is None:
            self._picture.set_picture(None)
            self._scroll.hide()
            return
        self._scroll.show()
        picture = ProfilePicture(view.samples, view.shares, view.mark, view.name)
        self._picture.set_picture(picture, f"Picture: {view.conclusion}")

    def _lay_out(self, icons: Icons) -> None:
        self.setProperty("ground", "bg1")
        self.setAccessibleName("Profile")
        self._failure = FailureBody(icons)
        self._body.addWidget(self._scroll)
        self._body.addWidget(self._numbers)
        self._body.setChildrenCollapsible(False)
        self._body.setSizes(list(_SHARES))
        page = QVBoxLayout(self._page)
        page.setContentsMargins(0, 0, 0, 0)
        page.setSpacing(2)
        page.addWidget(self._head)
        page.addWidget(self._trust)
        page.addWidget(self._body, 1)
        page.addWidget(self._failure, 1)
        self._stack.addWidget(self._page)
        self._stack.addWidget(self._empty)
        layout = QVBoxLayout(self)
        layout.setSizeConstraint(QVBoxLayout.SizeConstraint.SetNoConstraint)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.addWidget(self._stack)

    def _connect(self) -> None:
        self._head.again_requested.connect(self.profile_requested)
        self._head.cancel_requested.connect(self.cancel_requested)
        self._head.export_requested.connect(self._on_export_requested)
        self._head.copy_requested.connect(self._numbers.copy_markdown)
        self._head.back_requested.connect(self.back_requested)
        self._empty.action_triggered.connect(self._on_empty_action)
        self._empty.second_triggered.connect(self._on_own_action)
        self._numbers.line_requested.connect(self.line_requested)
        self._numbers.counters_requested.connect(self.counters_requested)
        self._numbers.cases_requested.connect(self.cases_requested)
        self._body.splitterMoved.connect(self._on_splitter_moved)

    def _on_empty_action(self) -> None:
        if self._shown is not None and self._shown.known:
            self.known_requested.emit(self._shown.known)
        else:
            self._on_own_action()

    def _on_own_action(self) -> None:
        action = self._shown.action if self._shown is not None else ""
        if action == CHOOSE:
            self.place_requested.emit()
        elif action != AGAIN:
            self.profile_requested.emit()

    def _on_export_requested(self, kind: str) -> None:
        name, _ = QFileDialog.getSaveFileName(
            self, "Export the picture", f"profile.{kind}", f"*.{kind}"
        )
        if not name:
            return
        try:
            self.export(Path(name))
        except ExportError as error:
            self.told.emit(str(error))

    def _on_splitter_moved(self) -> None:
        sizes = self._body.sizes()
        if len(sizes) == 2:
            self._shares = (sizes[0], sizes[1])


def _scrolled(widget: QWidget) -> QScrollArea:
    area = QScrollArea()
    area.setFrameShape(QFrame.Shape.NoFrame)
    area.setWidgetResizable(True)
    area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
    area.setWidget(widget)
    return area
