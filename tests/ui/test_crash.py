from __future__ import annotations

import sys
from typing import Any

import pytest

from workbench.ui.crash import CrashReporter


class Window:
    def __init__(self) -> None:
        self.reports: list[tuple[str, str]] = []

    def show_report(self, message: str, details: str) -> None:
        self.reports.append((message, details))


@pytest.mark.logs("uncaught exception")
def test_an_exception_that_nobody_caught_is_reported_with_its_stack() -> None:
    window = Window()
    reporter = CrashReporter(window)
    try:
        raise ValueError("no cheese")
    except ValueError as error:
        sys.excepthook(type(error), error, error.__traceback__)
    finally:
        reporter.close()
    ((message, details),) = window.reports
    assert message == "ValueError: no cheese"
    assert "test_crash.py" in details


def test_a_closed_reporter_gives_the_hooks_back() -> None:
    before = sys.excepthook
    CrashReporter(Window()).close()
    assert sys.excepthook == before


@pytest.mark.logs("the window stalled for over 50 ms")
def test_a_stall_is_logged_with_its_stack(qtbot: Any, caplog: pytest.LogCaptureFixture) -> None:
    import time

    from workbench.ui.loop import Loop
    from workbench.ui.stalls import watch_stalls

    watch = watch_stalls(Loop())
    qtbot.wait(30)
    latest = time.monotonic() + 60
    while "stalled" not in caplog.text and time.monotonic() < latest:
        time.sleep(0.05)
    watch.close()
    assert "test_a_stall_is_logged_with_its_stack" in caplog.text
