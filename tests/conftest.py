"""What every test runs in: folders of its own, and the checks that it leaves nothing behind."""

from __future__ import annotations

import gc
import logging
import os
import re
import shutil
import signal
import site
import tempfile
import threading
import time
import uuid
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import TypeVar

import hypothesis
import psutil
import pytest

RUN_MARK = "WORKBENCH_TEST_RUN"
GRACE_SECONDS = 30.0  # on a machine that has much else to do
TESTS = Path(__file__).parent
KERNEL_LISTS_CHILDREN = Path(f"/proc/self/task/{os.getpid()}/children").is_file()

T = TypeVar("T")


def isolate(folder: Path) -> None:
    """Point everything that the product and its libraries write at `folder`, before any import."""
    os.environ["PYTHONUSERBASE"] = site.getuserbase()  # packages stay where the real home has them
    places = {
        "HOME": "home",
        "XDG_CONFIG_HOME": "home/.config",
        "XDG_DATA_HOME": "home/.local/share",
        "XDG_CACHE_HOME": "home/.cache",
        "XDG_RUNTIME_DIR": "runtime",  # Qt warns without it
        "TILELANG_WORKBENCH_CONFIG": "config",
        "TILELANG_WORKBENCH_DATA": "data",
        "TILELANG_WORKBENCH_CACHE": "cache",
        "TILELANG_CACHE_DIR": "tilelang",
    }
    for name, place in places.items():
        path = folder / place
        path.mkdir(parents=True, exist_ok=True, mode=0o700)
        os.environ[name] = str(path)
    os.environ["QT_QPA_PLATFORM"] = "offscreen"
    os.environ[RUN_MARK] = uuid.uuid4().hex


RUN_FOLDER = Path(tempfile.mkdtemp(prefix="workbench-tests-"))
isolate(RUN_FOLDER)

# Two busy cores make any deadline a matter of luck; the same examples everywhere make a red run
# one that the next person sees too.
hypothesis.settings.register_profile("workbench", deadline=None, derandomize=True)
hypothesis.settings.load_profile("workbench")


