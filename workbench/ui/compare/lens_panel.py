"""One lens on two runs, linked: zoom, selection and lines are those of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QHBoxLayout, QMenu, QSplitter, QVBoxLayout, QWidget

from workbench.session.comparison_view.model import ColumnHead
from workbench.session.lenses.links import Selection
from workbench.session.lenses.subject import LensSubject
from workbench.ui.lenses.lens import Lens
from workbench.ui.lenses.registry import LENSES, LensRecord
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import PickerButton
from workbench.ui.widgets.empty_state import EmptyState
from workbench.ui.widgets.labels import text_label
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch

#: The lenses that need nothing but an analysis.
_KEYS = ("memory", "tiles", "layouts", "banks", "occupancy", "pipeline", "roofline", "operations")
_RECORDS = {record.key: record for record in LENSES if record.key in _KEYS}
_NONE = (
    "This run keeps no analysis, so its lenses have nothing to show. Profiles and predictions "
    "made from now on keep theirs."
)
#: Gives a run as the lenses see it; None where nothing is kept of it.
Subjects = Callable[[str], "LensSubject | None"]


class LensPanel(QWidget):
    """The base at the left, another column at the right; the lenses are built when looked at."""

    told = Signal(str)

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._heads: tuple[ColumnHead, ...] = ()
        self._subjects: Subjects | None = None
        self._chosen = ["", ""]
        self._switch = SegmentedSwitch(
            icons, "Lens", [Segment(key, record.title) for key, record in _RECORDS.items()]
        )
        self._switch.set_current("memory")
        self._pickers = [PickerButton(icons, f"The run at the {side}") for side in _SIDES]
        self._split = QSplitter(Qt.Orientation.Horizontal)
        self._lenses: list[Lens] = []
        self._key = ""
        self._lay_out()
        self._switch.chosen.connect(lambda _: self._show())

    @property
    def lenses(self) -> tuple[Lens, ...]:
        """The two lenses, none before they were looked at or where a run keeps nothing."""
        return tuple(self._lenses)

    def choose(self, key: str) -> None:
        """Show the lens of that key."""
        self._switch.set_current(key)
        self._show()

    def set_columns(self, heads: Sequence[ColumnHead], subjects: Subjects) -> None:
        """Offer these columns; the base stands at the left where nothing else was chosen."""
        self._heads, self._subjects = tuple(heads), subjects
        ids = [head.run_id for head in heads]
        if self._chosen[0] not in ids:
            self._chosen[0] = next(head.run_id for head in heads if head.is_base)
        if self._chosen[1] not in ids or self._chosen[1] == self._chosen[0]:
            self._chosen[1] = next(run for run in ids if run != self._chosen[0])
        self._key = ""
        if self.isVisible():
            self._show()

    def showEvent(self, event: object) -> None:  # noqa: N802 - Qt's name
        super().showEvent(event)  # type: ignore[arg-type]
        self._show()

    def _show(self) -> None:
        if self._subjects is None:
            return
        key = self._switch.current or "memory"
        if key != self._key:
            self._key = key
            self._build(_RECORDS[key])
        self._name_pickers()

    def _build(self, record: LensRecord) -> None:
        """Two new lenses in place of the old ones."""
        assert self._subjects is not None
        self._lenses = []
        while self._split.count():
            old = self._split.widget(0)
            if old is not None:
                old.setParent(None)
                old.deleteLater()
        for run in self._chosen:
            subject = self._subjects(run)
            if subject is None:
                self._split.addWidget(EmptyState(self._icons, "layers", _NONE))
                continue
            lens = record.build(self._icons)
            lens.set_subject(subject)
            lens.told.connect(self.told)
            self._lenses.append(lens)
            self._split.addWidget(lens)
        self._split.setSizes([1000, 1000])
        self._link()

    def _link(self) -> None:
        for lens in self._lenses:
            lens.selected.connect(self._on_lens_selected)
            others = [other for other in self._lenses if other is not lens]
            for other in others:
                lens.view_changed.connect(other.take_view)

    def _on_lens_selected(self, selection: Selection) -> None:
        for lens in self._lenses:
            lens.set_selection(selection)

    def _name_pickers(self) -> None:
        for side, picker in enumerate(self._pickers):
            head = next(head for head in self._heads if head.run_id == self._chosen[side])
            picker.setText(f"{head.letter} · {head.title}")
            picker.updateGeometry()
            menu = picker.menu() or QMenu(picker)
            menu.clear()
            for each in self._heads:
                action = menu.addAction(f"{each.letter} · {each.title}")
                action.triggered.connect(
                    lambda _=False, side=side, run=each.run_id: self._choose_run(side, run)
                )
            picker.setMenu(menu)

    def _choose_run(self, side: int, run: str) -> None:
        if self._chosen[1 - side] == run:
            self._chosen[1 - side] = self._chosen[side]
        self._chosen[side] = run
        self._key = ""
        self._show()

    def sizeHint(self) -> QSize:  # noqa: N802 - Qt's name
        return QSize(900, 600)

    def _lay_out(self) -> None:
        self.setProperty("ground", "bg1")
        row = QHBoxLayout()
        row.setContentsMargins(16, 4, 12, 6)
        row.setSpacing(8)
        row.addWidget(self._pickers[0])
        row.addWidget(text_label(self._icons.theme, "beside", TextRole.LABEL, "fg3"))
        row.addWidget(self._pickers[1])
        row.addWidget(self._switch)
        row.addStretch(1)
        self._split.setChildrenCollapsible(False)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(0)
        column.addLayout(row)
        column.addWidget(self._split, 1)


_SIDES = ("left", "right")
