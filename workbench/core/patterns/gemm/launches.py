"""The second launch of multiplications whose sums are split: it adds up what the first left."""

from __future__ import annotations

from typing import Any

from workbench.core.patterns.model import Setting, Why
from workbench.core.targets.model import Feature


def launches(setting: Setting) -> dict[str, Any]:
    """Whether the second launch may begin before the first has ended, in the templates' words."""
    return {"overlapped": is_overlapped(setting)}


def is_overlapped(setting: Setting) -> bool:
    """Whether all targets have programmatic dependent launches: one document is for all."""
    return all(target.arch.has(Feature.PROGRAMMATIC_LAUNCH) for target in setting.targets)


def second_launch(setting: Setting) -> Why:
    """Why there is one, and how its start is hidden."""
    text = "Parts are added in a fixed order: every run gives the same bits."
    if is_overlapped(setting):
        text += " Its blocks start while the first launch ends, and wait for it on the device."
    return Why("Second launch", text)
