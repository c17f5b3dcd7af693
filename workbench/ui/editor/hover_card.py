"""The card beside a place of the text: its problems with their reasons, and its buffer."""

from __future__ import annotations

import html
from collections.abc import Sequence

from PySide6.QtCore import QEvent, QRect, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent
from PySide6.QtWidgets import QFrame, QHBoxLayout, QLabel, QScrollArea, QVBoxLayout, QWidget

from workbench.session.hover_cards import BufferCard, ProblemCard
from workbench.ui.editor.floating import cast_shadow, placed_off
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.labels import hairline
from workbench.ui.widgets.severity import SeverityMark

WIDTH = 460
BUFFER_WIDTH = 380
_MOST_HEIGHT = 340
_MARGIN, _GAP = 12, 10
_FIX, _HELP = "fix", "help"


class HoverCard(QFrame):
    """Lies over its window; built anew for each place, as each has other parts."""

    #: The person wants a fix made: the `OfferedFix`.
    fix_chosen = Signal(object)
    #: The person wants the page of a code.
    help_chosen = Signal(str)
    #: The pointer has come onto the card, or left it.
    entered = Signal()
    left = Signal()

    def __init__(self, icons: Icons, window: QWidget) -> None:
        super().__init__(window)
        self._icons, self._theme, self._window = icons, icons.theme, window
        self._shown: tuple[tuple[ProblemCard, ...], BufferCard | None] = ((), None)
        self._line = QRect()
        self.setProperty("kind", "popup")
        self.setAccessibleName("What is known of this place")
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area = QScrollArea()
        self._area.setFrameShape(QFrame.Shape.NoFrame)
        self._area.setWidgetResizable(True)
        self._area.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._area.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self._area.setProperty("ground", "float")
        layout = QVBoxLayout(self)
        layout.setContentsMargins(1, 1, 1, 1)
        layout.addWidget(self._area)
        icons.theme.changed.connect(self._on_theme_changed)
        cast_shadow(self, self._theme)
        self.hide()

    @property
    def shown(self) -> tuple[tuple[ProblemCard, ...], BufferCard | None]:
        """What is told."""
        return self._shown

    def show_cards(
        self, problems: Sequence[ProblemCard], buffer: BufferCard | None, line: QRect
    ) -> None:
        """Tell these things beside a line that lies there in the window."""
        self._shown, self._line = (tuple(problems), buffer), line
        self._build()
        self.show()
        self.raise_()

    def enterEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self.entered.emit()

    def leaveEvent(self, event: QEvent) -> None:  # noqa: N802 - Qt's name
        self.left.emit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() == Qt.Key.Key_Escape:
            self.hide()

    def _build(self) -> None:
        problems, buffer = self._shown
        body = QWidget()
        body.setProperty("ground", "float")
        layout = QVBoxLayout(body)
        layout.setContentsMargins(_MARGIN, _GAP, _MARGIN, _GAP)
        layout.setSpacing(_GAP)
        parts = [self._problem(card) for card in problems]
        parts += [self._label(self._buffer_text(buffer))] if buffer is not None else []
        for at, part in enumerate(parts):
            if at:
                layout.addWidget(hairline())
            layout.addWidget(part)
        layout.addStretch(1)
        width = min(WIDTH if problems else BUFFER_WIDTH, self._window.width() - 24)
        self._area.setWidget(body)  # it takes its fonts from the style sheet now
        for part in body.findChildren(QWidget):
            part.ensurePolished()
        height = layout.totalHeightForWidth(width - 2) + 2 * self.frameWidth() + 4
        size = QSize(width, min(height, _MOST_HEIGHT))
        self.setGeometry(placed_off(size, self._line, self._window.rect()))

    def _problem(self, card: ProblemCard) -> QWidget:
        row = QWidget()
        layout = QHBoxLayout(row)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(_GAP)
        mark = SeverityMark(self._icons, card.problem.diagnostic.severity)
        layout.addWidget(mark, 0, Qt.AlignmentFlag.AlignTop)
        text = self._label(self._problem_text(card))
        text.linkActivated.connect(lambda link: self._on_link_activated(card, link))
        layout.addWidget(text, 1)
        return row

    def _problem_text(self, card: ProblemCard) -> str:
        palette, diagnostic = self._theme.palette, card.problem.diagnostic
        note = self._theme.fonts.role(TextRole.NOTE).pixelSize()
        parts = [
            f'<b style="color:{palette.fg}">{html.escape(card.told.title)}</b> '
            f'<span style="color:{palette.fg3}; font-size:{note}px">&nbsp;{diagnostic.code}</span>',
            f'<span style="color:{palette.fg}">{html.escape(diagnostic.message)}</span>',
        ]
        for text in (card.told.advice, card.told.reason):
            if text:
                parts.append(f'<span style="color:{palette.fg2}">{html.escape(text)}</span>')
        if card.targets:
            who = ", ".join(card.targets)
            parts.append(f'<span style="color:{palette.fg3}">Concerns {html.escape(who)}.</span>')
        parts.append(self._links(card))
        return "".join(f'<p style="margin:0 0 5px 0">{part}</p>' for part in parts if part)

    def _links(self, card: ProblemCard) -> str:
        links = []
        if card.fix is not None:
            links.append((_FIX, card.fix.title))
        if card.told.page is not None:
            links.append((_HELP, "Explain (F1)"))
        accent = self._theme.palette.accent
        return " &nbsp;&nbsp; ".join(
            f'<a href="{name}" style="color:{accent}; text-decoration:none">{html.escape(text)}</a>'
            for name, text in links
        )

    def _buffer_text(self, card: BufferCard) -> str:
        palette = self._theme.palette
        family = self._theme.fonts.monospace(12).family()
        rows = "".join(
            f'<tr><td style="color:{palette.fg3}; padding-right:14px">{html.escape(label)}</td>'
            f'<td style="color:{palette.fg}">{html.escape(value)}</td></tr>'
            for label, value in card.rows
        )
        return (
            f'<p style="margin:0 0 5px 0"><b style="color:{palette.fg}; '
            f"font-family:'{family}'\">{html.escape(card.name)}</b>&nbsp;&nbsp;"
            f'<span style="color:{palette.fg2}">{html.escape(card.summary)}</span></p>'
            f'<table cellspacing="0" cellpadding="1">{rows}</table>'
        )

    def _label(self, text: str) -> QLabel:
        label = QLabel(text)
        label.setTextFormat(Qt.TextFormat.RichText)
        label.setWordWrap(True)
        label.setFont(self._theme.fonts.role(TextRole.LABEL))
        label.setTextInteractionFlags(
            Qt.TextInteractionFlag.LinksAccessibleByMouse
            | Qt.TextInteractionFlag.TextSelectableByMouse
        )
        return label

    def _on_link_activated(self, card: ProblemCard, link: str) -> None:
        self.hide()
        if link == _FIX and card.fix is not None:
            self.fix_chosen.emit(card.fix)
        elif link == _HELP:
            self.help_chosen.emit(card.problem.diagnostic.code)

    def _on_theme_changed(self) -> None:
        cast_shadow(self, self._theme)
        if self.isVisible():
            self._build()
