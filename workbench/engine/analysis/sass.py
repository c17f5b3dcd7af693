"""Counts the shared-memory instructions that stand in SASS text, by kind and width."""

from __future__ import annotations

import collections
import re

from workbench.core.analysis.shared_sites import SharedKind

Form = tuple[SharedKind, int]  # the width is bytes of a lane; of matrices their number
_LINE = re.compile(r"/\*[0-9a-f]+\*/\s+(?:@!?U?P\w+\s+)?([A-Z][A-Z0-9_.]*)\s*([^;]*);")
_DUMMY = re.compile(r"RZ, \[RZ\]")
_WIDTHS = {"U8": 1, "S8": 1, "U16": 2, "S16": 2, "64": 8, "128": 16}
_HEADS = {
    "LDS": SharedKind.LOAD,
    "STS": SharedKind.STORE,
    "LDSM": SharedKind.LDMATRIX,
    "STSM": SharedKind.STMATRIX,
    "LDGSTS": SharedKind.ASYNC_COPY,
    "ATOMS": SharedKind.INTEGER_ATOMIC,
    "REDS": SharedKind.INTEGER_ATOMIC,
}


def shared_forms(text: str, kernel: str) -> collections.Counter[Form]:
    """How often each form stands in a kernel's SASS.

    The compiler puts loads into RZ from address 0 before some barriers; they cost no wavefront
    (Nsight Compute on an NVIDIA H200) and are left out. Compare-and-swap loops are floating-point
    atomics, with a load each that is left out too.
    """
    found: collections.Counter[Form] = collections.Counter()
    for opcode, operands in _LINE.findall(_section(text, kernel)):
        head, *parts = opcode.split(".")
        kind = _HEADS.get(head)
        if kind is None or _DUMMY.match(operands.strip()):
            continue
        if head == "ATOMS" and "CAST" in parts:
            found[SharedKind.FLOAT_ATOMIC, 4] += 1
            found[SharedKind.LOAD, 4] -= 1
            continue
        found[kind, _width(kind, parts)] += 1
    return +found


def _width(kind: SharedKind, parts: list[str]) -> int:
    if kind in (SharedKind.LDMATRIX, SharedKind.STMATRIX):
        return int(parts[-1]) if parts[-1].isdigit() else 1
    return next((_WIDTHS[part] for part in reversed(parts) if part in _WIDTHS), 4)


def _section(text: str, kernel: str) -> str:
    """The part of a disassembly that is about one kernel."""
    parts = re.split(r"(?m)^\s*\.section\s+\.text\.", text)
    own = [part for part in parts[1:] if re.match(rf"{re.escape(kernel)}\b", part)]
    return own[0] if own else text
