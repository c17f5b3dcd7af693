from __future__ import annotations

from workbench.core.analysis.register_budget import WarpGroup, register_budget
from workbench.core.targets.table import load_targets

LIMITS = load_targets().architecture("sm_90a").limits


def test_consumers_may_take_what_the_producer_releases() -> None:
    """168 a thread for three groups: the producer leaves 144 to each of 128 threads."""
    groups = [WarpGroup(4, 24), WarpGroup(4, 240), WarpGroup(4, 240)]
    budget = register_budget(168, groups, LIMITS)
    assert (budget.allocated, budget.wanted) == (168 * 384, 504 * 128)
    assert budget.fits


def test_more_than_the_launch_allocated_is_not_there() -> None:
    budget = register_budget(128, [WarpGroup(4, 24), WarpGroup(4, 240)], LIMITS)
    assert budget.wanted - budget.allocated == 8 * 128
    assert not budget.fits


def test_a_group_without_the_instruction_keeps_its_own() -> None:
    budget = register_budget(100, [WarpGroup(4), WarpGroup(4, 104)], LIMITS)
    assert budget.allocated == budget.wanted == 104 * 256


def test_values_that_the_instruction_cannot_have_are_named() -> None:
    groups = [WarpGroup(4, 20), WarpGroup(4, 100), WarpGroup(4, 264), WarpGroup(4, 40)]
    assert register_budget(200, groups, LIMITS).invalid == (20, 100, 264)
    assert not register_budget(200, groups, LIMITS).fits
