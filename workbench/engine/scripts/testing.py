"""Runs pytest in this process and notes each test's end; tests that need a GPU are not skipped."""

from __future__ import annotations

from collections.abc import Generator, Sequence
from typing import Any

import pytest

from workbench.core.jobs import ScriptTest
from workbench.core.targets.model import Target, Vendor
from workbench.engine.scripts.journal import Journal
from workbench.engine.scripts.lacks import LackError, lack_behind

# A plugin of ours would stand in the way of the script's process, or write beside the script.
_OPTIONS = ("-p", "no:cacheprovider", "-p", "no:pytest-qt", "-p", "no:xdist", "-q")
_FEATURES = {
    Vendor.NVIDIA: ("gpu", "cuda", "tensorcore", "cudagraph"),
    Vendor.AMD: ("gpu", "rocm", "matrixcore"),
}


class TestCollector:
    """The pytest plugin that notes what became of each test, and of files that do not import."""

    __test__ = False  # the name is not one of a test class

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._lacks: dict[str, LackError] = {}
        self._failed_in: dict[str, tuple[str, int]] = {}
        self.failed = False

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(self, item: Any, call: Any) -> Generator[None, Any, Any]:
        """A test that stops at something missing here has not failed: it is skipped."""
        report = yield
        error = call.excinfo.value if call.excinfo is not None else None
        lack = lack_behind(error)
        if lack is not None:
            self._lacks[report.nodeid] = lack
            report.outcome = "skipped"
            report.longrepr = (lack.file or str(item.path), lack.line or 0, str(lack))
        return report

    def pytest_runtest_logreport(self, report: Any) -> None:
        """Note a test by its call, or by a setup or teardown that ended it."""
        if report.when != "call" and report.outcome == "passed":
            return
        self.failed = self.failed or report.outcome == "failed"
        lack = self._lacks.get(report.nodeid)
        file, line = _place(report)
        self._journal.test(
            ScriptTest(
                report.nodeid.rpartition("/")[2],
                report.outcome,
                _message(report),
                lack.file if lack else file,
                lack.line if lack else line,
                report.duration,
                lack is not None,
            )
        )

    def pytest_collectreport(self, report: Any) -> None:
        """Note a file that cannot be collected as a failed test of its name."""
        if report.failed:
            self.failed = True
            message = _message(report)
            self._journal.test(ScriptTest(report.nodeid or "collection", "failed", message))


def run_tests(path: str, args: Sequence[str], journal: Journal) -> int:
    """Run pytest over a file and return its exit status: 0, 1, or what it could not do."""
    collector = TestCollector(journal)
    return int(pytest.main([*_OPTIONS, path, *args], plugins=[collector]))


def install(target: Target, journal: Journal) -> None:
    """Let tests of a script that calls pytest itself be noted, and GPUs be had."""
    run = pytest.main

    def main(args: Any = None, plugins: Any = None) -> Any:
        mine = [] if any(isinstance(p, TestCollector) for p in plugins or ()) else [journal]
        return run(args, [*(plugins or ()), *(TestCollector(j) for j in mine)])

    pytest.main = main
    _allow_features(_FEATURES.get(target.arch.vendor, ()))


def _allow_features(names: Sequence[str]) -> None:
    """Marks such as `requires_cuda` look for hardware with TVM, which stand-ins do not reach."""
    from tvm.testing.utils import Feature

    for name in names:
        feature = Feature._all_features.get(name)
        if feature is not None:
            feature.target_kind_enabled = None
            feature.target_kind_hardware = None
            feature.compile_time_check = None
            feature.run_time_check = None


def _message(report: Any) -> str | None:
    longrepr = report.longrepr
    if longrepr is None:
        return None
    if isinstance(longrepr, tuple):
        return str(longrepr[2]).removeprefix("Skipped: ")
    crash = getattr(longrepr, "reprcrash", None)
    text = crash.message if crash is not None else str(longrepr)
    return next((line for line in text.splitlines() if line.strip()), None)


def _place(report: Any) -> tuple[str | None, int | None]:
    crash = getattr(report.longrepr, "reprcrash", None)
    entries = getattr(getattr(report.longrepr, "reprtraceback", None), "reprentries", [])
    test_file = str(report.fspath)
    own = [e.reprfileloc for e in entries if getattr(e, "reprfileloc", None) is not None]
    mine = [p for p in own if test_file.endswith(str(p.path).lstrip("./"))]
    if mine:
        return test_file, mine[-1].lineno
    return (crash.path, crash.lineno) if crash is not None else (test_file, None)
