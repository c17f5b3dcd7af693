"""The error maps of outputs as a run keeps them; their values are too large for that."""

from __future__ import annotations

from collections.abc import Sequence

from workbench.core.jobs import OutputComparison
from workbench.core.runs import Artifact


def error_maps(
    seed: int, outputs: Sequence[OutputComparison], blobs: Sequence[bytes]
) -> list[tuple[Artifact, bytes]]:
    """Each map of the wrong outputs of a seed, among the blobs of their job."""
    found = [
        (output.name, blobs[output.error_map_blob])
        for output in outputs
        if output.error_map_blob is not None
    ]
    return [
        (Artifact.of(f"error-map.seed-{seed}.{name}", "application/octet-stream", content), content)
        for name, content in found
    ]