def pytest_configure() -> None:
    """A shell has what it starts in the background ignore Ctrl+C, which tests send to processes."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def pytest_unconfigure() -> None:
    shutil.rmtree(RUN_FOLDER, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Let nothing look for garbage while tests are collected: of what is made then, all stays."""
    gc.disable()
    try:
        return (yield)
    finally:
        gc.enable()
        gc.freeze()


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put the core last: none of its files takes long, so that `make test`, which shares files out
    in this order, has no process wait for another that began a long one at the end."""
    items.sort(key=lambda item: item.path.is_relative_to(TESTS / "core"))


def pytest_runtest_setup(item: pytest.Item) -> None:
    if item.get_closest_marker("gpu") and not gpu_present():
        pytest.skip("no GPU in this machine")


def gpu_present() -> bool:
    """Whether a driver of NVIDIA (nvidiactl) or AMD (kfd) has made its device node."""
    return any(Path(node).exists() for node in ("/dev/nvidiactl", "/dev/kfd"))


@pytest.fixture(scope="session", autouse=True)
def _nothing_outlives_the_run() -> Iterator[None]:
    before = set(descendants())
    yield
    end_leaked(lambda: [p for p in [*descendants(), *orphans()] if p not in before], "the run")


@pytest.fixture(autouse=True)
def _no_leaked_process(
    request: pytest.FixtureRequest, _nothing_outlives_the_run: None
) -> Iterator[None]:
    # Twice, because the kernel may leave one out of its list while another process ends.
    before = {*descendants(), *descendants()}
    yield
    end_leaked(lambda: new_processes(before), request.node.name)


@pytest.fixture(autouse=True)
def _no_settings_of_other_tests() -> Iterator[None]:
    yield
    for name in ("settings.json", "trust.json", "hosts.json"):
        (RUN_FOLDER / "config" / name).unlink(missing_ok=True)


@pytest.fixture(autouse=True)
def _no_leaked_thread() -> Iterator[None]:
    before = set(threading.enumerate())
    yield
    leaked = settle(lambda: [t for t in threading.enumerate() if is_leak(t, before)])
    assert not leaked, f"threads still run after the test: {leaked}"


@pytest.fixture(autouse=True)
def _no_unexpected_log(request: pytest.FixtureRequest) -> Iterator[None]:
    handler = WarningRecorder()
    root = logging.getLogger()
    root.addHandler(handler)
    yield
    root.removeHandler(handler)
    marker = request.node.get_closest_marker("logs")
    patterns = marker.args if marker else ()
    unexpected = [m for m in handler.messages if not any(re.search(p, m) for p in patterns)]
    assert not unexpected, f"unexpected log messages: {unexpected}"
    silent = [p for p in patterns if not any(re.search(p, m) for m in handler.messages)]
    assert not silent, f"the test announces log messages that never came: {silent}"


class WarningRecorder(logging.Handler):
    """Keeps the text of every log record from WARNING upwards."""

    def __init__(self) -> None:
        super().__init__(logging.WARNING)
        self.messages: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.messages.append(f"{record.name}: {record.getMessage()}")


def descendants() -> list[psutil.Process]:
    """The running processes below this one."""
    if not KERNEL_LISTS_CHILDREN:
        return [p for p in psutil.Process().children(recursive=True) if is_running(p)]
    return [p for number in numbers_below(os.getpid()) if (p := running(number)) is not None]


def numbers_below(parent: int) -> Iterator[int]:
    """The process numbers below a parent, by the kernel's lists: psutil reads every process there
    is for them, which at each of some thousand tests takes longer than many of these tests."""
    for listed in Path(f"/proc/{parent}/task").glob("*/children"):
        try:
            children = listed.read_text().split()
        except OSError:  # the thread or its process has ended
            continue
        for child in children:
            yield int(child)
            yield from numbers_below(int(child))


def running(number: int) -> psutil.Process | None:
    """The process of a number; None when it has ended."""
    try:
        process = psutil.Process(number)
    except psutil.NoSuchProcess:
        return None
    return process if is_running(process) else None


def orphans() -> list[psutil.Process]:
    """Processes that carry this run's mark, below it or not; too slow to look for at every test."""
    mark = os.environ[RUN_MARK]
    return [
        process
        for process in psutil.process_iter(["environ"])
        if process.pid != os.getpid() and (process.info["environ"] or {}).get(RUN_MARK) == mark
    ]


def is_running(process: psutil.Process) -> bool:
    """False for a process that has ended, waited for or not."""
    try:
        return process.status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def new_processes(before: set[psutil.Process]) -> list[psutil.Process]:
    """Those since `before`, less what a worker shared by several tests started for itself."""
    return [p for p in descendants() if p not in before and not before & ancestors(p)]


def ancestors(process: psutil.Process) -> set[psutil.Process]:
    try:
        return set(process.parents())
    except psutil.NoSuchProcess:
        return set()


def end_leaked(find: Callable[[], list[psutil.Process]], owner: str) -> None:
    """Fail, naming the processes that `find` still gives after the grace; kill them first."""
    leaked = settle(find)
    names = [describe(process) for process in leaked]
    for process in leaked:
        if process.is_running():
            process.kill()
    assert not leaked, f"{owner} left processes running: {names}"


def describe(process: psutil.Process) -> str:
    """Its number and command, and the test that pytest was in when it was started."""
    try:
        test = process.environ().get("PYTEST_CURRENT_TEST", "no test")
        return f"{process.pid}: {' '.join(process.cmdline())} (started in {test})"
    except psutil.Error:
        return f"{process.pid}: ended meanwhile, or another user's"


def is_leak(thread: threading.Thread, before: set[threading.Thread]) -> bool:
    """Whether a thread is new; a dummy, which Python did not start itself, cannot be joined."""
    return thread not in before and not isinstance(thread, threading._DummyThread)


def settle(find: Callable[[], list[T]]) -> list[T]:
    """What `find` gives once it gives nothing, or at the end of the grace."""
    deadline = time.monotonic() + GRACE_SECONDS
    while (found := find()) and time.monotonic() < deadline:
        time.sleep(0.02)
    return found
