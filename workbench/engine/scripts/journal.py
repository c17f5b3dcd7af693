"""What a running script's process tells about it, line by line, so that nothing is lost with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import Failure, RunScriptResult, ScriptKernel, ScriptTest
from workbench.core.plain import from_plain, to_plain


class Journal:
    """The writing end: each entry is one line of JSON that is on disk when the call returns."""

    def __init__(self, path: Path) -> None:
        self._file = path.open("a", encoding="utf-8", buffering=1)
        self._kernels = 0

    def begins(self) -> None:
        """Note that everything is in place and the script starts."""
        self._write("begins", {})

    def kernel(self, kernel: ScriptKernel) -> int:
        """Note a kernel that was built and return its number."""
        self._kernels += 1
        self._write("kernel", kernel)
        return self._kernels - 1

    def launch_begins(self, number: int, dims: Mapping[str, int]) -> None:
        """Note that a kernel starts to run, with the sizes of its dynamic dimensions."""
        self._write("launch_begins", {"kernel": number, "dims": dims})

    def launch_ends(self, number: int, seconds: float) -> None:
        """Note that the kernel is done."""
        self._write("launch_ends", {"kernel": number, "seconds": seconds})

    def test(self, test: ScriptTest) -> None:
        """Note the end of a test."""
        self._write("test", test)

    def diagnostic(self, diagnostic: Diagnostic) -> None:
        """Note a finding; equal ones are counted as one when the journal is read."""
        self._write("diagnostic", diagnostic)

    def mocked(self, package: str, where: str) -> None:
        """Note that an absent package was imported at `where`."""
        self._write("mocked", {"package": package, "where": where})

    def caveat(self, text: str) -> None:
        """Note what a good result does not cover."""
        self._write("caveat", {"text": text})

    def ends(self, failure: Failure | None, seconds: Mapping[str, float]) -> None:
        """Note that the script came to its end, good or bad."""
        self._write("ends", {"failure": to_plain(failure), "seconds": dict(seconds)})

    def close(self) -> None:
        """Close the file; nothing more can be noted."""
        self._file.close()

    def _write(self, kind: str, entry: Any) -> None:
        self._file.write(json.dumps({"kind": kind, **to_plain(entry)}, default=str) + "\n")


@dataclass
class Account:
    """The reading end: what the entries so far add up to."""

    kernels: list[ScriptKernel] = field(default_factory=list)
    tests: list[ScriptTest] = field(default_factory=list)
    diagnostics: dict[tuple[Any, ...], Diagnostic] = field(default_factory=dict)
    mocked: dict[str, str] = field(default_factory=dict)
    caveats: dict[str, None] = field(default_factory=dict)
    launches: int = 0
    running: int | None = None
    begun: bool = False
    ended: bool = False
    failure: Failure | None = None
    seconds: dict[str, float] = field(default_factory=dict)

    def add(self, line: str) -> str | None:
        """Take one line in and return a sentence about it for whoever watches, where it has one."""
        entry = json.loads(line)
        return _TAKERS[entry["kind"]](self, entry)

    def result(self) -> RunScriptResult:
        """What is known of the script."""
        return RunScriptResult(
            self.failure,
            self.ended,
            tuple(self.kernels),
            self.launches,
            tuple(self.tests),
            tuple(self.diagnostics.values()),
            self.mocked,
            tuple(self.caveats),
            self.seconds,
        )

    def _take_begins(self, entry: Mapping[str, Any]) -> str:
        self.begun = True
        return "running the script"

    def _take_kernel(self, entry: Mapping[str, Any]) -> str:
        kernel = from_plain(ScriptKernel, entry)
        self.kernels.append(kernel)
        return f"built {kernel.name}"

    def _take_launch_begins(self, entry: Mapping[str, Any]) -> str:
        self.running = entry["kernel"]
        kernel = self.kernels[self.running]
        if kernel.launches == 0:
            self.kernels[self.running] = replace(kernel, dims=entry["dims"])
        return f"running {kernel.name}"

    def _take_launch_ends(self, entry: Mapping[str, Any]) -> None:
        number = entry["kernel"]
        kernel = self.kernels[number]
        self.kernels[number] = replace(
            kernel, launches=kernel.launches + 1, seconds=kernel.seconds + entry["seconds"]
        )
        self.launches += 1
        self.running = None

    def _take_test(self, entry: Mapping[str, Any]) -> str:
        test = from_plain(ScriptTest, entry)
        self.tests.append(test)
        return f"{test.name}: {test.outcome}"

    def _take_diagnostic(self, entry: Mapping[str, Any]) -> None:
        found = from_plain(Diagnostic, entry)
        place = (found.evidence.get("file"), found.range.line if found.range else None)
        key = (found.code, *place, found.evidence.get("buffer"))
        known = self.diagnostics.get(key)
        self.diagnostics[key] = found if known is None else _counted(known, found)

    def _take_mocked(self, entry: Mapping[str, Any]) -> None:
        self.mocked.setdefault(entry["package"], entry["where"])

    def _take_caveat(self, entry: Mapping[str, Any]) -> None:
        self.caveats[entry["text"]] = None

    def _take_ends(self, entry: Mapping[str, Any]) -> None:
        self.ended = True
        self.failure = from_plain(Failure, entry["failure"]) if entry["failure"] else None
        self.seconds = dict(entry["seconds"])


_TAKERS: dict[str, Callable[[Account, Mapping[str, Any]], str | None]] = {
    "begins": Account._take_begins,
    "kernel": Account._take_kernel,
    "launch_begins": Account._take_launch_begins,
    "launch_ends": Account._take_launch_ends,
    "test": Account._take_test,
    "diagnostic": Account._take_diagnostic,
    "mocked": Account._take_mocked,
    "caveat": Account._take_caveat,
    "ends": Account._take_ends,
}


def read_lines(text: str) -> tuple[Iterable[str], str]:
    """The complete lines of a text that still grows, and the rest of it."""
    whole, newline, rest = text.rpartition("\n")
    return (whole.split("\n") if newline else ()), rest


def _counted(known: Diagnostic, again: Diagnostic) -> Diagnostic:
    count = known.evidence.get("count", 1) + again.evidence.get("count", 1)
    return replace(known, evidence={**known.evidence, "count": count})


def is_error(diagnostic: Diagnostic) -> bool:
    """Whether a finding alone makes a run fail."""
    return diagnostic.severity is Severity.ERROR
