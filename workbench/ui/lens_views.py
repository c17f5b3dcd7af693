"""Keeps the lenses true and linked: what is selected in one lights up in all, and in the editor."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal
from PySide6.QtWidgets import QWidget

from workbench.session.lenses.links import Selection, Trail
from workbench.session.open_document import OpenDocument
from workbench.session.session import Session
from workbench.ui.deferred import Deferred
from workbench.ui.lens_subjects import LensSubjects
from workbench.ui.lenses.registry import LENSES, LensRecord
from workbench.ui.theme.icons import Icons

if TYPE_CHECKING:
    from workbench.session.lenses.subject import LensTarget
    from workbench.ui.lenses.lens import Lens

_OWN = "lenses"  # the key of what is remembered of all of them together
_MOST_LAUNCHES = 50


class LensViews(QObject):
    """The lenses by the keys of their docks; each is built when it is first looked at.

    Nothing of them is loaded before `begin`: a window that starts does without.
    """

    #: A lens wants the cursor at a line.
    line_requested = Signal(int)
    fix_requested = Signal(object, int)
    argument_requested = Signal(str, object)
    analysis_requested = Signal()
    code_requested = Signal(str)
    told = Signal(str)
    #: A second lens of a kind was opened: the key of the first, and the widget.
    twin_opened = Signal(str, QWidget)
    #: Whether one can go back and forward has changed.
    trail_changed = Signal()

    def __init__(self, icons: Icons, records: Iterable[LensRecord] = LENSES) -> None:
        super().__init__()
        self._icons = icons
        self._records = {record.key: record for record in records}
        self._places = {
            key: Deferred(lambda key=key: self._build(key))  # type: ignore[misc]
            for key in self._records
        }
        self._twins: dict[str, list[Lens]] = {key: [] for key in self._records}
        self._kept: dict[str, Any] = {}
        self._shown: tuple[OpenDocument, Session] | None = None
        self._subjects: LensSubjects | None = None
        self._launches: dict[str, int] = {}
        self._before: tuple[LensTarget, ...] = ()
        self._stale: set[Lens] = set()
        self._has_begun = False
        self._is_telling = False
        self.trail = Trail()
        self.trail.changed.connect(self._on_trail_changed)

    @property
    def places(self) -> Mapping[str, QWidget]:
        """What stands in the docks."""
        return {key: deferred.place for key, deferred in self._places.items()}

    def lens(self, key: str) -> Lens:
        """A lens, built now if nobody looked at it yet. KeyError for no such lens."""
        self._has_begun = True
        return self._places[key].wake()

    def twins(self, key: str) -> tuple[Lens, ...]:
        """What was opened of a lens besides the first one."""
        return tuple(self._twins[key])

    def begin(self) -> None:
        """Build what is in sight, and from now on what comes into sight."""
        self._has_begun = True
        for key, deferred in self._places.items():
            if deferred.place.isVisible():
                self.see(key)

    def see(self, key: str) -> None:
        """A lens has come into sight."""
        if self._has_begun:
            self._refresh(self._places[key].wake())

    def show_document(self, document: OpenDocument, session: Session) -> None:
        """Show what is known of a document; what is out of sight waits until it is looked at."""
        self._keep_ghost(document, session)
        self._shown = (document, session)
        self._make_subjects()
        self._show_all()

    def show_nothing(self) -> None:
        """Show that no document is open."""
        self._shown, self._subjects, self._before = None, None, ()
        self._show_all()

    def choose_launch(self, number: int) -> None:
        """Show another launch of the document, from 0, in all lenses."""
        if self._shown is not None:
            self._launches[_path(self._shown[0])] = number
            self._make_subjects()
            self._show_all()

    def follow_cursor(self, line: int) -> None:
        """Light up what the line under the cursor stands for; it is no step of the trail."""
        if not self._is_telling:
            self._light(Selection(line=line))

    def open_twin(self, key: str) -> Lens:
        """Open a lens once more, on the next target, linked in zoom and selection."""
        first, twin = self.lens(key), self._records[key].build(self._icons)
        self._connect(key, twin)
        self._twins[key].append(twin)
        twin.destroyed.connect(lambda: self._forget(key, twin))
        twin.set_subject(first.subject)
        twin.set_selection(self.trail.current)
        other = _other_target(first)
        if other is not None:
            twin.choose_target(other)
        self.twin_opened.emit(key, twin)
        return twin

    def state(self) -> dict[str, Any]:
        """What the lenses remember, by key."""
        built = {k: d.built.state() for k, d in self._places.items() if d.built is not None}
        launches = dict(list(self._launches.items())[-_MOST_LAUNCHES:])
        return self._kept | built | {_OWN: {"version": 1, "launches": launches}}

    def restore(self, states: Mapping[str, Any]) -> None:
        """Take what the lenses remembered."""
        self._kept = {k: v for k, v in states.items() if k in self._records and isinstance(v, dict)}
        own = states.get(_OWN)
        launches = own.get("launches") if isinstance(own, dict) else None
        if isinstance(launches, dict):
            self._launches = {k: n for k, n in launches.items() if type(n) is int and n >= 0}

    def _build(self, key: str) -> Lens:
        lens = self._records[key].build(self._icons)
        lens.restore(self._kept.get(key, {}))
        self._connect(key, lens)
        self._stale.add(lens)
        return lens

    def _connect(self, key: str, lens: Lens) -> None:
        lens.selected.connect(self.trail.select)
        lens.fix_requested.connect(self.fix_requested)
        lens.argument_requested.connect(self.argument_requested)
        lens.analysis_requested.connect(self.analysis_requested)
        lens.code_requested.connect(self.code_requested)
        lens.launch_chosen.connect(self.choose_launch)
        lens.told.connect(self.told)
        lens.twin_requested.connect(lambda: self.open_twin(key))
        lens.view_changed.connect(lambda view: self._link_view(key, lens, view))

    def _all(self) -> Iterator[Lens]:
        for key, deferred in self._places.items():
            if deferred.built is not None:
                yield deferred.built
            yield from self._twins[key]

    def _forget(self, key: str, twin: Lens) -> None:
        """A twin was closed, which deletes it."""
        self._twins[key].remove(twin)
        self._stale.discard(twin)

    def _show_all(self) -> None:
        self._stale.update(self._all())
        # A dock behind another's tab counts as visible, though nothing of it is in sight.
        seen = [lens for lens in self._all() if not lens.visibleRegion().isEmpty()]
        for lens in seen:
            self._give(lens)

    def _refresh(self, lens: Lens) -> None:
        if lens in self._stale:
            self._give(lens)

    def _give(self, lens: Lens) -> None:
        self._stale.discard(lens)
        lens.set_subject(self._subjects.of(lens.follows) if self._subjects is not None else None)
        lens.set_selection(self.trail.current)

    def _make_subjects(self) -> None:
        if self._shown is not None:
            launch = self._launches.get(_path(self._shown[0]), 0)
            self._subjects = LensSubjects(*self._shown, self._before, launch)

    def _keep_ghost(self, document: OpenDocument, session: Session) -> None:
        """Remember how it was with the case's own arguments while others are tried."""
        if self._has_begun and not document.overrides:
            from workbench.session.lenses.subject import lens_subject  # a window starts without

            self._before = lens_subject(document, session).targets
        elif self._shown is None or self._shown[0] is not document:
            self._before = ()

    def _light(self, selection: Selection) -> None:
        for lens in self._all():
            lens.set_selection(selection)

    def _link_view(self, key: str, teller: Lens, view: tuple[float, float, float]) -> None:
        first = self._places[key].built
        for lens in (*([first] if first is not None else []), *self._twins[key]):
            if lens is not teller:
                lens.take_view(view)

    def _on_trail_changed(self, selection: Selection) -> None:
        self._is_telling = True
        self._light(selection)
        if selection.line is not None:
            self.line_requested.emit(selection.line)
        self._is_telling = False
        self.trail_changed.emit()


def _path(document: OpenDocument) -> str:
    return str(document.path) if document.path is not None else document.title


def _other_target(lens: Lens) -> str | None:
    """The target after the one that a lens shows; None where there is no other."""
    shown, subject = lens.target, lens.subject
    if shown is None or subject is None or len(subject.targets) < 2:
        return None
    return subject.targets[(shown.mark + 1) % len(subject.targets)].target.name
