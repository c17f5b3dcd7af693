from __future__ import annotations

import threading
from typing import Any

from workbench.ui.loop import Loop


def test_a_call_from_another_thread_comes_in_this_one(qtbot: Any) -> None:
    loop, seen = Loop(), []
    thread = threading.Thread(
        target=lambda: loop.post(lambda: seen.append(threading.current_thread()))
    )
    thread.start()
    thread.join()
    qtbot.waitUntil(lambda: bool(seen))
    assert seen == [threading.main_thread()]


def test_calls_keep_their_order(qtbot: Any) -> None:
    loop, seen = Loop(), []
    for number in range(50):
        loop.post(lambda number=number: seen.append(number))
    qtbot.waitUntil(lambda: len(seen) == 50)
    assert seen == list(range(50))


def test_a_closed_loop_drops_what_waits_and_what_comes(qtbot: Any) -> None:
    loop, seen = Loop(), []
    loop.post(lambda: seen.append(1))
    loop.close()
    loop.post(lambda: seen.append(2))
    qtbot.wait(20)
    assert seen == []


def test_a_restarted_timer_calls_once(qtbot: Any) -> None:
    loop, seen = Loop(), []
    timer = loop.make_timer(lambda: seen.append(1))
    for _ in range(3):
        timer.restart(10)
    qtbot.wait(60)
    assert seen == [1]


def test_a_timer_of_a_closed_loop_does_not_call(qtbot: Any) -> None:
    loop, seen = Loop(), []
    loop.make_timer(lambda: seen.append(1)).restart(0)
    loop.close()
    qtbot.wait(20)
    assert seen == []
