"""Reads off which of reference, simulator and device agree who is at fault."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.jobs import ThreeWay

_NEAR_FRACTION = 1e-2  # of the elements: more is no matter of rounding
_NEAR_SHARE = 4.0  # times the tolerance


@dataclass(frozen=True)
class Pair:
    """How two results agree: elements further apart than the tolerance, and the largest error.

    `max_share` is the largest error divided by its tolerance over what is finite in both, None
    where the tolerance is 0. `lone` counts elements of which only one is a finite number.
    """

    mismatched: int
    total: int
    max_share: float | None = None
    lone: int = 0

    @property
    def agrees(self) -> bool:
        """Whether every element is within the tolerance."""
        return self.mismatched == 0

    @property
    def is_near(self) -> bool:
        """Whether a tolerance a few times wider would be met, and few elements need it."""
        if self.agrees:
            return True
        few = self.mismatched <= _NEAR_FRACTION * self.total
        return (
            few
            and self.lone == 0
            and self.max_share is not None
            and (self.max_share <= _NEAR_SHARE)
        )


def together(pairs: Sequence[Pair]) -> Pair:
    """Several outputs as one."""
    shares = [pair.max_share for pair in pairs if not pair.agrees]
    known = [share for share in shares if share is not None]
    return Pair(
        sum(pair.mismatched for pair in pairs),
        sum(pair.total for pair in pairs),
        max(known, default=None) if len(known) == len(shares) else None,
        sum(pair.lone for pair in pairs),
    )


_AGREE, _TOLERANCE = "agree", "tolerance"
_WIDEN = (
    "give the case an rtol and atol that fit its sums, or compare with what torch gives for the "
    "same precision"
)
_RACE = (
    "look for a race or a missing synchronisation with --sanitize racecheck, and at the lowered "
    "code of the lines that write the wrong elements"
)
# By which pairs agree, in the order of ThreeWay's fields: reference with simulator, reference with
# device, simulator with device.
_VERDICTS: dict[tuple[bool, bool, bool], ThreeWay] = {
    (True, True, True): ThreeWay(_AGREE, "Reference, simulator and device agree.", None),
    (True, True, False): ThreeWay(
        _AGREE,
        "Simulator and device both agree with the reference, from different sides of it.",
        None,
    ),
    (False, False, True): ThreeWay(
        "kernel",
        "Simulator and device agree with each other and not with the reference: the kernel "
        "computes something else, and the compiler does what it says.",
        "mend the kernel, or its reference: it can be done in the simulator, without a GPU",
    ),
    (True, False, False): ThreeWay(
        "device",
        "The simulator agrees with the reference and the device does not: the tile program is "
        "right, and what was made of it is not.",
        _RACE,
    ),
    (False, True, False): ThreeWay(
        "simulator",
        "The device agrees with the reference and the simulator does not: the kernel is right on "
        "this device, and the simulator reads it otherwise.",
        "look at the simulator's findings: it shows what the hardware only happens to do right, "
        "such as memory that is read before it is written; without a finding it may be at fault",
    ),
    (False, True, True): ThreeWay(
        _TOLERANCE,
        "The device lies between the reference and the simulator, which are further apart than the "
        "tolerance.",
        _WIDEN,
    ),
    (True, False, True): ThreeWay(
        _TOLERANCE,
        "The simulator lies between the reference and the device, which are further apart than the "
        "tolerance.",
        _WIDEN,
    ),
    (False, False, False): ThreeWay(
        "unclear",
        "No two of reference, simulator and device agree: the kernel is wrong in the simulator, "
        "and the device does not do what the tile program says.",
        "mend what the simulator finds first, then verify here again; memory that nobody wrote and "
        "races differ from run to run",
    ),
}
_NEAR = ThreeWay(
    _TOLERANCE,
    "Reference, simulator and device differ in few elements and by little more than the tolerance.",
    _WIDEN,
)
_MOVING = ThreeWay(
    "device",
    "Two launches on the device with the same inputs gave different results: its threads or blocks "
    "race with one another, or read what nobody has written.",
    "find the place with --sanitize racecheck (shared memory) and --sanitize initcheck (global "
    "memory)",
)


def three_way(
    reference_simulator: Pair,
    reference_device: Pair,
    simulator_device: Pair,
    repeats: bool | None = None,
) -> ThreeWay:
    """Who is at fault, from which pairs agree at the tolerance.

    `repeats` says whether a second launch on the device gave the same within the tolerance, None
    where there was none. Pairs that nearly agree count as agreeing where others plainly do not.
    """
    pairs = (reference_simulator, reference_device, simulator_device)
    agreeing = (pairs[0].agrees, pairs[1].agrees, pairs[2].agrees)
    if repeats is False and not reference_device.agrees:
        return _MOVING
    if all(agreeing[:2]) or all(agreeing[1:]) or (agreeing[0] and agreeing[2]):
        return _VERDICTS[agreeing]
    near = (pairs[0].is_near, pairs[1].is_near, pairs[2].is_near)
    found = _VERDICTS[near]
    return _NEAR if found.verdict == _AGREE else found
