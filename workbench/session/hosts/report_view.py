"""The report of a host's test in sentences: conclusion, what was found, each lack with its cure."""

from __future__ import annotations

import enum
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.figures import duration, size
from workbench.core.host_report import CounterAccess, FoundTool, HostReport, Lack, Probe
from workbench.core.profiles import DeviceInfo

_ACCESS = {
    CounterAccess.ALLOWED: "counters may be read",
    CounterAccess.DENIED: "counters may not be read",
    CounterAccess.UNKNOWN: "whether counters may be read is not known before a profile",
}


class RowLevel(enum.Enum):
    """Whether something is there, is worth knowing, is missed, or stops everything."""

    GOOD = "good"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True)
class ReportRow:
    """One line: what, in short, and more of it. `cure` is a sentence to be copied."""

    level: RowLevel
    title: str
    text: str = ""
    cure: str = ""


@dataclass(frozen=True)
class ReportView:
    """What is shown of a report; `log` are the last lines of the host's command."""

    conclusion: str
    rows: tuple[ReportRow, ...]
    log: tuple[str, ...] = ()


def report_view(report: HostReport, title: str) -> ReportView:
    """The report of the host that is called `title` in sentences."""
    probe = report.probe
    if not report.reached or probe is None:
        return _not_reached(report, title)
    rows = (*_lacks(report), _reached(report, probe), *_found(probe))
    return ReportView(_conclusion(report, probe, title), rows, report.log)


def _not_reached(report: HostReport, title: str) -> ReportView:
    reason = report.reason or "it did not say why."
    what, _, cure = reason.partition(". ")
    rows = [ReportRow(RowLevel.ERROR, f"{what.rstrip('.')}.", cure=cure)]
    rows += [ReportRow(RowLevel.INFO, f"Command: {report.command}")]
    return ReportView(f"{_upper(title)} was not reached.", tuple(rows), report.log)


def _conclusion(report: HostReport, probe: Probe, title: str) -> str:
    name = _upper(title)
    if not report.can("simulator"):
        return f"{name} was reached, but runs no kernels yet."
    if not report.can("gpu"):
        return f"{name} can simulate kernels, but not measure them: no GPU can be used there."
    devices = _counted([device.name for device in probe.devices])
    can = "times and counters are measured" if report.can("counters") else "times are measured"
    return f"{name} is ready: kernels are verified and {can} on {devices}."


def _lacks(report: HostReport) -> Iterator[ReportRow]:
    for lack in report.lacks:
        yield ReportRow(_level(lack), lack.what, "", lack.cure)


def _level(lack: Lack) -> RowLevel:
    if lack.needed_for == "everything":
        return RowLevel.ERROR
    return RowLevel.INFO if lack.needed_for in ("cpu", "sanitizer") else RowLevel.WARNING


def _reached(report: HostReport, probe: Probe) -> ReportRow:
    took = f" in {duration(report.seconds)}" if report.seconds is not None else ""
    parts = [probe.node, probe.platform]
    if probe.cpus:
        parts.append(f"{probe.cpus} CPUs")
    if probe.memory_bytes:
        parts.append(str(size(probe.memory_bytes)))
    if report.sent is not None:
        parts.append("worker sent" if report.sent else "worker was there")
    return ReportRow(RowLevel.GOOD, f"Reached{took}", " · ".join(part for part in parts if part))


def _found(probe: Probe) -> Iterator[ReportRow]:
    yield ReportRow(RowLevel.GOOD, f"Python {probe.python}", probe.executable)
    for name in ("torch", "tilelang"):
        version = probe.versions.get(name)
        if version is not None:
            yield ReportRow(RowLevel.GOOD, f"{name} {version}", _built_for(probe, name))
    for device in probe.devices:
        yield ReportRow(RowLevel.GOOD, device.name, _device(device, probe))
    yield from _tool("nvcc", probe.nvcc, "compiles the kernels there")
    if probe.ncu is not None:
        yield from _tool("Nsight Compute", probe.ncu, _ACCESS[probe.counters])
    yield from _tool("compute-sanitizer", probe.sanitizer, "looks for faults on the GPU")
    yield from _tool("C++ compiler", probe.compiler, "the CPU target runs")
    for problem in probe.problems:
        yield ReportRow(RowLevel.INFO, problem)


def _built_for(probe: Probe, name: str) -> str:
    found = probe.torch
    if name != "torch" or found is None:
        return ""
    if found.hip:
        return f"built for ROCm {found.hip}"
    return f"built for CUDA {found.cuda}" if found.cuda else "built for the CPU"


def _device(device: DeviceInfo, probe: Probe) -> str:
    memory = str(size(device.memory_bytes)) if device.memory_bytes else ""
    driver = device.driver or probe.driver
    parts = [memory, device.arch or "", f"driver {driver}" if driver else ""]
    return " · ".join(part for part in parts if part)


def _tool(name: str, found: FoundTool | None, text: str) -> Iterator[ReportRow]:
    if found is not None:
        version = f" {found.version}" if found.version else ""
        yield ReportRow(RowLevel.GOOD, f"{name}{version}", f"{text} · {found.path}")


def _counted(names: list[str]) -> str:
    counts = dict.fromkeys(names)
    parts = [f"{names.count(n)} × {n}" if names.count(n) > 1 else n for n in counts]
    return ", ".join(parts)


def _upper(text: str) -> str:
    return text[:1].upper() + text[1:] if text == "this machine" else text
