"""The pipeline lens: what a block copies, waits for and computes, over a few turns of its loop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from PySide6.QtWidgets import QVBoxLayout, QWidget

from workbench.session.lenses.ghosts import pipeline_ghost
from workbench.session.lenses.links import Selection
from workbench.session.lenses.pipeline.model import PipelinePicture
from workbench.session.lenses.pipeline.picture import pipeline_picture
from workbench.session.lenses.subject import LensSubject, LensTarget
from workbench.ui.lenses.lens import Lens, NoPicture
from workbench.ui.lenses.picture_view import PictureView
from workbench.ui.lenses.pipeline.legend import Legend
from workbench.ui.lenses.pipeline.timeline_view import TimelineView

_KEYS = (
    "Ctrl and wheel zoom, drag or A and D move, drag with the right button measures, Ctrl+0 resets."
)


class PipelineLens(Lens):
    """One target's timeline. A block selects its line."""

    key = "pipeline"
    title = "Pipeline"
    icon = "timeline"

    def build(self) -> QWidget:
        """The timeline, what its looks mean, and how its times were made."""
        self._shown: PipelinePicture | None = None
        self._was: PipelinePicture | None = None
        self._source: tuple[object, str] | None = None
        self._view = TimelineView(self.theme)
        self._legend = PictureView(self.theme)
        self._view.selected.connect(self.selected)
        self._view.view_changed.connect(self.view_changed)
        body = QWidget()
        layout = QVBoxLayout(body)
        layout.setContentsMargins(0, 0, 0, 12)
        layout.setSpacing(8)
        for each in (self._view, self._legend):
            layout.addWidget(each)
        layout.addStretch(1)
        return body

    @property
    def view(self) -> TimelineView:
        """The picture."""
        return self._view

    @property
    def picture(self) -> PipelinePicture | None:
        """What is shown."""
        return self._shown

    def show_picture(self, subject: LensSubject, target: LensTarget) -> str:
        """Show the timeline of a target."""
        source = (target.analysis, subject.text)
        if self._shown is None or self._source != source:
            self._shown = pipeline_picture(target, subject.text)
            self._source = source
            if self._shown is not None:
                self._show_timeline(self._shown)
        if self._shown is None:
            why = target.why_missing("pipeline")
            raise NoPicture(f"The order of copies and waits is unknown: {why}.")
        was = subject.earlier(target)
        self._was = pipeline_picture(was, subject.text) if was is not None else None
        self._view.set_ghost(_turn(self._was, self._shown))
        return self._shown.conclusion

    def ghost(self, subject: LensSubject, target: LensTarget, was: LensTarget) -> str:
        """The time of a turn before."""
        if self._was is None or self._shown is None:
            return ""
        return pipeline_ghost(self._was, self._shown)

    def show_selection(self, selection: Selection | None) -> None:
        """Light up what belongs to the line or the buffer."""
        self._view.set_lit(selection)

    def document_state(self) -> dict[str, Any]:
        """What was chosen to be seen, in turns."""
        turns = self._view.turns
        return {"turns": list(turns)} if turns is not None else {}

    def restore_document(self, state: Mapping[str, Any]) -> None:
        """See it again."""
        turns = state.get("turns")
        known = isinstance(turns, list) and len(turns) == 2
        numbers = known and all(isinstance(each, (int, float)) for each in turns or ())
        self._view.set_turns((float(turns[0]), float(turns[1])) if numbers and turns else None)

    def take_view(self, view: tuple[float, float, float]) -> None:
        """See the same turns as a twin."""
        self._view.set_turns((view[0], view[1]))

    def _show_timeline(self, picture: PipelinePicture) -> None:
        self._view.set_timeline(picture, f"Pipeline: {picture.conclusion}")
        note = f"{picture.method} {_KEYS}" if picture.is_timed else picture.method
        self._legend.set_picture(Legend(picture, note, self.theme), note)


def _turn(was: PipelinePicture | None, now: PipelinePicture) -> float | None:
    """The µs that as many turns as the bracket has took before, where both are timed."""
    if was is None or was.turn is None or now.turn is None or was.turn == now.turn:
        return None
    return was.turn * now.period / now.turn
