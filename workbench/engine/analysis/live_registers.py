"""The registers that are live at each line of a document, by nvdisasm and the machine code."""

from __future__ import annotations

import hashlib
import re
import tempfile
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from workbench.core.analysis.line_registers import LineRegisters, registers_by_line
from workbench.engine import cache, environment, machine_code

_ADDRESS = re.compile(r"\s*/\*([0-9a-f]{4,})\*/")
_COUNTS = re.compile(r"// \|([^|]*)\|")
_PLACE = re.compile(r'\s*//## File "([^"]*)", line (\d+)(.*)')
_SECTION = re.compile(r"\s*\.section\s+\.text\.([\w$.]+)")


def live_registers(
    cubin: bytes, kernel: str, lines: Mapping[int, int | None]
) -> tuple[LineRegisters, ...]:
    """The figures of a kernel's lines; `lines` are the document's by line of the source.

    The cubin must have line information. Raises machine_code.MissingToolError and
    MachineCodeError.
    """
    live, source = by_address(cubin, kernel)
    return registers_by_line(live, {address: lines.get(line) for address, line in source.items()})


def by_address(cubin: bytes, kernel: str) -> tuple[dict[int, int], dict[int, int]]:
    """Live registers and the line of the source of a kernel's instructions, by their address.

    Raises as `live_registers`.
    """
    key = cache.digest("lives", hashlib.sha256(cubin).hexdigest(), kernel, environment.versions())
    plain, _ = cache.remembered(cache.disk_cache(), key, lambda: _disassembled(cubin, kernel))
    live = {int(address): count for address, count in plain["live"].items()}
    return live, {int(address): line for address, line in plain["source"].items()}


def _disassembled(cubin: bytes, kernel: str) -> dict[str, dict[str, int]]:
    """Lives and source lines by address; nvdisasm tells them in separate runs, here at once."""
    toolkit = environment.cuda_toolkit()
    with tempfile.TemporaryDirectory(prefix="nvdisasm-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        commands = [["-c", *options, str(path)] for options in (("-lrm", "count"), ("-gi",))]
        with ThreadPoolExecutor(len(commands)) as pool:
            lives, places = pool.map(
                lambda words: machine_code.run_disassembler(toolkit, words), commands
            )
    live, source = live_by_address(lives, kernel), source_line_by_address(places, kernel)
    return {
        "live": {str(address): count for address, count in live.items()},
        "source": {str(address): line for address, line in source.items()},
    }


def live_by_address(text: str, kernel: str) -> dict[int, int]:
    """The live general registers at each instruction, from `nvdisasm -lrm count`."""
    found = {}
    for line in _lines_of(text, kernel):
        address, counts = _ADDRESS.match(line), _COUNTS.search(line)
        if address is not None and counts is not None:
            found[int(address[1], 16)] = int(counts[1].strip() or 0)
    return found


def source_line_by_address(text: str, kernel: str) -> dict[int, int]:
    """The line of the source of each instruction, the outermost one where code was inlined.

    From `nvdisasm -gi`, which tells a place for the instructions after it, callees first.
    """
    found: dict[int, int] = {}
    current: int | None = None
    for line in _lines_of(text, kernel):
        place, address = _PLACE.match(line), _ADDRESS.match(line)
        if place is not None and "inlined at" not in place[3]:
            current = int(place[2]) if place[1].endswith("kernel.cu") else None
        elif address is not None and current is not None:
            found[int(address[1], 16)] = current
    return found


def _lines_of(text: str, kernel: str) -> list[str]:
    """The lines of a disassembly that are about one kernel."""
    own, inside = [], False
    for line in text.splitlines():
        section = _SECTION.match(line)
        if section is not None:
            inside = section[1] == kernel
        elif inside:
            own.append(line)
    return own
