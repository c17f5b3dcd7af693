from __future__ import annotations

import os
import signal
from typing import Any

import pytest

from workbench.ui.interrupts import Interrupts


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_calls_in_the_loop_and_ends_nothing(qtbot: Any, number: signal.Signals) -> None:
    seen: list[int] = []
    interrupts = Interrupts(lambda: seen.append(1))
    os.kill(os.getpid(), number)
    qtbot.waitUntil(lambda: bool(seen))
    interrupts.close()
    assert seen == [1]


def test_the_signals_are_given_back(qapp: Any) -> None:
    before = signal.getsignal(signal.SIGINT)
    Interrupts(lambda: None).close()
    assert signal.getsignal(signal.SIGINT) == before
