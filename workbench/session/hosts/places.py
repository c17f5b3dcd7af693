"""Where a kernel is to run: a host and what executes it there, as `--on` names them."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from workbench.core.documents.suggestions import nearest
from workbench.core.hosts import LOCAL

SIMULATOR, CPU, DEVICE = "simulator", "cpu", "local"
#: What a worker's request calls each way to execute a kernel; `DEVICE` is the worker's own GPU.
ENGINES = (SIMULATOR, CPU, DEVICE)
_TITLES = {SIMULATOR: "simulator", CPU: "processor", DEVICE: "GPU"}


class PlaceError(ValueError):
    """There is no such place; the message suggests the nearest."""


@dataclass(frozen=True)
class Place:
    """`engine` is what a request's `on` says; `host` the name of the machine."""

    host: str = LOCAL
    engine: str = SIMULATOR

    @property
    def text(self) -> str:
        """The place as `--on` takes it: "simulator", "cpu", "local", "gpu1", "gpu1:cpu"."""
        if self.host == LOCAL:
            return self.engine
        return self.host if self.engine == DEVICE else f"{self.host}:{self.engine}"

    @property
    def title(self) -> str:
        """The place in words: "GPU of gpu1", "simulator" where it is this machine's."""
        if self.host != LOCAL:
            return f"{_TITLES[self.engine]} of {self.host}"
        return _TITLES[self.engine] if self.engine == SIMULATOR else f"this {_TITLES[self.engine]}"

    @property
    def is_device(self) -> bool:
        """Whether a GPU executes the kernel."""
        return self.engine == DEVICE


def parse_place(text: str, hosts: Collection[str]) -> Place:
    """The place that `--on` names: an engine of this machine, HOST (its GPU), or HOST:ENGINE.

    `hosts` are the names of the hosts there are. Raises PlaceError.
    """
    if text in ENGINES:
        return Place(LOCAL, text)
    host, colon, engine = text.partition(":")
    if host != LOCAL and host not in hosts:
        raise PlaceError(_unknown_host(host, hosts))
    if colon and engine not in ENGINES:
        near = _nearest(engine, ENGINES)
        known = f"{host}, {host}:simulator or {host}:cpu"
        raise PlaceError(f"nothing on {host} is called {engine!r}{near}: it is {known}")
    return Place(host, engine if colon else DEVICE)


def _unknown_host(name: str, hosts: Collection[str]) -> str:
    places = [*ENGINES, *(host for host in hosts if host != LOCAL)]
    return (
        f"there is no place or host {name!r}{_nearest(name, places)}; known are "
        f"{', '.join(places)}. Add a host with: hosts add {name or 'NAME'} -- ssh {name or 'NAME'}"
    )


def _nearest(name: str, known: Collection[str]) -> str:
    near = nearest(name, known)
    return f" (did you mean {near}?)" if near else ""
