"""Joins what was counted for each instruction of a kernel to the lines of its document."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from workbench.core.counters.source_csv import Instruction, SourcePage
from workbench.core.profiles import DeviceInfo, LineCounters, ProfileRequest
from workbench.core.targets.model import Target
from workbench.engine import blame, compiling, lowering, machine_code
from workbench.engine.analysis.lined_code import lined_code
from workbench.engine.analysis.live_registers import by_address
from workbench.engine.device.placing import fitted_target
from workbench.engine.linked.generated_lines import generated_lines
from workbench.engine.user_lines import user_lines

Lines = Mapping[str, Mapping[int, int]]
_MATRIX = re.compile(r"(?:@!?U?P\w+\s+)?(\w*MMA)\b")  # HMMA, IMMA, HGMMA, UTCHMMA, ...


class NoLinesError(Exception):
    """Instructions cannot be joined to lines; the message says why."""


def lines_by_address(request: ProfileRequest, device: DeviceInfo) -> Lines:
    """The document's line by the address of an instruction, for each kernel by its name.

    The code is the same with and without information on lines. Raises NoLinesError.
    """
    try:
        target, _ = fitted_target(Target.from_json(dict(request.target)), device)
        return _lines(request, target)
    except blame.StepError as fault:
        raise NoLinesError(fault.failure.message) from fault
    except (machine_code.MissingToolError, machine_code.MachineCodeError) as error:
        raise NoLinesError(str(error).partition("\n")[0]) from error


def _lines(request: ProfileRequest, target: Target) -> dict[str, dict[int, int]]:
    built = compiling.build(request, target)
    tvm_target = lowering.tvm_target(target)
    with user_lines(request.source.path):
        artifact = lowering.lower_modules(built, tvm_target)
    document = generated_lines(built, artifact, tvm_target, request.source.path).lines
    cubin = lined_code(built, artifact.kernel_source, target).cubin
    return {name: _of_kernel(cubin, name, document) for name in _names(artifact)}


def _names(artifact: Any) -> list[str]:
    functions = artifact.device_mod.functions.values()
    return [lowering.device_kernel(func).name for func in functions]


def _of_kernel(cubin: bytes, name: str, document: Mapping[int, int | None]) -> dict[int, int]:
    _, sources = by_address(cubin, name)
    found = {address: document.get(source) for address, source in sources.items()}
    return {address: line for address, line in found.items() if line}


def line_counters(
    page: SourcePage, lines: Mapping[int, int], text: str
) -> tuple[LineCounters, ...]:
    """What was counted for the lines of a document of `text`, in their order.

    `lines` are by address; instructions of no line are left out.
    """
    sums: dict[int, dict[str, float]] = {}
    products = _lines_of_products(page, lines)
    for each in page.instructions:
        line = lines.get(each.offset) or products.get(_matrix(each))
        if line is not None:
            _add(sums.setdefault(line, {}), each.values)
    rows = text.splitlines()
    return tuple(LineCounters(line, sums[line], _row(rows, line)) for line in sorted(sums))


def _lines_of_products(page: SourcePage, lines: Mapping[int, int]) -> dict[str | None, int]:
    """The line of each matrix instruction that is of one line alone.

    WORKAROUND: nvcc 13.0 moves some of them among the instructions around, and gives them the line
    of those (the arrival at a barrier, say).
    """
    found: dict[str, set[int]] = {}
    for each in page.instructions:
        name, line = _matrix(each), lines.get(each.offset)
        if name is not None and line is not None:
            found.setdefault(name, set()).add(line)
    return {name: min(own) for name, own in found.items() if len(own) == 1}


def _matrix(instruction: Instruction) -> str | None:
    """The name of a matrix instruction; None for any other."""
    found = _MATRIX.match(instruction.text)
    return found[1] if found else None


def _add(total: dict[str, float], values: Mapping[str, float]) -> None:
    for name, value in values.items():
        total[name] = total.get(name, 0.0) + value


def _row(rows: Sequence[str], line: int) -> str:
    return rows[line - 1].strip() if line <= len(rows) else ""
