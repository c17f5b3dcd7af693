"""Joins what was counted for each instruction of a kernel to the lines of its document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from workbench.core.counters.source_csv import Instruction, SourcePage
from workbench.core.linked_code import LinkedText
from workbench.core.profiles import DeviceInfo, LineCounters, ProfileRequest
from workbench.core.targets.model import Target
from workbench.engine import blame, compiling, lowering, machine_code
from workbench.engine.analysis.lined_code import lined_code
from workbench.engine.analysis.live_registers import by_address
from workbench.engine.device.placing import fitted_target
from workbench.engine.linked.generated_lines import generated_lines
from workbench.engine.linked.machine_text import ptx_text
from workbench.engine.user_lines import user_lines

# Instructions that are told in the PTX and in the machine code by names of their own.
_KINDS = (
    (re.compile(r"\w+GMMA"), re.compile(r"\bwgmma\.mma_async\b")),
    (re.compile(r"UTC\w+MMA"), re.compile(r"\btcgen05\.mma\b")),
    (re.compile(r"[A-Z]MMA"), re.compile(r"\bw?mma(?:\.sync)?\.")),
    (re.compile(r"LDSM"), re.compile(r"\bldmatrix\b")),
    (re.compile(r"STSM"), re.compile(r"\bstmatrix\b")),
    (re.compile(r"LDGSTS"), re.compile(r"\bcp\.async\.c[ag]\b")),
    (re.compile(r"UTMALDG"), re.compile(r"\bcp\.async\.bulk\.tensor\b.*\.shared\S*\.global")),
    (re.compile(r"UTMASTG"), re.compile(r"\bcp\.async\.bulk\.tensor\b.*\.global\.shared")),
)
_OPCODE = re.compile(r"(?:@!?U?P\w+\s+)?(\w+)")


@dataclass(frozen=True)
class KernelLines:
    """Where the instructions of a kernel come from: lines of the document by address.

    `of_kinds` has for each of `_KINDS` the lines of such instructions in the PTX, which is exact.
    """

    by_address: Mapping[int, int]
    of_kinds: tuple[frozenset[int], ...] = (frozenset(),) * len(_KINDS)

    def line_of(self, instruction: Instruction) -> int | None:
        """The line of an instruction, None where it is of none or of one of several.

        WORKAROUND: nvcc 13.0 gives some instructions the line of those that it moved them among,
        a product that of the arrival at a barrier, say.
        """
        line = self.by_address.get(instruction.offset)
        own = self._kind_lines(instruction)
        if not own or line in own:
            return line
        return min(own) if len(own) == 1 else None

    def _kind_lines(self, instruction: Instruction) -> frozenset[int]:
        opcode = _OPCODE.match(instruction.text)
        for (of_code, _), lines in zip(_KINDS, self.of_kinds, strict=True):
            if opcode is not None and of_code.fullmatch(opcode[1]):
                return lines
        return frozenset()


class NoLinesError(Exception):
    """Instructions cannot be joined to lines; the message says why."""


def kernel_lines(request: ProfileRequest, device: DeviceInfo) -> Mapping[str, KernelLines]:
    """The lines of each kernel of a request on a device, by the kernel's name.

    The code is the same with and without information on lines. Raises NoLinesError.
    """
    try:
        target, _ = fitted_target(Target.from_json(dict(request.target)), device)
        return _lines(request, target)
    except blame.StepError as fault:
        raise NoLinesError(fault.failure.message) from fault
    except (machine_code.MissingToolError, machine_code.MachineCodeError) as error:
        raise NoLinesError(str(error).partition("\n")[0]) from error


def _lines(request: ProfileRequest, target: Target) -> dict[str, KernelLines]:
    built = compiling.build(request, target)
    tvm_target = lowering.tvm_target(target)
    with user_lines(request.source.path):
        artifact = lowering.lower_modules(built, tvm_target)
    document = generated_lines(built, artifact, tvm_target, request.source.path).lines
    code = lined_code(built, artifact.kernel_source, target)
    kinds = _of_kinds(ptx_text(code.ptx, document))
    return {
        name: KernelLines(_of_kernel(code.cubin, name, document), kinds)
        for name in _names(artifact)
    }


def _of_kinds(ptx: LinkedText) -> tuple[frozenset[int], ...]:
    rows = [(row, line) for row, line in zip(ptx.text.splitlines(), ptx.lines, strict=True) if line]
    return tuple(
        frozenset(line for row, line in rows if of_ptx.search(row)) for _, of_ptx in _KINDS
    )


def _names(artifact: Any) -> list[str]:
    functions = artifact.device_mod.functions.values()
    return [lowering.device_kernel(func).name for func in functions]


def _of_kernel(cubin: bytes, name: str, document: Mapping[int, int | None]) -> dict[int, int]:
    _, sources = by_address(cubin, name)
    found = {address: document.get(source) for address, source in sources.items()}
    return {address: line for address, line in found.items() if line}


def line_counters(page: SourcePage, lines: KernelLines, text: str) -> tuple[LineCounters, ...]:
    """What was counted for the lines of a document of `text`, in their order.

    Instructions of no line are left out.
    """
    sums: dict[int, dict[str, float]] = {}
    for each in page.instructions:
        line = lines.line_of(each)
        if line is not None:
            _add(sums.setdefault(line, {}), each.values)
    rows = text.splitlines()
    return tuple(LineCounters(line, sums[line], _row(rows, line)) for line in sorted(sums))


def _add(total: dict[str, float], values: Mapping[str, float]) -> None:
    for name, value in values.items():
        total[name] = total.get(name, 0.0) + value


def _row(rows: Sequence[str], line: int) -> str:
    return rows[line - 1].strip() if line <= len(rows) else ""
