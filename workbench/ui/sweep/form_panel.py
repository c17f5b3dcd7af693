"""The form of a new sweep beside what remains of its points and why the others fall out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from PySide6.QtCore import QPoint, Qt, Signal
from PySide6.QtGui import QDoubleValidator, QIntValidator
from PySide6.QtWidgets import (
    QCheckBox,
    QFormLayout,
    QHBoxLayout,
    QMenu,
    QScrollArea,
    QVBoxLayout,
    QWidget,
)

from workbench.core.sweeps.findings import Fate
from workbench.session.sweeps.form import SweepForm
from workbench.session.sweeps.sieve import Sieved
from workbench.ui.sweep.axis_rows import AxisRows
from workbench.ui.sweep.columns import FATES
from workbench.ui.sweep.text_lines import number_of, set_text, text_line
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PickerButton, push_button
from workbench.ui.widgets.conclusion import ConclusionLabel
from workbench.ui.widgets.data_table import DataTable
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import divider, text_label

_MOST_POINTS = 100_000
_FORM_WIDTH = 560
_NOWHERE = "nowhere: predict alone"
_NO_KERNEL = "A sweep needs a document with a kernel: it tries the kernel's configurations."
_ROW_HEIGHT = 28
_BELOW_BOX = 24  # what belongs to a box begins where its words do


class FormPanel(QWidget):
    """It shows a form and tells of every change; it decides nothing."""

    form_edited = Signal(object)
    start_requested = Signal()
    targets_requested = Signal(QWidget)
    open_requested = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons, theme = icons, icons.theme
        self._form: SweepForm | None = None
        self._cases: tuple[str, ...] = ()
        self._places: tuple[str, ...] = ()
        self.decorator = QCheckBox()
        self._offered = text_label(theme, "", TextRole.NOTE, "fg3")
        self._offered.setWordWrap(True)
        self._offered.setContentsMargins(_BELOW_BOX, 0, 0, 0)
        self.rows = AxisRows(icons)
        self._conditions = text_line("Conditions", "none; such as block_M * block_N <= 32768")
        self._case = PickerButton(icons, "Cases to sweep over")
        self._targets = PickerButton(icons, "Targets to sweep for")
        self._place = PickerButton(icons, "Whose GPUs measure")
        self._scheduler = text_line(
            "Dask scheduler", "none; such as ssh://gpu1,gpu2 or slurm://?queue=gpu"
        )
        self._points = text_line("Most measurements", "a quarter of what compiles")
        self._minutes = text_line("Most minutes", "no limit")
        self._all = QCheckBox("Measure every configuration that compiles")
        self._early = QCheckBox("End early where nothing promising is left")
        self._count = ConclusionLabel(theme, "")
        self.start = push_button(icons, "Start sweep", "primary", "play")
        self.reasons: DataTable[Fate] = DataTable(
            icons, "Why points fall out", FATES, lambda fate: (fate.stage, fate.code)
        )
        self._hint = text_label(theme, "", TextRole.LABEL, "fg3")
        self._hint.setWordWrap(True)
        self._empty = EmptyState(icons, "file", _NO_KERNEL, "Open a document")
        self._body = QWidget()
        self._lay_out()
        self._connect()
        self.set_form(None, (), ())

    def set_form(self, form: SweepForm | None, cases: Sequence[str], places: Sequence[str]) -> None:
        """Show a form; `cases` and `places` are what can be chosen."""
        self._form, self._cases, self._places = form, tuple(cases), tuple(places)
        self._body.setVisible(form is not None)
        self._empty.setVisible(form is None)
        if form is None:
            self.rows.set_fields(())
            return
        self._show_fields()
        set_text(self._conditions, "; ".join(form.conditions))
        set_text(self._scheduler, form.scheduler)
        set_text(self._points, "" if form.points is None else str(form.points))
        set_text(self._minutes, "" if form.minutes is None else f"{form.minutes:g}")
        for box, value in ((self._all, form.is_exhaustive), (self._early, form.early_stop)):
            box.blockSignals(True)
            box.setChecked(value)
            box.blockSignals(False)
        self._show_choices()

    def _show_fields(self) -> None:
        """The parameters, and above them what the kernel's decorator offers."""
        form = self._form
        assert form is not None
        self.rows.set_fields(form.fields, form.listed)
        offer = form.offer
        self.decorator.setVisible(offer is not None)
        self._offered.setVisible(offer is not None)
        if offer is None:
            return
        self.decorator.setText(offer.title)
        self.decorator.setAccessibleName(offer.title)
        self.decorator.setToolTip(f"{offer.title}. {offer.note}")
        self.decorator.setEnabled(bool(offer.configurations))
        self.decorator.blockSignals(True)
        self.decorator.setChecked(bool(form.configurations))
        self.decorator.blockSignals(False)
        self._offered.setText(offer.note)

    def show_sieved(self, sieved: Sieved) -> None:
        """Say how many points remain, and why others fell out."""
        self._count.set_conclusion(sieved.sentence)
        self.reasons.set_rows(sieved.fates)
        self.reasons.setVisible(bool(sieved.fates))
        self._hint.setVisible(not sieved.fates)
        self.start.setEnabled(not sieved.problem and (sieved.left > 0 or not sieved.is_complete))

    def set_targets(self, names: Sequence[str]) -> None:
        """Take targets that were chosen."""
        self._edit(targets=tuple(names))

    @property
    def targets_place(self) -> QPoint:
        """Where a menu of targets belongs."""
        return self._targets.mapToGlobal(QPoint(0, self._targets.height() + 4))

    def _show_choices(self) -> None:
        form = self._form
        assert form is not None
        self._case.setText(", ".join(form.cases))
        self._targets.setText(", ".join(form.targets) or "choose")
        self._place.setText(", ".join(form.places) or _NOWHERE)
        self._fill(self._case, self._cases, form.cases, "cases")
        self._fill(self._place, self._places, form.places, "places")
        for picker in (self._case, self._targets, self._place):
            picker.updateGeometry()
        is_local = not form.scheduler
        self._place.setEnabled(is_local and bool(self._places))
        self._hint.setText(form.explanation)
        self._all.setEnabled(form.measures)
        for field in (self._points, self._early):
            field.setEnabled(form.measures and not form.is_exhaustive)

    def _fill(
        self, picker: PickerButton, names: Sequence[str], chosen: Sequence[str], what: str
    ) -> None:
        menu = picker.menu() or QMenu(picker)
        menu.clear()
        for name in names:
            action = menu.addAction(name)
            action.setCheckable(True)
            action.setChecked(name in chosen)
            action.toggled.connect(lambda on, name=name: self._toggle(what, name, on))
        if not names:
            menu.addAction("No GPU is known: add a host, or use one with a GPU").setEnabled(False)
        picker.setMenu(menu)

    def _toggle(self, what: str, name: str, on: bool) -> None:
        form = self._form
        if form is None:
            return
        before: tuple[str, ...] = getattr(form, what)
        after = tuple(n for n in before if n != name) + ((name,) if on else ())
        if after or what == "places":
            self._edit(**{what: after})
        self._show_choices()

    def _edit(self, **changes: object) -> None:
        if self._form is not None:
            self._form = replace(self._form, **changes)  # type: ignore[arg-type]
            self._show_choices()
            self.form_edited.emit(self._form)

    def _on_row_edited(self, name: str, text: str, varied: bool) -> None:
        if self._form is not None:
            self._form = self._form.with_field(name, text, varied)
            self._show_fields()
            self.form_edited.emit(self._form)

    def _on_decorator_toggled(self, on: bool) -> None:
        if self._form is not None:
            self._edit(takes_offer=on)
            self._show_fields()

    def _on_text_edited(self) -> None:
        words = (word.strip() for word in self._conditions.text().split(";"))
        points, minutes = self._points.text(), self._minutes.text().replace(",", ".")
        self._edit(
            conditions=tuple(word for word in words if word),
            scheduler=self._scheduler.text().strip(),
            points=int(points) if points.isdecimal() else None,
            minutes=number_of(minutes),
            is_exhaustive=self._all.isChecked(),
            early_stop=self._early.isChecked(),
        )

    def _connect(self) -> None:
        self.rows.edited.connect(self._on_row_edited)
        self.decorator.toggled.connect(self._on_decorator_toggled)
        for line in (self._conditions, self._scheduler, self._points, self._minutes):
            line.textEdited.connect(lambda _: self._on_text_edited())
        for box in (self._all, self._early):
            box.toggled.connect(lambda _: self._on_text_edited())
        self._targets.clicked.connect(lambda: self.targets_requested.emit(self._targets))
        self.start.clicked.connect(self.start_requested)
        self._empty.action_triggered.connect(self.open_requested)

    def _lay_out(self) -> None:
        self._points.setValidator(QIntValidator(1, _MOST_POINTS, self))
        self._minutes.setValidator(QDoubleValidator(0.1, 1e6, 1, self))
        left = QScrollArea()
        left.setWidgetResizable(True)
        left.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        left.setWidget(self._fields())
        left.setFixedWidth(_FORM_WIDTH)
        right = QVBoxLayout()
        right.setContentsMargins(16, 8, 16, 8)
        right.setSpacing(8)
        row = QHBoxLayout()
        row.addWidget(self._count, 1)
        row.addWidget(self.start)
        right.addLayout(row)
        right.addWidget(self._hint)
        right.addWidget(self.reasons, 1)
        right.addStretch(0)
        pages = QVBoxLayout(self)
        pages.setContentsMargins(0, 0, 0, 0)
        pages.addWidget(self._body)
        pages.addWidget(self._empty)
        layout = QHBoxLayout(self._body)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        layout.addWidget(left)
        line = divider()
        line.setMaximumHeight(16_777_215)
        line.setMinimumHeight(16)
        layout.addWidget(line)
        layout.addLayout(right, 1)

    def _fields(self) -> QWidget:
        inside = QWidget()
        column = QVBoxLayout(inside)
        column.setContentsMargins(16, 8, 16, 16)
        column.setSpacing(8)
        title = text_label(self._icons.theme, "What is varied", TextRole.STRONG, "fg")
        column.addWidget(title)
        column.addWidget(self.decorator)
        column.addWidget(self._offered)
        column.addWidget(self.rows)
        form = QFormLayout()
        form.setContentsMargins(0, 8, 0, 0)
        form.setHorizontalSpacing(12)
        form.setVerticalSpacing(6)
        for name, field in (
            ("Only where", self._conditions),
            ("Cases", self._case),
            ("Targets", self._targets),
            ("Measure on", self._place),
            ("Dask scheduler", self._scheduler),
            ("Most points", self._points),
            ("Most minutes", self._minutes),
        ):
            label = text_label(self._icons.theme, name, TextRole.LABEL, "fg3")
            label.setMinimumHeight(_ROW_HEIGHT)
            form.addRow(label, field)
        column.addLayout(form)
        column.addWidget(self._all)
        column.addWidget(self._early)
        column.addStretch(1)
        return inside
