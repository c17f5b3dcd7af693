"""The wizard's page: steps at the left, the step in the middle, costs and code at the right."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeyEvent, QResizeEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QScrollArea,
    QScrollBar,
    QStackedWidget,
    QVBoxLayout,
    QWidget,
)

from workbench.session.patterns.draft import CHECK, DONE
from workbench.session.patterns.wizard_view import WizardView
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.tokens import METRICS
from workbench.ui.widgets.buttons import push_button
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.labels import hairline, text_label
from workbench.ui.wizard.check_panel import CheckPanel
from workbench.ui.wizard.costs import CostsPanel, grounded
from workbench.ui.wizard.done_panel import DonePanel
from workbench.ui.wizard.form import StepForm
from workbench.ui.wizard.start_page import StartPage
from workbench.ui.wizard.step_list import StepList

_STEPS_WIDTH, _COSTS_SHARE, _FIELDS_SHARE = 212, 10, 13
_LOW = 740  # px of height below which the meters take less
_RAIL, _NARROW = 54, 1120  # px of the steps' discs alone, and of a page that has room for no more


class WizardPage(QStackedWidget):
    """Enter goes on, Esc leaves; everything that was chosen is kept."""

    step_chosen = Signal(str)
    next_requested = Signal()
    back_requested = Signal()
    recommended_requested = Signal()
    other_requested = Signal()
    left = Signal()
    started_over = Signal()

    def __init__(self, icons: Icons, lexer: LineLexer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self.view: WizardView | None = None
        self.start = StartPage(icons)
        self.steps = StepList(icons)
        self.form = StepForm(icons)
        self.check = CheckPanel(icons)
        self.done = DonePanel(icons)
        self.costs = CostsPanel(icons, lexer)
        theme = icons.theme
        self._title = text_label(theme, "", TextRole.NARROW_CONCLUSION, "fg")
        strong = theme.fonts.role(TextRole.NARROW_CONCLUSION)
        strong.setWeight(theme.fonts.role(TextRole.HEADING).weight())
        self._title.setFont(strong)
        self._subtitle = text_label(theme, "", TextRole.LABEL, "fg3")
        self._heading = text_label(theme, "", TextRole.TITLE, "fg")
        self.conclusion = ConclusionLabel(theme)
        self.why_not = ElidedLabel(theme, "", TextRole.LABEL, "error")
        self.back = push_button(icons, "Back")
        self.recommended = push_button(icons, "Use recommended", icon="star")
        self.over = push_button(icons, "Start over", "flat")
        self.other = push_button(icons, "")
        self.next = push_button(icons, "Next", "primary")
        self._scroll = QScrollArea()
        self.setAccessibleName("New kernel from a pattern")
        self._lay_out()
        self._connect()

    @property
    def fields_bar(self) -> QScrollBar:
        """The scroll bar of the step."""
        return self._scroll.verticalScrollBar()

    def set_view(self, view: WizardView | None) -> None:
        """Show a draft, or the choice of a pattern."""
        before, self.view = self.view, view
        if view is None:
            self.setCurrentWidget(self.start)
            return
        self.setCurrentIndex(1)
        self._title.setText(view.title)
        self._subtitle.setText(view.subtitle)
        self.steps.set_steps(view.steps)
        self._heading.setText(view.heading)
        self.conclusion.set_conclusion(view.conclusion)
        self._show_body(view)
        self.costs.set_view(view)
        self._show_buttons(view)
        if before is None or before.step != view.step:
            self.fields_bar.setValue(0)
            self._focus(view)

    def commit(self) -> None:
        """Take what is typed and not told yet."""
        self.form.commit()

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802 - Qt's name
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter) and self.view is not None:
            self.next.click()
        elif event.key() == Qt.Key.Key_Escape:
            self.left.emit()
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:  # noqa: N802 - Qt's name
        super().resizeEvent(event)
        pixels = self._icons.theme.fonts.pixels
        self.costs.meters.set_low(self.height() < pixels(_LOW))
        narrow = self.width() < pixels(_NARROW)
        self._steps_panel.setFixedWidth(pixels(_RAIL if narrow else _STEPS_WIDTH))
        for part in (self._title, self._subtitle, self.over):
            part.setHidden(narrow)
        self.steps.set_narrow(narrow)

    def _focus(self, view: WizardView) -> None:
        if view.step in (CHECK, DONE):
            self.next.setFocus(Qt.FocusReason.OtherFocusReason)
        else:
            self.form.focus_first()

    def _show_body(self, view: WizardView) -> None:
        if view.check is not None:
            self.check.set_checks(view.check)
            self._show_only(self.check)
        elif view.done is not None:
            self.done.set_done(view.done)
            self._show_only(self.done)
        else:
            self.form.show_fields(view.fields, view.requirements, view.meters.labels)
            self._show_only(self.form)

    def _show_only(self, body: QWidget) -> None:
        """Show one body; the others are hidden, since a stack is as high as its highest page."""
        for each in (self.form, self.check, self.done):
            if each is not body:
                each.hide()
        body.show()

    def _show_buttons(self, view: WizardView) -> None:
        self.back.setText(view.back)
        self.next.setText(view.next)
        self.next.setEnabled(not view.why_not)
        self.next.setToolTip(view.why_not or view.next)
        self.why_not.set_text(view.why_not)
        self.why_not.setVisible(bool(view.why_not))
        self.recommended.setEnabled(view.can_recommend)
        self.recommended.setVisible(bool(view.fields))
        other = view.done.other if view.done is not None else ""
        self.other.setText(other)
        self.other.setVisible(bool(other))

    def _connect(self) -> None:
        self.steps.step_chosen.connect(self.step_chosen)
        self.next.clicked.connect(self._on_next_clicked)
        self.back.clicked.connect(self.back_requested)
        self.recommended.clicked.connect(self.recommended_requested)
        self.other.clicked.connect(self.other_requested)
        self.over.clicked.connect(self.started_over)
        self.costs.cards.mend_chosen.connect(self.form.value_chosen)

    def _on_next_clicked(self) -> None:
        self.commit()
        self.next_requested.emit()

    def _lay_out(self) -> None:
        self.addWidget(self.start)
        page = QWidget()
        row = QHBoxLayout(page)
        row.setContentsMargins(0, 0, 0, 0)
        row.setSpacing(0)
        row.addWidget(self._left())
        row.addWidget(_line())
        row.addWidget(self._middle(), _FIELDS_SHARE)
        row.addWidget(_line())
        row.addWidget(self.costs, _COSTS_SHARE)
        self.addWidget(page)

    def _left(self) -> QWidget:
        panel = self._steps_panel = grounded(QWidget(), "bg2")
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(0, 20, 0, 12)
        layout.setSpacing(4)
        for label in (self._title, self._subtitle):
            label.setWordWrap(True)
            label.setContentsMargins(20, 0, 14, 0)
            layout.addWidget(label)
        layout.addSpacing(12)
        layout.addWidget(self.steps)
        layout.addStretch(1)
        self.over.setToolTip("Give up what was chosen of this pattern, and begin anew")
        over = QHBoxLayout()
        over.setContentsMargins(12, 0, 0, 0)
        over.addWidget(self.over, 0, Qt.AlignmentFlag.AlignLeft)
        layout.addLayout(over)
        return panel

    def _middle(self) -> QWidget:
        panel = grounded(QWidget(), "bg1")
        layout = QVBoxLayout(panel)
        layout.setContentsMargins(0, 20, 0, 0)
        layout.setSpacing(0)
        inset = METRICS.wizard_inset
        head = QVBoxLayout()
        head.setContentsMargins(inset, 0, inset, 10)
        head.setSpacing(8)
        head.addWidget(self._heading)
        head.addWidget(self.conclusion)
        layout.addLayout(head)
        line = hairline(strong=True)
        layout.addWidget(line)
        sheet = grounded(QWidget(), "bg1")
        inner = QVBoxLayout(sheet)
        inner.setContentsMargins(inset, 0, inset, 8)
        for body in (self.form, self.check, self.done):
            inner.addWidget(body)
            body.hide()
        inner.addStretch(1)
        self._scroll.setProperty("ground", "bg1")
        self._scroll.setFrameShape(QFrame.Shape.NoFrame)
        self._scroll.setWidgetResizable(True)
        self._scroll.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self._scroll.setWidget(sheet)
        layout.addWidget(self._scroll, 1)
        layout.addWidget(hairline(strong=True))
        why = QHBoxLayout()
        why.setContentsMargins(inset, 6, inset, 0)
        why.addWidget(self.why_not, 1)
        layout.addLayout(why)
        layout.addLayout(self._foot(inset))
        return panel

    def _foot(self, inset: int) -> QHBoxLayout:
        foot = QHBoxLayout()
        foot.setContentsMargins(inset, 10, inset, 10)
        foot.setSpacing(8)
        foot.addWidget(self.back)
        foot.addWidget(self.recommended)
        foot.addStretch(1)
        foot.addWidget(self.other)
        self.next.setMinimumWidth(184)
        foot.addWidget(self.next)
        return foot


def _line() -> QFrame:
    line = QFrame()
    line.setProperty("kind", "divider")
    line.setFixedWidth(1)
    return line
