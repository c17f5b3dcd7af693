"""The sentences of the code pane: what a text is, or why it is not there and what helps."""

from __future__ import annotations

from workbench.core.jobs import CompileResult
from workbench.session.code_inputs import (
    ASIDE,
    MACHINE_STAGES,
    STAGES,
    Language,
    Stage,
    State,
    TargetCode,
)
from workbench.session.code_passes import PassTrace
from workbench.session.text_differences import Difference

_COMMANDS = ("pip ", "apt-get ")


def stage_sentences(state: State, target: TargetCode, stage: Stage) -> tuple[str, str]:
    """What is to be said of a stage, and where it is not there, what helps."""
    return _SENTENCES[state](target, stage)


def pass_sentence(trace: PassTrace, index: int) -> str:
    """What a pass did, in one sentence."""
    row = trace.rows[index]
    if row.failure:
        return f"{row.name} failed: this is what it was given."
    time = f"{milliseconds(row.seconds)}, on the {row.side}"
    if not row.changed:
        return f"{row.name} changes nothing: {time}."
    if not row.added and not row.removed:
        return f"{row.name} moves lines: none is new and none gone, {time}."
    return (
        f"{row.name} changes the kernel: {lines_text(row.added)} new, {row.removed:,} gone, {time}."
    )


def passes_sentences(trace: PassTrace) -> tuple[str, ...]:
    """How many passes change something, and what all of them took; ever shorter."""
    count = f"{trace.changed} of {len(trace.rows)}"
    time = f" · {milliseconds(trace.seconds)}" if trace.seconds is not None else ""
    return f"{count} change the kernel{time}", f"{count}{time}", count


def milliseconds(seconds: float) -> str:
    """A time with three digits at most, in seconds from one on."""
    value = seconds * 1000
    if value >= 1000:
        return f"{seconds:,.{2 if seconds < 10 else 1}f} s"
    return f"{value:,.0f} ms" if value >= 100 else f"{value:.{1 if value >= 10 else 2}f} ms"


def missing_reason(result: CompileResult, stage: Stage) -> str | None:
    """Why a stage cannot be had here, and after a colon what helps; None where it can."""
    known = result.missing.get(stage.value)
    if known is None and stage in MACHINE_STAGES:
        return result.missing.get("machine code")
    return known


def _ready(target: TargetCode, stage: Stage) -> tuple[str, str]:
    assert target.result is not None
    lines = line_count(target.result.emitted[stage.value])
    facts = [lines_text(lines) if lines else "empty", *_FACTS.get(stage, _no_facts)(target.result)]
    return f"{STAGES[stage].title} for {target.title}: {', '.join(facts)}.", ""


def comparison_sentence(what: str, found: Difference, language: Language) -> str:
    """What two texts differ in; `what` names them, the right one first."""
    if not found.changes:
        return f"{what}: no difference, {ASIDE[language]}."
    places = len(found.changes)
    where = f"{places:,} {'place' if places == 1 else 'places'}"
    added, removed = lines_text(found.added), f"{found.removed:,}"
    return f"{what}: {added} new, {removed} gone in {where}, {ASIDE[language]}."


def lines_text(count: int) -> str:
    """So many lines, in words."""
    return f"{count:,} {'line' if count == 1 else 'lines'}"


def line_count(text: str) -> int:
    """How many lines a text has; the end of the last one may be missing."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _no_facts(result: CompileResult) -> list[str]:
    return []


def _launch_facts(result: CompileResult) -> list[str]:
    if result.grid is None or result.block is None:
        return []
    grid, threads = (" × ".join(_extents(part)) for part in (result.grid, result.block))
    return [f"grid {grid}", f"{threads} threads"]


def _extents(parts: tuple[int | None, ...]) -> list[str]:
    shown = ["?" if part is None else f"{part:,}" for part in parts]
    while len(shown) > 1 and shown[-1] == "1":
        shown.pop()
    return shown


def _machine_facts(result: CompileResult) -> list[str]:
    resources = result.resources
    if resources is None or resources.registers is None:
        return []
    spills = resources.spill_bytes
    spilled = "spills unknown" if spills is None else f"{spills:,} bytes of spills"
    return [f"{resources.registers} registers a thread", "no spills" if spills == 0 else spilled]


def _loading(target: TargetCode, stage: Stage) -> tuple[str, str]:
    return f"Making {STAGES[stage].title} for {target.title}…", ""


def _absent(target: TargetCode, stage: Stage) -> tuple[str, str]:
    title = STAGES[stage].title
    if target.result is None:
        return f"Nothing was compiled for {target.title} yet.", f"Compile to read its {title}."
    return f"{title} for {target.title} was not made yet.", "It is made when you ask for it."


def _missing_sentence(target: TargetCode, stage: Stage) -> tuple[str, str]:
    assert target.result is not None
    reason, _, cure = (missing_reason(target.result, stage) or "").partition(": ")
    return f"No {STAGES[stage].title} for {target.title}: {reason}.", _sentence(cure)


def _failed(target: TargetCode, stage: Stage) -> tuple[str, str]:
    failure = target.result.failure if target.result else None
    said = failure.message if failure else "the compile failed"
    cure = "The problem list has the line; the passes show how far it came."
    return f"No {STAGES[stage].title} for {target.title}: {said.rstrip('.')}.", cure


def _sentence(text: str) -> str:
    if text.startswith(_COMMANDS):
        return f"Run: {text}"
    return f"{text[:1].upper()}{text[1:]}." if text else ""


_SENTENCES = {
    State.READY: _ready,
    State.LOADING: _loading,
    State.ABSENT: _absent,
    State.MISSING: _missing_sentence,
    State.FAILED: _failed,
}
_FACTS = {
    Stage.LOWERED: _launch_facts,
    Stage.SOURCE: _launch_facts,
    Stage.PTX: _machine_facts,
    Stage.SASS: _machine_facts,
}
