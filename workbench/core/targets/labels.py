"""Short names of targets, for tool bars and legends that have no room for a product's full name."""

from __future__ import annotations

import re

from workbench.core.targets.model import Target

_MAKERS = ("NVIDIA", "AMD", "Huawei", "Apple", "GeForce", "Instinct")
_FORM = re.compile(r"\s+(SXM\d?|PCIe|\d+ GB)\b.*|,.*|\s+\(.*")


def short_label(target: Target) -> str:
    """`H100`, `RTX 4090`, `MI300X`; an architecture's own name; `H200 · sm_80` where lowered so."""
    if target.model is None:
        return target.name
    words = _FORM.sub("", target.title).split()
    label = " ".join(word for word in words if word not in _MAKERS)
    lowered = "" if target.lowering_arch == target.arch.name else f" · {target.lowering_arch}"
    return f"{label}{lowered}"
