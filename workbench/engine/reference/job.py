"""The job that reads the names of the installed TileLang."""

from __future__ import annotations

import time

from workbench.core.jobs import ReferenceRequest, ReferenceResult
from workbench.core.reference.api_model import Api
from workbench.engine import environment
from workbench.engine.compiling import Report
from workbench.engine.reference.introspecting import read_names


def read_reference(request: ReferenceRequest, report: Report) -> ReferenceResult:
    """All names, or those in `request.names`."""
    begun = time.monotonic()
    entries = read_names(report)
    if request.names:
        entries = tuple(entry for entry in entries if entry.name in request.names)
    versions = environment.versions()
    api = Api(versions.get("tilelang", "unknown"), entries)
    return ReferenceResult(api, {"read": time.monotonic() - begun}, versions)
