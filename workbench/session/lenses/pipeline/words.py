"""What the pipeline lens says of steps: their names, what takes how long, and how it is known."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from workbench.core import figures
from workbench.core.analysis.estimate import CONSTANTS
from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.pipeline import PipelineStep, StepKind
from workbench.core.analysis.pipeline_stretches import Part

_CALL = re.compile(r"\s*T\.(\w+)\(")
_ASSIGNED = re.compile(r"\s*([A-Za-z_]\w*)\s*(?:\[[^=]*\])?\s*[-+*/]?=[^=]")
_NUMBERS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight")
OPERANDS = "\N{MIDDLE DOT}"
_METHODS = {
    Part.COPY: f"{CONSTANTS.latency:g} clocks of latency, and {CONSTANTS.line:g} for each row of "
    "128 bytes that the TMA copies",
    Part.WAIT: "until the copy has come",
    Part.HAND_OVER: f"the {CONSTANTS.wait:g} clocks in which the estimate lets nothing be computed "
    "around each wait",
    Part.ROOM: "until the stage has been used",
    Part.BARRIER: f"{CONSTANTS.barrier:g} clocks a barrier",
    Part.SHARED: "the line's wavefronts in shared memory, one a clock",
    Part.TENSOR: "the line's operations, or operands from shared memory, over the tensor cores' "
    "rate; the estimate adds loading and multiplying, which the hardware interleaves",
    Part.VECTOR: "the line's slowest kind of vector operation, over an SM's rate",
    Part.MEMORY: f"one latency of {CONSTANTS.latency:g} clocks, shared by a block's loads or "
    "stores",
}
PARTS = {
    Part.COPY: "copy",
    Part.WAIT: "wait for",
    Part.HAND_OVER: "hand over",
    Part.ROOM: "wait until free",
    Part.BARRIER: "barrier",
    Part.SHARED: "shared memory",
    Part.TENSOR: "tensor cores",
    Part.VECTOR: "vector units",
    Part.MEMORY: "wait for memory",
}


class Names:
    """Names of steps by the operations of the document and its text."""

    def __init__(self, kernel: KernelAnalysis, text: str) -> None:
        self._lines = text.splitlines()
        self._operations = {each.line: each for each in kernel.operations or ()}

    def source(self, line: int | None) -> str:
        """The line of the document; empty where there is none."""
        return self._lines[line - 1].strip() if line and line <= len(self._lines) else ""

    def short(self, step: PipelineStep) -> str:
        """A name for a block of a step."""
        operation = self._operations.get(step.line)
        if operation is not None and operation.kind == "gemm":
            return OPERANDS.join(operation.buffers[:2])
        if operation is not None and operation.kind == "copy":
            return operation.buffers[-1]
        source = self.source(step.line)
        call, assigned = _CALL.match(source), _ASSIGNED.match(source)
        if call is not None:
            return call[1]
        if assigned is not None:
            return assigned[1]
        return step.buffers[0] if step.buffers else step.kind.value


def waited(part: Part, buffers: Sequence[str]) -> str:
    """What a wait is for, in words."""
    if part is Part.WAIT:
        return f"wait for {listed(buffers) or 'copies'}"
    return PARTS[part]


def kind_of(step: PipelineStep) -> str:
    """What a step is, in words."""
    return {StepKind.LOAD: "load", StepKind.STORE: "store"}.get(step.kind, step.text)


def hazard_sentence(hazards: Mapping[int, str]) -> Iterator[str]:
    """The first hazard, by the messages of lines."""
    for line, message in list(hazards.items())[:1]:
        yield f"Hazard on line {line}: {message}"


def tip(
    name: str, part: Part, source: str, line: int | None, span: tuple[float, float], mhz: float
) -> str:
    """What hovering over a block says; `span` is in µs."""
    begin, end = span
    where = f" \N{MIDDLE DOT} line {line}" if line is not None else ""
    length = f"{time(end - begin)} ({(end - begin) * mhz:,.0f} clocks)"
    texts = (
        f"{name}{where}",
        source,
        f"{PARTS[part]}: {length}, from {time(begin)} to {time(end)}",
        f"Predicted: {_METHODS[part]}.",
    )
    return "\n".join(text for text in texts if text)


def time(micros: float) -> str:
    """A time, in the unit that reads best."""
    return str(figures.duration(micros * 1e-6))


def part_of(part: float, whole: float) -> str:
    """`0.28 of 1.23 µs`: both in the unit of the whole, which is in µs as the part is."""
    shown = figures.duration(whole * 1e-6)
    factor = {"s": 1e-6, "ms": 1e-3, "µs": 1.0, "ns": 1e3}[shown.unit]
    return f"{part * factor:.{0 if shown.unit == 'ns' else 2}f} of {shown}"


def percent(share: float) -> str:
    """A part of a whole, in whole percent."""
    return f"{share * 100:.0f} %"


def stages(count: int) -> str:
    """`one stage`, `three stages`."""
    number = _NUMBERS[count] if count < len(_NUMBERS) else str(count)
    return f"{number} stage{'s' * (count != 1)}"


def listed(names: Sequence[str]) -> str:
    """Names with commas and a last `and`, each once."""
    own = list(dict.fromkeys(names))
    return " and ".join([", ".join(own[:-1]), own[-1]] if len(own) > 1 else own)
