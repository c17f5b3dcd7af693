"""What of the code is being read: which text, compared with which, and what is still to be made."""

from __future__ import annotations

from dataclasses import replace

from workbench.core.jobs import CompileResult, PassesResult
from workbench.session.code_comparisons import (
    ALONE,
    BEFORE,
    PINNED,
    Against,
    Comparison,
    left_place,
    needed,
)
from workbench.session.code_inputs import CodeInputs, Stage, State
from workbench.session.code_passes import PassTrace, step
from workbench.session.code_view import CodeView, Content, Place


class CodeReading:
    """The choices of the person who reads, kept through new results as far as they still apply.

    Passes are compared with what they were given, and stages stand alone, until another
    comparison is chosen for them.
    """

    def __init__(self) -> None:
        self.view = CodeView()
        self.place: Place | None = None
        self.pinned: Place | None = None
        self.wants_passes = False
        self.only_changes = False
        self.first_stage = Stage.SOURCE
        self._recording: set[str] = set()
        self._asked: dict[tuple[str, Stage], CompileResult | None] = {}
        self._started: set[tuple[str, Stage]] = set()
        self._unanswered: set[tuple[str, Stage]] = set()
        self._of_stages, self._of_passes = ALONE, BEFORE

    @property
    def comparison(self) -> Comparison:
        """The comparison chosen for what is read."""
        is_pass = self.place is not None and self.place.pass_index is not None
        return self._of_passes if is_pass else self._of_stages

    @property
    def right(self) -> Content | None:
        """The text that is read; None where there is none to choose."""
        return self.view.content(self.place) if self.place is not None else None

    @property
    def left_place(self) -> Place | None:
        """The place that it is compared with."""
        if self.place is None:
            return None
        return left_place(self.view, self.place, self.comparison, self.pinned)

    @property
    def left(self) -> Content | None:
        """The text that it is compared with; None where it stands alone."""
        place = self.left_place
        return self.view.content(place) if place is not None else None

    @property
    def is_recording(self) -> bool:
        """Whether the passes of the target are on their way."""
        return self.place is not None and self.place.target in self._recording

    def set_results(self, inputs: CodeInputs) -> None:
        """Take newer results; another document is read from its first target on."""
        if inputs.document != self.view.inputs.document:
            self._forget()
        self.view = replace(self.view, inputs=inputs)
        self._settle_asked()
        if inputs.stale:
            traces = {k: replace(trace, stale=True) for k, trace in self.view.traces.items()}
            self.view = replace(self.view, traces=traces)
        self._keep_place()

    def set_passes(
        self, target: str, result: PassesResult, blobs: tuple[bytes, ...], stale: bool = False
    ) -> None:
        """Take the passes of a target, or why there are none."""
        self._recording.discard(target)
        trace = PassTrace(result, blobs, stale or self.view.inputs.stale)
        self.view = replace(self.view, traces={**self.view.traces, target: trace})
        self._keep_place()

    def choose_target(self, name: str) -> None:
        """Read the same stage, or the pass of the same name, of another target."""
        if self.place is None or self.view.target(name) is None:
            return
        there = left_place(self.view, self.place, Comparison(Against.TARGET, name), None)
        self.place = there or Place(name, self.place.stage or self.first_stage)

    def choose_stage(self, stage: Stage) -> None:
        """Read a stage of the target."""
        if self.place is not None:
            self.place = Place(self.place.target, stage)

    def choose_pass(self, index: int) -> None:
        """Read what a pass has made."""
        if self.place is not None:
            self.place = Place(self.place.target, pass_index=index)

    def step_pass(self, by: int) -> None:
        """Read the pass that is so many further in the list."""
        trace = self.view.traces.get(self.place.target) if self.place is not None else None
        if trace is None or self.place is None:
            return
        index = step(trace.shown(self.only_changes), self.place.pass_index, by)
        if index is not None:
            self.choose_pass(index)

    def choose_comparison(self, comparison: Comparison) -> None:
        """Compare passes, or stages, in this way from now on."""
        if self.place is not None and self.place.pass_index is not None:
            self._of_passes = comparison
        else:
            self._of_stages = comparison

    def pin(self) -> None:
        """Keep what is read, to compare what is read next with it."""
        self.pinned = self.place
        self._of_stages = self._of_passes = PINNED

    def take_wanted(self) -> tuple[tuple[str, Stage], ...]:
        """The stages to ask for now; they count as asked for from then on."""
        if self.view.inputs.stale:
            return ()
        wanted = needed(self.view, (self.place, self.left_place))
        wanted = tuple(key for key in wanted if key not in self._unanswered)
        for key in wanted:
            self.ask(*key)
        return wanted

    def ask(self, target: str, stage: Stage) -> None:
        """Note that a text is asked for."""
        found = self.view.target(target)
        self._unanswered.discard((target, stage))
        self._asked[target, stage] = found.result if found is not None else None
        self.view = replace(self.view, asked=frozenset(self._asked))

    def take_wanted_passes(self) -> str | None:
        """The target whose passes are to be recorded now; they count as asked for."""
        if self.place is None or not self.wants_passes or self.view.inputs.stale:
            return None
        target, name = self.view.target(self.place.target), self.place.target
        trace = self.view.traces.get(name)
        is_new = trace is None or trace.stale
        if target is None or target.result is None or not is_new or name in self._recording:
            return None
        self._recording.add(name)
        return name

    def _forget(self) -> None:
        self.view = CodeView()
        self.pinned = None
        self._recording, self._asked = set(), {}
        self._started, self._unanswered = set(), set()

    def _settle_asked(self) -> None:
        """Take a new result, or the end of the work on one, for the answer to what was asked.

        What the answer does not have is not asked for again by itself.
        """
        for key in [key for key in self._asked if self._is_answered(key)]:
            del self._asked[key]
            self._started.discard(key)
            self.view = replace(self.view, asked=frozenset(self._asked))
            target = self.view.target(key[0])
            if target is not None and self.view.state(target, key[1]) is State.ABSENT:
                self._unanswered.add(key)

    def _is_answered(self, key: tuple[str, Stage]) -> bool:
        target = self.view.target(key[0])
        if target is None:
            return True
        if target.running:
            self._started.add(key)
            return False
        return target.result is not self._asked[key] or key in self._started

    def _keep_place(self) -> None:
        """Stay where that still is; else at the stage, else at the first target."""
        if self.place is not None and self.view.content(self.place) is not None:
            return
        names = [target.name for target in self.view.inputs.targets]
        if not names:
            self.place = None
            return
        before = self.place
        name = before.target if before is not None and before.target in names else names[0]
        stage = before.stage if before is not None else None
        self.place = Place(name, stage or self.first_stage)
