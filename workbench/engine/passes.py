"""The passes job: lowers a kernel with an instrument that keeps what every compiler pass made."""

from __future__ import annotations

import linecache
import re
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import FrameType
from typing import Any

from tilelang import instrumentation
from tvm.ir import CallingConv

from workbench.core.diagnostics import Diagnostic
from workbench.core.jobs import Failure, PassesRequest, PassesResult, PassRecord
from workbench.core.targets.model import Target
from workbench.engine import blame, compiling, environment, lowering
from workbench.engine.doctor.model import Subject

# What TVM calls a pass that was made of a Python function without a name of its own.
_NAMELESS = "pass_fn"
_APPLIED = re.compile(r"(\w+)\([^()]*\)\(")


def record_passes(
    request: PassesRequest, report: compiling.Report
) -> tuple[PassesResult, list[bytes]]:
    """The passes of one lowering in the order in which they ended, and the texts they refer to.

    A lowering that fails has the passes up to the one that failed, whose `text_blob` is None.
    `seconds["record"]` is what keeping the texts has cost; it is in no pass's time.
    """
    watch = compiling.Stopwatch({})
    target = Target.from_json(dict(request.target))
    recorder = Recorder()
    failure: Failure | None = None
    diagnostics: tuple[Diagnostic, ...] = ()
    try:
        report(f"passes for {target.name}")
        with watch.timing("build"):
            built = compiling.build(request, target)
        diagnostics = built.diagnostics
        subject = Subject(target, built)
        with (
            blame.blaming(blame.LOWERING, request.source, request.kernel, subject),
            watch.timing("lower"),
        ):
            _lower_recorded(recorder, built, target)
    except blame.StepError as fault:
        failure, diagnostics = fault.failure, (*diagnostics, *fault.diagnostics)
    watch.seconds["record"] = recorder.cost_seconds
    versions = environment.versions()
    passes = tuple(recorder.passes)
    result = PassesResult(failure, passes, diagnostics, watch.seconds, versions)
    return result, recorder.texts.blobs


def _lower_recorded(recorder: Recorder, built: Any, target: Target) -> None:
    tool = _RecordingTool(recorder)
    with instrumentation.compile_pass_instrumentation(
        tools=[tool], include_default_tools=False, reuse_existing=False
    ):
        lowering.lower(built, lowering.tvm_target(target), instrumentation.create_pass_instruments)


class Texts:
    """Texts by number, each kept once."""

    def __init__(self) -> None:
        self._numbers: dict[str, int] = {}

    @property
    def blobs(self) -> list[bytes]:
        """The texts in the order of their numbers, as UTF-8."""
        return [text.encode() for text in self._numbers]

    def number(self, text: str) -> int:
        """The number of a text, a new one where it has none yet."""
        return self._numbers.setdefault(text, len(self._numbers))


@dataclass(frozen=True)
class _Before:
    """What is known of a pass when it begins; `cost_seconds` is the recorder's until then."""

    name: str
    depth: int
    blob: int
    side: str
    at: float
    cost_seconds: float


class Recorder(instrumentation.PassEventObserver):  # type: ignore[misc] # no type information
    """Keeps a record and the text of each pass that it observes.

    Texts are compared, not structures: some passes write into the module that they were given, so
    a module kept from before the pass is the one after it.
    """

    def __init__(self) -> None:
        self.passes: list[PassRecord] = []
        self.texts = Texts()
        self.cost_seconds = 0.0
        self._last: tuple[Any, int] | None = None
        self._was_split = False

    def pass_started(self, mod: Any, event: Any) -> _Before:
        """Keep what the pass is given."""
        begun = time.perf_counter()
        name = _pass_name(event.name, sys._getframe())
        blob, side = self._blob(mod, known=True), self._side(mod)
        ended = time.perf_counter()
        self.cost_seconds += ended - begun
        return _Before(name, event.depth, blob, side, ended, self.cost_seconds)

    def pass_finished(self, mod: Any, event: Any, state: _Before) -> None:
        """Keep what the pass has made."""
        begun = time.perf_counter()
        seconds = begun - state.at - (self.cost_seconds - state.cost_seconds)
        after = self._blob(mod, known=False)
        self._add(state, after, seconds, self._side(mod))
        self.cost_seconds += time.perf_counter() - begun

    def passes_incomplete(self, passes: Sequence[Any], error: BaseException | None) -> None:
        """Keep the passes that have failed, the innermost first, as those that ended are."""
        now = time.perf_counter()
        for frame in reversed(passes):
            state: _Before = frame.state
            self._add(state, None, now - state.at, state.side)

    def _add(self, state: _Before, after: int | None, seconds: float, side: str) -> None:
        self.passes.append(
            PassRecord(
                index=len(self.passes),
                name=state.name,
                changed=after is not None and after != state.blob,
                before_blob=state.blob,
                text_blob=after,
                seconds=seconds,
                side=side,
                depth=state.depth,
            )
        )

    def _blob(self, mod: Any, known: bool) -> int:
        """The number of a module's text; `known`: nothing has touched the module since its last."""
        if known and self._last is not None and mod.same_as(self._last[0]):
            return self._last[1]
        number = self.texts.number(mod.script())
        self._last = (mod, number)
        return number

    def _side(self, mod: Any) -> str:
        """Whether a module holds host functions, device functions, or is not split into them."""
        packed = {_is_packed(function) for function in mod.functions.values()}
        self._was_split = self._was_split or True in packed
        if not self._was_split or len(packed) != 1:
            return "module"
        return "host" if packed == {True} else "device"


class _RecordingTool(instrumentation.PassInstrumentationTool):  # type: ignore[misc] # as above
    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def create_pass_instrument(self) -> object:
        return instrumentation.StackedPassInstrument(self._recorder)


def _is_packed(function: Any) -> bool:
    """Whether a function is the host's entry, which `MakePackedAPI` makes."""
    attrs: Mapping[str, Any] = function.attrs or {}
    return "calling_conv" in attrs and int(attrs["calling_conv"]) == CallingConv.C_PACKED_FUNC


def _pass_name(name: str, frame: FrameType | None) -> str:
    """The pass's name; for a nameless one that of the function whose result is being applied.

    WORKAROUND: TileLang makes some passes of functions that are all called `pass_fn`, so the
    names are read off the lines that apply them: `tilelang.analysis.NestedLoopChecker()(mod)`.
    """
    while name == _NAMELESS and frame is not None:
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno)
        applied = _APPLIED.search(line)
        if applied and "tilelang" in frame.f_globals.get("__name__", ""):
            return f"tl.{applied[1]}"
        frame = frame.f_back
    return name
