"""The table of job kinds that an executor runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from workbench.core.exporting.model import ExportRequest
from workbench.core.jobs import (
    AnalyzeRequest,
    CompileRequest,
    ConfigurationsRequest,
    LinkedRequest,
    PassesRequest,
    ReferenceRequest,
    RunScriptRequest,
    VerifyRequest,
)
from workbench.core.plain import from_plain
from workbench.core.profiles import ProfileRequest
from workbench.engine.analysis.job import analyze_kernel
from workbench.engine.compiling import Report, compile_kernel
from workbench.engine.configurations import read_configurations
from workbench.engine.device.job import profile
from workbench.engine.export.job import export_kernel
from workbench.engine.linked.job import linked_code
from workbench.engine.passes import record_passes
from workbench.engine.reference.job import read_reference
from workbench.engine.scripts.job import run_script
from workbench.engine.scripts.recording import record_cases
from workbench.engine.verify.job import verify


def _compile(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return compile_kernel(from_plain(CompileRequest, payload), report), []


def _analyze(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return analyze_kernel(from_plain(AnalyzeRequest, payload), report), []


def _verify(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return verify(from_plain(VerifyRequest, payload), report)


def _passes(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return record_passes(from_plain(PassesRequest, payload), report)


def _linked(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return linked_code(from_plain(LinkedRequest, payload), report), []


def _run_script(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    request = from_plain(RunScriptRequest, payload)
    return (run_script if request.execute else record_cases)(request, report), []


def _profile(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return profile(from_plain(ProfileRequest, payload), report)


def _export(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return export_kernel(from_plain(ExportRequest, payload), report)


def _configurations(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return read_configurations(from_plain(ConfigurationsRequest, payload), report), []


def _reference(payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    return read_reference(from_plain(ReferenceRequest, payload), report), []


JOBS: dict[str, Callable[[Mapping[str, Any], Report], tuple[Any, list[bytes]]]] = {
    "compile": _compile,
    "analyze": _analyze,
    "verify": _verify,
    "passes": _passes,
    "linked": _linked,
    "run_script": _run_script,
    "reference": _reference,
    "configurations": _configurations,
    "export": _export,
    "profile": _profile,
}


def uses_device(kind: str, payload: Mapping[str, Any]) -> bool:
    """Whether a job runs on a GPU, of which its process then keeps memory and maybe errors."""
    return kind == "profile" or (kind == "verify" and payload.get("on") == "local")


def run(kind: str, payload: Mapping[str, Any], report: Report) -> tuple[Any, list[bytes]]:
    """The result of a job and its blobs; raises ValueError for a kind that is not in the table."""
    if kind not in JOBS:
        raise ValueError(f"no job of kind {kind!r}; this worker knows {', '.join(JOBS)}")
    return JOBS[kind](payload, report)
