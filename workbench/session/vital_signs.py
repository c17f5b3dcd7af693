"""The kernel's vital signs for its first target, as the status bar tells them."""

from __future__ import annotations

from dataclasses import dataclass

from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.open_document import OpenDocument


@dataclass(frozen=True)
class Sign:
    """One figure: `tone` is "error" over a limit, "fg2" else; `tip` says where it is from."""

    text: str
    tone: str = "fg2"
    tip: str = ""


@dataclass(frozen=True)
class VitalSigns:
    """The signs of one target; `stale` where they are of an earlier text."""

    target: str
    signs: tuple[Sign, ...]
    stale: bool = False


def vital_signs(document: OpenDocument, target: Target) -> VitalSigns | None:
    """Shared memory and registers of the last good result; None where nothing is known yet."""
    compiled = document.good.get(target.name)
    if compiled is None or compiled.result.resources is None:
        return None
    resources = compiled.result.resources
    shared = _shared_sign(resources.shared_static_bytes, resources.shared_dynamic_bytes, target)
    registers = _register_sign(resources.registers, resources.spill_bytes, resources.source)
    signs = tuple(sign for sign in (shared, registers) if sign is not None)
    return VitalSigns(short_label(target), signs, document.is_stale(compiled.revision))


def _shared_sign(static: int | None, dynamic: int | None, target: Target) -> Sign | None:
    if dynamic is None:
        return None
    used = dynamic + (static or 0)
    limit = target.arch.limits.shared_bytes_per_block_opt_in
    text = f"{used / 1024:.3g} KiB shared"
    if limit is not None and used > limit:
        return Sign(text, "error", f"over the limit of {limit / 1024:.4g} KiB a block")
    room = f"of {limit / 1024:.4g} KiB a block can have" if limit is not None else "a block"
    return Sign(text, tip=f"{room}; predicted from the lowered code")


def _register_sign(registers: int | None, spills: int | None, source: str | None) -> Sign:
    if registers is None:
        return Sign("registers unknown", "fg3", "compile to have them counted by ptxas")
    tip = f"a thread; counted by {source}"
    if spills:
        return Sign(f"{registers} registers, {spills:,} B spilled", "error", tip)
    return Sign(f"{registers} registers", tip=tip)
