"""How data move through the memory of a target: bytes between levels, and by which instruction."""

from __future__ import annotations

import re
from collections.abc import Iterator

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.analysis.operations import Operation
from workbench.core.figures import number, size
from workbench.core.targets.model import Vendor
from workbench.session.lenses.explain.model import (
    Level,
    Link,
    Path,
    Section,
    Sentence,
    Tone,
    unknown,
)
from workbench.session.lenses.subject import LensTarget

_LEVELS = (
    Level("Memory", "hbm"),
    Level("L2", "l2"),
    Level("Shared", "shared"),
    Level("Registers", "registers"),
)
_WITH_L2 = (Vendor.NVIDIA, Vendor.AMD)  # between cores and memory, for all cores together
_ARROW = " -> "


def moving(target: LensTarget, kernel: KernelAnalysis) -> Section:
    """The section about memory."""
    sentences = [*_totals(target, kernel), *_copies(kernel)]
    if kernel.operations is None:
        why = target.why_missing("operations")
        sentences.append(unknown("By which instructions data move", why))
    drawings = (_path(kernel),) if target.target.arch.vendor in _WITH_L2 else ()
    return Section("moves", "How data move", tuple(sentences), drawings)


def _totals(target: LensTarget, kernel: KernelAnalysis) -> Iterator[Sentence]:
    report = kernel.global_memory
    if report is None:
        yield unknown("How many bytes move", target.why_missing("global"))
        return
    moved = report.traffic
    if moved.l2_load_bytes is None or moved.dram_load_bytes is None:
        yield unknown("How many bytes are read", report.lacks or "the addresses are not known")
    else:
        has_l2 = target.target.arch.vendor in _WITH_L2
        text = f"One launch reads {size(moved.l2_load_bytes)}{' through the L2' * has_l2}"
        reuse = moved.l2_load_bytes / moved.dram_load_bytes if moved.dram_load_bytes else 0
        if reuse >= 1.05:
            text += (
                f", but only {size(moved.dram_load_bytes)} of it from memory: "
                f"on average each byte is read {reuse:.3g} times"
            )
        yield Sentence(f"{text}.")
    if moved.dram_store_bytes:
        yield Sentence(f"It writes {size(moved.dram_store_bytes)}.")


def _copies(kernel: KernelAnalysis) -> Iterator[Sentence]:
    for each in kernel.operations or ():
        told = each.instruction
        if each.kind != "copy" or told is None or _ARROW not in each.op or "registers" in told:
            continue
        source, _, into = re.sub(r"^T\.\w+ ", "", each.op).partition(_ARROW)
        text = f"{source} goes to {into} by {_instruction(each)}."
        yield Sentence(text, each.line, buffer=each.buffers[0] if each.buffers else None)
        if each.note:
            yield Sentence(f"{_capital(each.note.rstrip('.'))}.", each.line, Tone.LIMIT)


def _instruction(each: Operation) -> str:
    told = instruction_words(each.instruction or "")
    if each.bytes is None or f"{each.bytes} B" in told:
        return told
    bulk = "at once" if "cp.async.bulk" in told else "a thread"  # one thread asks for all of it
    return f"{told}, {size(each.bytes)} {'a box' if 'box' in told else bulk}"


def instruction_words(text: str) -> str:
    """An instruction as a sentence tells of several."""
    text = re.sub(r"\b(load|store) (\d+ B)", r"\1s of \2", text)
    return re.sub(r"(?<=\d)x(?=\d)", "×", text)


def _path(kernel: KernelAnalysis) -> Path:
    report = kernel.global_memory
    traffic = report.traffic if report is not None else None
    loads = (traffic.dram_load_bytes, traffic.l2_load_bytes) if traffic else (None, None)
    stores = (traffic.dram_store_bytes, traffic.l2_store_bytes) if traffic else (None, None)
    links = [Link(_bytes(load), _bytes(store)) for load, store in zip(loads, stores, strict=True)]
    if not kernel.shared_dynamic_bytes:
        return Path((*_LEVELS[:2], _LEVELS[3]), tuple(links))
    return Path(_LEVELS, (*links, _wavefronts(kernel)))


def _bytes(count: int | float | None) -> str:
    return "unknown" if count is None else str(size(count)) if count else ""


def _wavefronts(kernel: KernelAnalysis) -> Link:
    if kernel.shared is None:
        return Link("unknown", "")
    known = sum(total.known_wavefronts for total in kernel.shared.totals)
    return Link(number(known), "", "wavefronts") if known else Link("", "")


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
