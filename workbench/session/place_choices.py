"""The places that a kernel can run in, as a person chooses among them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from workbench.core.hosts import LOCAL, Host
from workbench.session.hosts.places import CPU, DEVICE, SIMULATOR, Place
from workbench.session.jobs import WorkerState, WorkerStatus

_NO_GPU = "no GPU on this machine"
_SHORT = {SIMULATOR: "simulator", CPU: "CPU", DEVICE: "GPU"}


@dataclass(frozen=True)
class HostGlance:
    """What is known of a host. `gpus` is None where it was not tested yet.

    `reason` says why it was not reached or cannot run kernels on a GPU, in a sentence.
    """

    host: Host
    reached: bool | None = None
    gpus: tuple[str, ...] | None = None
    reason: str = ""
    no_gpu: str = ""


@dataclass(frozen=True)
class PlaceChoice:
    """One place. `short` stands on a button, `note` tells more, `why_not` why it cannot be used."""

    place: Place
    title: str
    short: str
    note: str = ""
    why_not: str = ""

    @property
    def is_usable(self) -> bool:
        """Whether it can be chosen."""
        return not self.why_not


@dataclass(frozen=True)
class PlaceGroup:
    """The places of one machine."""

    title: str
    choices: tuple[PlaceChoice, ...]


def place_groups(
    worker: WorkerState, hosts: Sequence[HostGlance], devices_only: bool = False
) -> tuple[PlaceGroup, ...]:
    """The places of this machine, then those of each host; `devices_only` where a GPU is needed."""
    groups = [PlaceGroup("This machine", _local_choices(worker))]
    groups += [PlaceGroup(each.host.name, _host_choices(each)) for each in hosts]
    if not devices_only:
        return tuple(groups)
    return tuple(
        PlaceGroup(group.title, tuple(c for c in group.choices if c.place.is_device))
        for group in groups
    )


def choice_of(groups: Sequence[PlaceGroup], place: Place) -> PlaceChoice | None:
    """The choice of a place; None where there is none."""
    return next((c for group in groups for c in group.choices if c.place == place), None)


def first_usable(groups: Sequence[PlaceGroup]) -> PlaceChoice | None:
    """The first place that can be used."""
    return next((c for group in groups for c in group.choices if c.is_usable), None)


def place_words(place: Place) -> str:
    """A place in a sentence, after "on" or "in": "the GPU of gpu1", "the simulator"."""
    what = {SIMULATOR: "the simulator", CPU: "the processor", DEVICE: "the GPU"}[place.engine]
    if place.host != LOCAL:
        return f"{what} of {place.host}"
    return what if place.engine == SIMULATOR else f"{what} of this machine"


def _local_choices(worker: WorkerState) -> tuple[PlaceChoice, ...]:
    gpu = worker.devices[0] if worker.devices else "GPU"
    note, why = ("this machine's GPU" if worker.devices else ""), ""
    if not worker.devices:
        is_known = worker.status is WorkerStatus.READY
        why = _NO_GPU if is_known else "not known before the worker is ready"
    if worker.status is WorkerStatus.LOST:
        why = "the worker is gone"
    return (
        PlaceChoice(Place(LOCAL, SIMULATOR), "Simulator", "simulator", "any target, without a GPU"),
        PlaceChoice(Place(LOCAL, CPU), "CPU", "CPU", "compiled for this processor"),
        PlaceChoice(Place(LOCAL, DEVICE), gpu, _short_gpu(gpu), note, why),
    )


def _host_choices(glance: HostGlance) -> tuple[PlaceChoice, ...]:
    host = glance.host
    why_none = glance.reason if glance.reached is False else ""
    gpu = glance.gpus[0] if glance.gpus else "GPU"
    note = "not tested yet" if glance.reached is None else host.command_line
    short = host.name
    return (
        PlaceChoice(
            Place(host.name, DEVICE),
            f"{host.name} · {gpu}",
            short,
            note,
            why_none or glance.no_gpu,
        ),
        PlaceChoice(
            Place(host.name, SIMULATOR),
            f"{host.name} · {_SHORT[SIMULATOR]}",
            f"{host.name} {_SHORT[SIMULATOR]}",
            note,
            why_none,
        ),
    )


def _short_gpu(name: str) -> str:
    """The last words of a product's name: "H200" of "NVIDIA H200"."""
    words = name.removeprefix("NVIDIA ").removeprefix("AMD ").removeprefix("GeForce ").split()
    return " ".join(words[:2]) or name
