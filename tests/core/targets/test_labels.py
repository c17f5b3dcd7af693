from __future__ import annotations

import pytest

from workbench.core.targets.labels import short_label
from workbench.core.targets.table import load_targets

LABELS = {
    "h100": "H100",
    "a100": "A100",
    "rtx4090": "RTX 4090",
    "mi300x": "MI300X",
    "l40s": "L40S",
    "v100": "V100",
    "ascend910b": "Ascend 910B2",
    "h200:sm_80": "H200 · sm_80",
    "sm_90a": "sm_90a",
    "metal": "metal",
}


@pytest.mark.parametrize("name", LABELS)
def test_a_target_has_a_short_label(name: str) -> None:
    assert short_label(load_targets().resolve(name)) == LABELS[name]


def test_no_two_targets_share_a_label_except_sizes_of_one_model() -> None:
    table = load_targets()
    labels = [short_label(table.resolve(name)) for name in table.names()]
    doubled = {label for label in labels if labels.count(label) > 1}
    assert doubled <= {"A100"}
