"""One launch under Nsight Compute: its command, and what is read of its report."""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from workbench.core.counters import refusals
from workbench.core.counters.raw_csv import CounterFileError, read_raw_csv
from workbench.core.counters.reports import report_page
from workbench.core.counters.source_csv import read_source_csv
from workbench.core.plain import from_plain, to_plain
from workbench.core.profiles import CounterReport, KernelCounters, ProfileRequest
from workbench.core.python_path import python_path
from workbench.engine.compiling import Report
from workbench.engine.device.launching import About
from workbench.engine.device.ncu_lines import NoLinesError, kernel_lines, line_counters
from workbench.engine.device.ncu_process import Finished, RefusedError, run_within

LAUNCHER = "workbench.engine.device.launching"
BASIC, FULL = "basic", "full"
_SECONDS = {BASIC: 300, FULL: 600}
_ATTEMPTS = 8
_LOCK = "nsight-compute-lock"
_ERROR = "==ERROR== "
_APPLICATION = re.compile(r"application returned an error", re.IGNORECASE)
_CONTAINERS = ("/.dockerenv", "/run/.containerenv")


@dataclass(frozen=True)
class NcuProfile:
    """A profile of the launch of a request by the program `ncu`; its files are in `folder`."""

    ncu: Path
    request: ProfileRequest
    folder: Path
    report: Report

    def counters(self, metrics: Sequence[str]) -> CounterReport:
        """Launch the kernel under the profiler and read what it counted; raises RefusedError."""
        self.report("counting with Nsight Compute", 0.2)
        self._launch(metrics)
        self.report("reading the counters", 0.8)
        found = read_raw_csv(self._page("raw", "--print-units", "base"))
        notes = (*found.notes, *_not_counted(metrics, found))
        if self.request.lines:
            kernels, reasons = self._with_lines(found.kernels)
            return CounterReport(found.tool, kernels, (*notes, *reasons))
        return CounterReport(found.tool, found.kernels, notes)

    @property
    def _order(self) -> Path:
        return self.folder / "request.json"

    @property
    def _about(self) -> Path:
        return self.folder / "about.json"

    @property
    def _file(self) -> Path:
        return self.folder / "counters.ncu-rep"

    def _launch(self, metrics: Sequence[str]) -> None:
        """Write the report of one launch, if need be without metrics that are not known here.

        Older versions end at the first metric that they do not know, newer ones leave it out.
        """
        self._order.write_text(json.dumps(to_plain(self.request)), "utf-8")
        limit = _SECONDS[FULL if self._is_full else BASIC]
        for _ in range(_ATTEMPTS):
            done = run_within(self._command(metrics), limit, self._environment())
            if done.status is None:
                raise RefusedError(f"Nsight Compute was ended after its time limit of {limit} s")
            if self._file.is_file():
                return
            unknown = _refused(metrics, done.output)
            if not unknown:
                break
            metrics = [name for name in metrics if name not in unknown]
        raise RefusedError(why_not(done, "Nsight Compute counted nothing"))

    def _environment(self) -> dict[str, str]:
        """With another folder of temporary files where another user's lock is in the usual one."""
        found = {**os.environ, "PYTHONPATH": python_path()}
        lock = Path(tempfile.gettempdir(), _LOCK)
        if lock.exists():
            try:
                lock.open("a").close()  # the mode tells too little: see proc(5), protected_regular
            except OSError:
                found["TMPDIR"] = str(self.folder)
        return found

    @property
    def _is_full(self) -> bool:
        return self.request.counter_set == FULL

    def _command(self, metrics: Sequence[str]) -> list[str]:
        command = [str(self.ncu), "--clock-control", "none", "--profile-from-start", "off"]
        command += ["--force-overwrite", "--export", str(self._file)]
        if self._is_full:
            command += ["--set", "full"]
        elif self.request.lines:
            command += ["--section", "SourceCounters"]
        command += ["--metrics", ",".join(metrics)]
        return [*command, sys.executable, "-m", LAUNCHER, str(self._order), str(self._about)]

    def _page(self, page: str, *options: str) -> str:
        try:
            return report_page(self.ncu, self._file, page, *options)
        except CounterFileError as error:
            raise RefusedError(str(error)) from error

    def _with_lines(
        self, kernels: Sequence[KernelCounters]
    ) -> tuple[tuple[KernelCounters, ...], list[str]]:
        """The kernels with the counters of their lines, else a note on why they have none."""
        about = from_plain(About, json.loads(self._about.read_text("utf-8")))
        try:
            lines = kernel_lines(self.request, about.device)
        except NoLinesError as error:
            return tuple(kernels), [f"the counters of lines are not known: {error}"]
        text = self.request.source.text
        found = {
            page.kernel: line_counters(page, lines[page.kernel], text)
            for page in read_source_csv(self._page("source"))
            if page.kernel in lines
        }
        return tuple(replace(each, lines=found.get(each.name, ())) for each in kernels), []


def in_container() -> bool:
    """Whether this process runs in a container, whose host decides what it may do."""
    return any(Path(mark).exists() for mark in _CONTAINERS)


def why_not(done: Finished, otherwise: str) -> str:
    """What is known to keep the profiler from counting, else the last words that tell."""
    known = refusals.refusal(done.output, in_container())
    if known is not None:
        return known
    errors = _errors(done.output)
    own = [line for line in done.output.splitlines() if line.strip() and line[:2] != "=="]
    if own and any(_APPLICATION.search(each) for each in errors):
        return f"{otherwise}: {own[-1].strip()}"
    return f"{otherwise}: {errors[-1]}" if errors else otherwise


def _errors(output: str) -> list[str]:
    lines = [line for line in output.splitlines() if line.startswith(_ERROR)]
    return [line.removeprefix(_ERROR).strip() for line in lines]


def _refused(metrics: Sequence[str], output: str) -> list[str]:
    """The metrics that errors name, in whole or without their last part, as regular expressions."""
    said = " ".join(_errors(output)).replace("\\", "")
    whole = [name for name in metrics if name in said]
    bases = {name: rf"\b{re.escape(name.partition('.')[0])}\b" for name in metrics}
    return whole or [name for name, base in bases.items() if re.search(base, said)]


def _not_counted(metrics: Sequence[str], found: CounterReport) -> list[str]:
    names = {name for kernel in found.kernels for name in kernel.values}
    absent = [name for name in metrics if name not in names]
    return [f"not counted on this GPU: {', '.join(absent)}"] if absent else []
