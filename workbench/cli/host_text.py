"""The test of a host as text for people."""

from __future__ import annotations

from collections.abc import Iterator

from workbench.core.figures import figure
from workbench.core.host_report import CounterAccess, FoundTool, HostReport, Probe
from workbench.core.profiles import DeviceInfo

_USES = (
    ("simulator", "kernels in the simulator"),
    ("cpu", "kernels on its processor"),
    ("gpu", "kernels on its GPU"),
    ("counters", "hardware counters"),
    ("sanitizer", "compute-sanitizer"),
)


def report_lines(report: HostReport) -> list[str]:
    """What was found, what can be done there, and what is missing with its cure."""
    return list(_lines(report))


def _lines(report: HostReport) -> Iterator[str]:
    yield f"{report.host}: {report.command}"
    if not report.reached or report.probe is None:
        yield f"  not reached: {report.reason}"
        yield from (f"  | {line}" for line in report.log[-8:])
        return
    yield from (f"  {name:<18} {value}" for name, value in _facts(report.probe))
    yield ""
    yield from (f"  {text:<26} {_answer(report, report.probe, use)}" for use, text in _USES)
    texts = [lack.text for lack in report.lacks]
    if report.banner:
        said = report.banner[0]
        texts.append(f"Something there prints before Python starts ({said!r:.60}); it is skipped.")
    for text in (*texts, *report.probe.problems):
        yield f"\n  {text}"


def _facts(probe: Probe) -> Iterator[tuple[str, str]]:
    yield "machine", f"{probe.node}, {probe.platform}"
    yield "processors", f"{_or_unknown(probe.cpus)}, {_bytes(probe.memory_bytes)} of memory"
    yield "Python", f"{probe.python} ({probe.executable})"
    for name in ("torch", "tilelang", "numpy"):
        yield name, probe.versions.get(name, "missing")
    yield from (("GPU", _device(device)) for device in probe.devices)
    if not probe.devices:
        seen = probe.torch.devices if probe.torch else ()
        yield "GPU", ", ".join(seen) or "none to be seen"
    if probe.driver:
        yield "driver", f"{probe.driver}, runs CUDA up to {_or_unknown(probe.cuda)}"
    yield "nvcc", _tool(probe.nvcc)
    if probe.devices:
        yield "ncu", _tool(probe.ncu)
        yield "compute-sanitizer", _tool(probe.sanitizer)
        yield "counters", probe.counters_why


def _answer(report: HostReport, probe: Probe, use: str) -> str:
    if not report.can(use):
        return "no"
    is_unknown = use == "counters" and probe.counters is CounterAccess.UNKNOWN
    return "unknown" if is_unknown else "yes"


def _device(device: DeviceInfo) -> str:
    parts = [device.name, device.arch or "unknown architecture", _bytes(device.memory_bytes)]
    if device.sm_count is not None:
        parts.append(f"{device.sm_count} SMs")
    return f"{device.index}: {', '.join(parts)}"


def _tool(tool: FoundTool | None) -> str:
    return "missing" if tool is None else f"{tool.version or 'unknown version'} ({tool.path})"


def _bytes(count: int | None) -> str:
    return str(figure(count, "B"))


def _or_unknown(value: object) -> str:
    return "unknown" if value is None else str(value)
