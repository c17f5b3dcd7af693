"""What a comparison asks of the worker: texts of the stages of a run, predictions for targets."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from workbench.core.documents.selection import SelectionError, select
from workbench.core.history import History, HistoryError
from workbench.core.jobs import CompileResult, Source
from workbench.core.plain import PlainError, from_plain
from workbench.core.runs import Run
from workbench.core.targets.labels import short_label
from workbench.core.targets.table import TargetError
from workbench.session.code_inputs import STAGES, Stage, State
from workbench.session.code_view import Content, Place
from workbench.session.open_document import OpenDocument
from workbench.session.recording import record_analysis
from workbench.session.requests import Item, analyze_request, compile_request, source_of
from workbench.session.results import WORK
from workbench.session.session import Session
from workbench.session.signal import Signal
from workbench.wire.events import Ended

_CURE = "Lower it to see this text."


class CannotRunError(Exception):
    """A run cannot be lowered again here; the message says why."""


@dataclass(frozen=True)
class StageText:
    """A stage of a run: its text, or why it is not there."""

    text: str | None
    why: str = ""
    is_coming: bool = False


class ComparisonJobs:
    """Keeps the texts that were asked for, by run and stage."""

    def __init__(self, session: Session) -> None:
        #: A text came, or was asked for.
        self.changed: Signal[[]] = Signal()
        #: Predictions were made, or something went wrong: a sentence.
        self.told: Signal[[str]] = Signal()
        self._session = session
        self._texts: dict[tuple[str, Stage], StageText] = {}

    def stage(self, run: Run, stage: Stage) -> StageText:
        """A stage of a run: what it stored, or what was lowered since."""
        known = self._texts.get((run.id, stage))
        if known is None:
            known = StageText(_stored(self._session.history(), run, stage.value))
            if known.text is not None:
                self._texts[(run.id, stage)] = known
        return known

    def lower(self, run: Run, text: str | None, stage: Stage) -> None:
        """Have the stage of a run made from the text that it ran; says why where it cannot be."""
        known = self.stage(run, stage)
        if known.text is not None or known.is_coming:
            return
        try:
            item, document = self._item(run, text)
        except CannotRunError as error:
            self._texts[(run.id, stage)] = StageText(None, str(error))
            self.changed.emit()
            return
        needs_code = stage in (Stage.PTX, Stage.SASS)
        source = source_of(document.parsed, self._session.workspace, True)
        request = compile_request(item, source, (stage.value,), needs_code)
        self._texts[(run.id, stage)] = StageText(None, "", True)

        def on_end(ended: Ended) -> None:
            self._texts[(run.id, stage)] = _answer(ended, stage)
            self.changed.emit()

        label = f"Lower {item.selection.kernel.name} for {short_label(item.target)}"
        self._session.jobs.submit(
            request, on_end, label=label, lane=WORK, limits=self._session.limits()
        )
        self.changed.emit()

    def predict(self, run: Run, text: str | None, targets: Sequence[str]) -> None:
        """Predict the kernel of a run for these targets; each prediction becomes a run."""
        try:
            item, document = self._item(run, text)
        except CannotRunError as error:
            self.told.emit(str(error))
            return
        source = source_of(document.parsed, self._session.workspace, True)
        for name in targets:
            target = self._session.targets.resolve(name)
            self._predict(dataclasses.replace(item, target=target), source)

    def _predict(self, item: Item, source: Source) -> None:
        session = self._session

        def on_end(ended: Ended) -> None:
            if ended.outcome == "cancelled":
                return
            try:
                run, blobs = record_analysis(item, ended, session.workspace)
                session.history().add(run, blobs)
            except HistoryError as error:
                self.told.emit(str(error))
            session.runs_changed.emit()

        label = f"Predict {item.selection.kernel.name} for {short_label(item.target)}"
        request = analyze_request(item, source)
        session.jobs.submit(request, on_end, label=label, lane=WORK, limits=session.limits())

    def _item(self, run: Run, text: str | None) -> tuple[Item, OpenDocument]:
        """What a run ran, to be lowered again. Raises CannotRunError."""
        if text is None or run.kernel is None:
            raise CannotRunError("The text of this run is not kept, so it cannot be lowered again.")
        foreign = run.origin is not None
        path = None if foreign or run.document is None else Path(run.document)
        if path is not None and not path.is_absolute():
            path = self._session.workspace / path
        document = OpenDocument.of(text, path, run.document or "untitled.py")
        document.foreign = foreign
        if not self._session.trusts(document):
            raise CannotRunError(
                "This run came from elsewhere, so its text is not run unasked: open its text and "
                "save it in a folder that you trust."
            )
        try:
            names = [case.name for case in document.cases]
            case = run.case if run.case in names else None
            selection = select(document.parsed, run.kernel, case)[0]
            target = self._session.targets.resolve(run.target or "")
        except (SelectionError, TargetError) as error:
            raise CannotRunError(str(error)) from error
        chosen = dataclasses.replace(selection, args=dict(run.args))
        return Item(document.parsed, chosen, target), document


def _stored(history: History, run: Run, name: str) -> str | None:
    """The text of a stage that a run stored; None where it did not, or it is gone."""
    artifact = next((a for a in run.artifacts if a.name == name), None)
    if artifact is None:
        return None
    try:
        return history.blob(artifact.blob).decode("utf-8", "replace")
    except HistoryError:
        return None


def _answer(ended: Ended, stage: Stage) -> StageText:
    if ended.outcome != "done":
        why = ended.failure.message if ended.failure else f"the job was {ended.outcome}"
        return StageText(None, why)
    try:
        result = from_plain(CompileResult, ended.result)
    except PlainError as error:
        return StageText(None, str(error))
    if stage.value in result.emitted:
        return StageText(result.emitted[stage.value])
    failure = result.failure.message if result.failure is not None else ""
    return StageText(None, failure or result.missing.get(stage.value, "it was not made"))


def stage_content(run: Run, letter: str, label: str, stage: Stage, found: StageText) -> Content:
    """A stage of a run as the panels of code show it."""
    info = STAGES[stage]
    state = State.READY if found.text is not None else State.ABSENT
    if found.is_coming:
        state = State.LOADING
    elif found.why:
        state = State.MISSING
    sentence = found.why or ("" if found.text is not None else _CURE)
    return Content(
        Place(f"{run.id}/{label}", stage),
        state,
        f"{letter} · {info.title}",
        label,
        sentence,
        info.language,
        found.text or "",
    )
