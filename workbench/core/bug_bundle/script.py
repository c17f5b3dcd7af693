"""The stand-alone script of a bundle: it needs tilelang and torch, and the kernel's file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from workbench.core.bug_bundle.suspicion import Suspicion, SuspicionKind
from workbench.core.data_files import find_data

_BODIES = {
    SuspicionKind.INTERNAL: "raises",
    SuspicionKind.CRASH: "raises",
    SuspicionKind.REFUSED: "refused",
    SuspicionKind.HAZARD: "same_source",
    SuspicionKind.DEVICE: "on_device",
}
_NEEDS = {SuspicionKind.REFUSED: ", and nvcc", SuspicionKind.DEVICE: ", and the GPU"}


def reproduction(
    suspicion: Suspicion,
    kernel: str,
    args: Mapping[str, Any],
    lowering: Mapping[str, Any] | str,
    reference: str | None = None,
    tolerances: tuple[float, float] = (1e-2, 1e-2),
) -> str:
    """The script that shows what is suspected, beside the kernel's `kernel.py`.

    `lowering` is TileLang's target. `reference` and `tolerances` (relative, absolute) are for what
    a device computes.
    """
    head = _part("head").format(
        title=suspicion.title,
        more=_NEEDS.get(suspicion.kind, ""),
        kernel=kernel,
        args=json.dumps(dict(args)),
        target=json.dumps(lowering if isinstance(lowering, str) else dict(lowering)),
        signature=suspicion.signature,
    )
    if suspicion.kind is SuspicionKind.DEVICE:
        head += f"\n\nREFERENCE, RTOL, ATOL = {reference!r}, {tolerances[0]}, {tolerances[1]}\n"
    return f"{head}{_part(_BODIES[suspicion.kind])}{_part('tail')}"


def _part(name: str) -> str:
    """A part of the script, which lies among the resources because it is not ours to run."""
    path = find_data("resources") / "bug_bundle" / f"{name}.py.txt"
    return path.read_text(encoding="utf-8")
