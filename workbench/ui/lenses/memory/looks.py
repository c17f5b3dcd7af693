"""The hues of the levels of memory, the same in every view."""

from __future__ import annotations

from workbench.session.lenses.memory.model import Level

HUES = {
    Level.HBM: "hbm",
    Level.L2: "l2",
    Level.SHARED: "shared",
    Level.TENSOR: "l2",
    Level.REGISTERS: "registers",
    Level.GM: "hbm",
    Level.L1: "l2",
    Level.L0: "registers",
    Level.UB: "shared",
}
