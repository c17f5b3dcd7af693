"""The outputs that were compared with a reference: as JSON, and the worst elements as lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workbench.core.jobs import OutputComparison
from workbench.core.plain import to_plain

# What refers to blobs, and comes with details that a command line does not ask for.
_HIDDEN = {
    "error_map_shape",
    "error_map_blob",
    "got_blob",
    "expected_blob",
    "wrong_blob",
    "blocks",
    "owners_blob",
}


def output_json(comparison: OutputComparison) -> dict[str, Any]:
    """`signature` is the best of what is told of the kind of wrong, null where nothing is."""
    plain = to_plain(comparison)
    best = plain["signatures"][0] if plain["signatures"] else None
    return {**{k: v for k, v in plain.items() if k not in _HIDDEN}, "signature": best}


def worst_lines(entry: dict[str, Any]) -> Iterator[str]:
    """The worst elements of a wrong output in JSON, and what kind of wrong it is; else nothing."""
    if not entry["mismatched"]:
        return
    share = f"{entry['mismatched']:,} of {entry['total']:,}"
    yield f"\n{entry['name']}: {share} elements are wrong, the worst of them:"
    for worst in entry["worst"]:
        index = ", ".join(map(str, worst["index"]))
        yield f"  [{index}]  got {worst['got']}  expected {worst['expected']}"
    for signature in entry["signatures"]:
        yield f"  {signature['sentence']}\n    {signature['confidence']}; {signature['hint']}"
