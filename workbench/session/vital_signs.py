"""The kernel's vital signs for its first target, as the status bar tells them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from workbench.core import figures
from workbench.core.jobs import Resources
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor
from workbench.session.analysis_signs import analysis_signs
from workbench.session.open_document import OpenDocument
from workbench.session.sign import Sign


@dataclass(frozen=True)
class VitalSigns:
    """The signs of one target: `signs` are predicted, `measured` come from a profile."""

    target: str
    signs: tuple[Sign, ...]
    measured: tuple[Sign, ...] = ()


def vital_signs(document: OpenDocument, target: Target) -> VitalSigns | None:
    """What the last good results tell; None where nothing is known yet, and for processors."""
    if target.arch.vendor is Vendor.HOST:
        return None  # it has neither shared memory nor registers for each thread
    signs = (*_resource_signs(document, target), *_analysis_signs(document, target))
    measured = tuple(_measured_signs(document, target))
    return VitalSigns(short_label(target), signs, measured) if signs or measured else None


def _measured_signs(document: OpenDocument, target: Target) -> Iterator[Sign]:
    """The time of a profile, that of an earlier text greyed."""
    found = document.profiles.newest.get(target.name)
    latency = found.result.latency if found is not None else None
    if found is None or latency is None:
        return
    time = str(figures.figure(latency.median_us, "us")).replace(" ", "\N{NO-BREAK SPACE}")
    device = found.result.device
    where = device.name if device is not None else found.place.title
    tip = f"median of {len(latency.samples_us):,} samples on {where}, by {latency.method}"
    yield Sign(f"{time} measured", "fg", tip, time, document.is_stale(found.revision))


def _analysis_signs(document: OpenDocument, target: Target) -> Iterator[Sign]:
    analyzed = document.analyses.good.get(target.name)
    if analyzed is None:
        return
    stale = document.is_stale(analyzed.revision)
    yield from (replace(sign, stale=stale) for sign in analysis_signs(analyzed, target))


def _resource_signs(document: OpenDocument, target: Target) -> Iterator[Sign]:
    revision, resources = _resources(document, target)
    if resources is None:
        return
    stale = document.is_stale(revision)
    shared = _shared_sign(resources.shared_static_bytes, resources.shared_dynamic_bytes, target)
    registers = _register_sign(resources.registers, resources.spill_bytes, resources.source)
    yield from (replace(sign, stale=stale) for sign in (shared, registers) if sign is not None)


def _resources(document: OpenDocument, target: Target) -> tuple[int, Resources | None]:
    """The resources of the latest revision, of a compile or an analysis; with registers if one can.

    A compile and an analysis of the same text say the same of shared memory.
    """
    return _newest(document, target.name)


def _newest(document: OpenDocument, target: str) -> tuple[int, Resources | None]:
    found = [document.good.get(target), document.analyses.good.get(target)]
    known = [(each.revision, each.result.resources) for each in found if each is not None]

    def rank(each: tuple[int, Resources | None]) -> tuple[int, bool, bool]:
        revision, resources = each
        return revision, resources is not None, bool(resources and resources.registers is not None)

    return max(known, key=rank, default=(0, None))


def latest_resources(document: OpenDocument, target: str) -> Resources | None:
    """The resources that the newest result for a target tells, None where none does."""
    return _newest(document, target)[1]


def _shared_sign(static: int | None, dynamic: int | None, target: Target) -> Sign | None:
    if dynamic is None:
        return None
    used = dynamic + (static or 0)
    limit = target.arch.limits.shared_bytes_per_block_opt_in
    text, short = f"{used / 1024:.3g} KiB shared", f"{used / 1024:.3g} KiB"
    if limit is not None and used > limit:
        return Sign(text, "error", f"over the limit of {limit / 1024:.4g} KiB a block", short)
    room = f"of {limit / 1024:.4g} KiB a block can have" if limit is not None else "a block"
    return Sign(text, tip=f"{room}; predicted from the lowered code", short=short)


def _register_sign(registers: int | None, spills: int | None, source: str | None) -> Sign:
    if registers is None:
        tip = "compile or analyze to have them counted by ptxas"
        return Sign("registers unknown", "fg3", tip, "? regs")
    tip = f"a thread; counted by {source}"
    short = f"{registers} regs"
    if spills:
        return Sign(f"{registers} registers, {spills:,} B spilled", "error", tip, short)
    return Sign(f"{registers} registers", tip=tip, short=short)
