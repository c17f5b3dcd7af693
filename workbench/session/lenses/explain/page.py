"""Puts the page together that explains a kernel on one target."""

from __future__ import annotations

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.core.targets.model import Vendor
from workbench.session.analyzing import FULL_LEVEL
from workbench.session.lenses.explain.computing import computing, made
from workbench.session.lenses.explain.limits import blocks_of, limits, time_text
from workbench.session.lenses.explain.model import Explanation, plural
from workbench.session.lenses.explain.moving import moving
from workbench.session.lenses.explain.next_steps import next_steps
from workbench.session.lenses.explain.optimisations import optimisations
from workbench.session.lenses.subject import LensSubject, LensTarget


def explanation(subject: LensSubject, target: LensTarget) -> Explanation | None:
    """The page of the first kernel that is launched; None where nothing was computed of it.

    Every sentence is made of what the analysis tells; what it does not know is said to be unknown.
    """
    kernel = target.kernel
    if kernel is None:
        return None
    sections = (
        computing(subject, target, kernel),
        moving(target, kernel),
        optimisations(target, kernel),
        limits(target, kernel),
        next_steps(target),
    )
    return Explanation(_conclusion(subject, target, kernel), sections)


def _conclusion(subject: LensSubject, target: LensTarget, kernel: KernelAnalysis) -> str:
    blocks, tile = blocks_of(kernel), made(kernel)
    name = subject.kernel or kernel.name
    told = f"{name} on {target.label}: "
    told += plural(blocks, "block") if blocks is not None else "as many blocks as the launch says"
    if tile:
        told += f", each {tile}" if blocks != 1 else f" {tile}"
    time = time_text(kernel)
    told += f"; {time}." if time is not None else "; its time is not estimated."
    if target.level < FULL_LEVEL and target.target.arch.vendor is Vendor.NVIDIA:
        told += " From the lowered IR alone: F7 has the machine code analysed too."
    return told
