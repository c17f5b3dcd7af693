"""Watches a GPU's clock from a thread while something is timed on it."""

from __future__ import annotations

import threading
from types import TracebackType

from workbench.core.profiles import Clocks, DeviceInfo
from workbench.engine.device import nvml
from workbench.engine.device.finding import is_amd

_PERIOD_SECONDS = 0.01


class ClockWatch:
    """Within the block, samples the SMs' clock and why it is held down; then `clocks` tells.

    None where the driver cannot be asked.
    """

    def __init__(self, device: DeviceInfo) -> None:
        self._uuid = None if is_amd() else device.uuid
        self._most = device.sm_clock_mhz
        self._seen: list[int] = []
        self._reasons: dict[str, None] = {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._watch, name="clocks", daemon=True)

    def __enter__(self) -> ClockWatch:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._end.set()
        self._thread.join()

    @property
    def clocks(self) -> Clocks | None:
        """What was seen."""
        if not self._seen:
            return None
        return Clocks(min(self._seen), max(self._seen), self._most, tuple(self._reasons))

    def _watch(self) -> None:
        with nvml.opened(self._uuid) as driver:
            if driver is None:
                return
            while True:
                clock = driver.sm_clock_mhz()
                if clock is not None:
                    self._seen.append(clock)
                self._reasons.update(dict.fromkeys(driver.throttled()))
                if self._end.wait(_PERIOD_SECONDS):
                    return
