"""Whether a draft's block runs on a target at all, and why not, in few words and in a sentence."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from workbench.core import figures
from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.occupancy import occupancy_of
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target, Vendor


@dataclass(frozen=True)
class Misfit:
    """Why no block runs: `short` for a narrow column, `text` as a sentence."""

    short: str
    text: str


def misfit_of(block: BlockResources | None, target: Target) -> Misfit | None:
    """Why a target has no room for a block; None where it has, or where that is not known."""
    if block is None or target.arch.vendor is Vendor.HOST:
        return None
    found = (check(block, target) for check in _CHECKS)
    return next((each for each in found if each is not None), None)


def _shared(block: BlockResources, target: Target) -> Misfit | None:
    most = target.arch.limits.shared_bytes_per_block_opt_in
    if most is None or block.shared_bytes <= most:
        return None
    needed, limit = figures.size(block.shared_bytes), figures.size(most)
    text = f"A block needs {needed} of shared memory, and {short_label(target)} gives it {limit}."
    return Misfit(f"{figures.size(block.shared_bytes - most)} over", text)


def _threads(block: BlockResources, target: Target) -> Misfit | None:
    most = target.arch.limits.max_threads_per_block
    if most is None or block.threads <= most:
        return None
    text = f"A block has {block.threads:,} threads, and {short_label(target)} runs {most:,} in one."
    return Misfit(f"{block.threads - most:,} threads over", text)


def _registers(block: BlockResources, target: Target) -> Misfit | None:
    """Whatever else the rules of occupancy say: registers of all threads above all."""
    held = occupancy_of(block, target.arch)
    if held is None or held.most_blocks > 0:
        return None
    short = " and ".join(each.value for each in held.limiting)
    return Misfit(f"by {short}", f"{'; '.join(held.reasons)} ({short_label(target)})")


_CHECKS: tuple[Callable[[BlockResources, Target], Misfit | None], ...] = (
    _shared,
    _threads,
    _registers,
)
