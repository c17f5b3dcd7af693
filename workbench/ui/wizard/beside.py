"""What stands beside the choices, below their costs: the code so far, or a lens on the draft."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QHBoxLayout, QStackedWidget, QVBoxLayout, QWidget

from workbench.session.patterns.preview import CodeView
from workbench.ui.deferred import Deferred
from workbench.ui.editor.lexing import LineLexer
from workbench.ui.lenses.registry import LENSES
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.elided import ElidedLabel
from workbench.ui.widgets.segmented import Segment, SegmentedSwitch
from workbench.ui.wizard.code_preview import CodePreview

if TYPE_CHECKING:
    from workbench.session.lenses.links import Selection
    from workbench.session.lenses.subject import LensSubject
    from workbench.ui.lenses.lens import Lens

CODE = "code"
_LEAST = 80
_RECORDS = {record.key: record for record in LENSES if record.key in ("memory", "tiles")}
_SEGMENTS = (
    Segment(CODE, "Code", "The kernel so far"),
    Segment("memory", "Memory", "What lies in which memory, and what moves"),
    Segment("tiles", "Tiles", "Where blocks run, and what they read step by step"),
)

SubjectOf = Callable[[str], "LensSubject | None"]


class Beside(QWidget):
    """A lens is built when it is first wanted, and shows what is known of the draft by then."""

    #: Another of them is shown: its key.
    changed = Signal(str)
    #: What happened to a file, in a sentence.
    told = Signal(str)

    def __init__(self, icons: Icons, lexer: LineLexer, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._subject_of: SubjectOf = lambda part: None
        self._note = ""
        self.code = CodePreview(icons, lexer)
        self.switch = SegmentedSwitch(icons, "Beside the choices", _SEGMENTS)
        self.switch.set_current(CODE)
        self._legend = ElidedLabel(icons.theme, "", TextRole.LABEL, "accent")
        self._stack = QStackedWidget()
        self._stack.setMinimumHeight(_LEAST)  # a lens that is not in sight claims nothing
        self._stack.addWidget(self.code)
        self._lenses: dict[str, Deferred[Lens]] = {
            key: Deferred(lambda key=key: self._build(key))  # type: ignore[misc]
            for key in _RECORDS
        }
        for deferred in self._lenses.values():
            self._stack.addWidget(deferred.place)
        head = QHBoxLayout()
        head.setContentsMargins(0, 0, 0, 0)
        head.setSpacing(12)
        head.addWidget(self.switch)
        head.addWidget(self._legend, 1)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(6)
        layout.addLayout(head)
        layout.addWidget(self._stack, 1)
        self.switch.chosen.connect(self.show_key)

    @property
    def key(self) -> str:
        """What is shown: "code", "memory" or "tiles"."""
        return self.switch.current or CODE

    @property
    def lens(self) -> Lens | None:
        """The lens that is shown; None while it is the code."""
        return self._lenses[self.key].built if self.key in self._lenses else None

    def show_key(self, key: str) -> None:
        """Show the code or a lens. Raises KeyError."""
        self.switch.set_current(key)
        if key in self._lenses:
            self._lenses[key].wake()
            self._stack.setCurrentWidget(self._lenses[key].place)
        else:
            self._stack.setCurrentWidget(self.code)
        self._show_legend()
        self._fill()
        self.changed.emit(key)

    def set_code(self, view: CodeView) -> None:
        """Show another code, with what was changed."""
        self.code.set_code(view)
        self._note = view.note
        self._show_legend()

    def _show_legend(self) -> None:
        self._legend.set_text(self._note if self.key == CODE else "")

    def set_subject(self, subject_of: SubjectOf) -> None:
        """Look at another draft: its subject by what a lens has to know of quick figures."""
        self._subject_of = subject_of
        self._fill()

    def _fill(self) -> None:
        lens = self.lens
        if lens is not None:
            lens.set_subject(self._subject_of(lens.follows))

    def _build(self, key: str) -> Lens:
        lens = _RECORDS[key].build(self._icons)
        lens.is_alone = True
        lens.selected.connect(self._on_lens_selected)
        lens.told.connect(self.told)
        return lens

    def _on_lens_selected(self, selection: Selection) -> None:
        for deferred in self._lenses.values():
            if deferred.built is not None:
                deferred.built.set_selection(selection)
