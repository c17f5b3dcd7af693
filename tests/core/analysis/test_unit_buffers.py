from __future__ import annotations

from workbench.core.analysis.unit_buffers import unit_buffers
from workbench.core.targets.table import load_targets


def test_scopes_are_held_against_the_buffers_of_the_core() -> None:
    limits = load_targets().resolve("ascend910b").arch.limits
    found = {b.name: b for b in unit_buffers({"shared.dyn": 200 * 1024, "shared.l0c": 64}, limits)}
    assert (found["unified buffer"].capacity_bytes, found["unified buffer"].fits) == (
        192 * 1024,
        False,
    )
    assert (found["L0C"].used_bytes, found["L0C"].fits, found["L1"].used_bytes) == (64, True, 0)


def test_what_was_merged_into_one_allocation_counts() -> None:
    limits = load_targets().resolve("ascend910b").arch.limits
    found = {b.name: b for b in unit_buffers({"shared.l1": 8, "shared.l1.dyn": 64}, limits)}
    assert found["L1"].used_bytes == 72
