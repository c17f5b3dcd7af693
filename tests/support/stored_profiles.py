"""Runs of profiles as a history keeps them, with what they stored."""

from __future__ import annotations

from pathlib import Path

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import select
from workbench.core.plain import to_plain
from workbench.core.profiles import ProfileResult
from workbench.core.runs import Run
from workbench.core.targets.table import load_targets
from workbench.session.recording import record_profile
from workbench.session.requests import Item
from workbench.wire.events import Ended

TEXT = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=8):\n    return None\n"


def stored_run(
    result: ProfileResult,
    analysis: AnalyzeResult | None = None,
    host: str = "gpu1",
    blobs: tuple[bytes, ...] = (),
) -> tuple[Run, list[bytes]]:
    """The run of a profile for an H200, and the contents that it refers to."""
    folder = Path("/workspace")
    document = parse_document(TEXT, folder / "kernel.py")
    (selection,) = select(document)
    item = Item(document, selection, load_targets().resolve("h200"))
    ended = Ended("job", "done", to_plain(result), blobs=blobs)
    return record_profile(item, ended, folder, host, analysis, group="series")
