"""The vital signs that an analysis gives: occupancy, bank conflicts, estimated time."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core import figures
from workbench.core.analysis.block_limits import Resource
from workbench.core.analysis.estimate import Estimate
from workbench.core.analysis.occupancy import Occupancy
from workbench.core.analysis.shared_sites import Level, SharedReport
from workbench.core.targets.model import Target
from workbench.session.analyzed import Analyzed
from workbench.session.sign import Sign

LEVELS = {
    Level.IR: "level 1, from the lowered IR",
    Level.CODE: "level 2, from the machine code",
}
LIMITERS = {
    Resource.WARPS: "warps",
    Resource.BLOCKS: "blocks",
    Resource.REGISTERS: "registers",
    Resource.SCALAR_REGISTERS: "scalar registers",
    Resource.SHARED: "shared memory",
    Resource.BARRIERS: "barriers",
    Resource.CLUSTER: "cluster",
}

_TIED = "\N{NO-BREAK SPACE}"


def analysis_signs(analyzed: Analyzed, target: Target) -> Iterator[Sign]:
    """The signs of the first kernel; what cannot be told of a GPU is "unknown" with its reason."""
    kernel = analyzed.kernel
    if kernel is None:
        return
    missing = analyzed.result.missing
    if kernel.occupancy is not None:
        yield _occupancy_sign(kernel.occupancy, target)
    else:
        yield _unknown("occupancy unknown", missing.get("occupancy"), "occ. ?")
    if kernel.shared is None:
        yield _unknown("bank conflicts unknown", missing.get("shared"), "conflicts ?")
    elif kernel.shared.sites:
        yield _conflict_sign(kernel.shared)
    if kernel.estimate is not None:
        yield _time_sign(kernel.estimate)
    else:
        yield _unknown("time unknown", missing.get("estimate"), "time ?")


def _unknown(text: str, reason: str | None, short: str) -> Sign:
    return Sign(text, "fg3", reason or "", short)


def _occupancy_sign(found: Occupancy, target: Target) -> Sign:
    limiting = " and ".join(LIMITERS[each] for each in found.limiting)
    carveout = "given" if found.carveout.given else "assumed: the driver chooses it"
    method = (
        f"predicted by the published rules, with {figures.size(found.carveout.size_bytes)} of "
        f"shared memory an SM ({carveout})"
    )
    if found.most_blocks == 0:
        return Sign("no block fits", "error", _lines(*found.reasons, method), "no block fits")
    if found.fraction is None:
        return _bounded_sign(found, limiting, method, target)
    share = _percent(found.fraction)
    held = f"{found.blocks} blocks with {found.warps} warps an SM, limited by {limiting}"
    return Sign(f"{share} occupancy · {limiting}", tip=_lines(held, method), short=f"{share} occ.")


def _bounded_sign(found: Occupancy, limiting: str, method: str, target: Target) -> Sign:
    """At most so much: what is not known may allow less."""
    unknown = [LIMITERS[limit.resource] for limit in found.limits if limit.blocks is None]
    why = f"what the {' and '.join(unknown)} allow is not known before machine code is made"
    held = f"at most {found.most_blocks} blocks an SM, by the {limiting}"
    most = target.arch.limits.max_warps_per_sm
    text = f"≤ {_percent(found.most_warps / most)}" if most else f"≤ {found.most_blocks} blocks"
    return Sign(f"{text} occupancy", tip=_lines(held, why, method), short=f"{text} occ.")


def _conflict_sign(report: SharedReport) -> Sign:
    lines = [line for line in report.lines if line.conflicts]
    unknown = sorted({reason for total in report.totals for reason in total.unknown})
    rest = f"not in it, unknown: {'; '.join(unknown)}" if unknown else ""
    method = f"predicted by the bank rules ({LEVELS[report.level]})"
    if not lines:
        known = "no known conflicts" if unknown else "no bank conflicts"
        short = "conflicts ?" if unknown else "no conflicts"
        return Sign(known, "fg3" if unknown else "fg2", _lines(rest, method), short)
    worst = max(lines, key=lambda line: (line.ways or 0, line.conflicts or 0))
    conflicts = sum(line.conflicts or 0 for line in lines)
    waves = sum(total.known_wavefronts for total in report.totals)
    share = f"{_percent(conflicts / max(1, waves))} of the shared-memory wavefronts are conflicts"
    where = f"the worst at line {worst.line}" if worst.line is not None else ""
    text = f"{worst.ways}-way conflict" if worst.ways else "bank conflicts"
    return Sign(text, "warn", _lines(share, where, rest, method), text)


def _time_sign(found: Estimate) -> Sign:
    time = str(figures.figure(found.time_us, "us")).replace(" ", _TIED)
    most = "at least, for it is not known what these take: " + ", ".join(found.leaves_out)
    mark = "≥" if found.leaves_out else "≈"
    bound = f"estimated, bound by {found.bound}; {most if found.leaves_out else ''}".strip("; ")
    return Sign(
        f"{mark}{_TIED}{time} estimated",
        tip=_lines(bound, found.method),
        short=f"{mark}{_TIED}{time}",
    )


def _percent(share: float) -> str:
    return f"{share * 100:.3g} %"


def _lines(*parts: str) -> str:
    return "\n".join(part for part in parts if part)
