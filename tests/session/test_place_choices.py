"""The places that a person can choose among, and why some cannot be chosen."""

from __future__ import annotations

from dataclasses import replace

from tests.support.host_reports import PROBE, REACHED
from workbench.core.host_report import HostReport, lacks_of
from workbench.core.hosts import LOCAL, make_host
from workbench.session.hosts.glances import glance
from workbench.session.hosts.places import CPU, DEVICE, SIMULATOR, Place
from workbench.session.jobs import WorkerState, WorkerStatus
from workbench.session.place_choices import choice_of, first_usable, place_groups, place_words

GPU1 = make_host("gpu1", "ssh gpu1")
READY = WorkerState(WorkerStatus.READY)


def test_this_machine_simulates_and_has_no_gpu() -> None:
    (here,) = place_groups(READY, ())
    assert [(c.place.engine, c.why_not) for c in here.choices] == [
        (SIMULATOR, ""),
        (CPU, ""),
        (DEVICE, "no GPU on this machine"),
    ]


def test_before_the_worker_is_ready_its_gpu_is_not_known() -> None:
    (here,) = place_groups(WorkerState(), ())
    assert here.choices[2].why_not == "not known before the worker is ready"


def test_this_machines_gpu_has_its_name() -> None:
    (here,) = place_groups(replace(READY, devices=("NVIDIA H200",)), ())
    gpu = here.choices[2]
    assert (gpu.title, gpu.short, gpu.is_usable) == ("NVIDIA H200", "H200", True)


def test_a_host_that_was_not_tested_can_be_chosen() -> None:
    _, host = place_groups(READY, (glance(GPU1, None),))
    assert [(c.short, c.note, c.is_usable) for c in host.choices] == [
        ("gpu1", "not tested yet", True),
        ("gpu1 simulator", "not tested yet", True),
    ]


def test_a_host_that_was_tested_tells_its_gpu() -> None:
    _, host = place_groups(READY, (glance(GPU1, REACHED),))
    assert (host.choices[0].title, host.choices[0].is_usable) == ("gpu1 · NVIDIA H200", True)


def test_a_host_that_was_not_reached_cannot_be_chosen() -> None:
    reason = "gpu1 does not answer: timed out. See that it is on."
    report = HostReport("gpu1", "ssh gpu1", False, reason)
    _, host = place_groups(READY, (glance(GPU1, report),))
    assert [c.why_not for c in host.choices] == ["gpu1 does not answer: timed out"] * 2


def test_a_host_without_a_gpu_still_simulates() -> None:
    bare = replace(PROBE, devices=(), torch=None)
    report = replace(REACHED, probe=bare, lacks=lacks_of(bare, "gpu1"))
    _, host = place_groups(READY, (glance(GPU1, report),))
    assert [c.why_not for c in host.choices] == ["No GPU is to be seen on gpu1", ""]


def test_a_profile_needs_a_gpu_and_takes_the_first_that_there_is() -> None:
    groups = place_groups(READY, (glance(GPU1, REACHED),), devices_only=True)
    assert all(c.place.is_device for group in groups for c in group.choices)
    first = first_usable(groups)
    assert first is not None
    assert first.place == Place("gpu1", DEVICE)


def test_without_a_usable_gpu_there_is_none_to_take() -> None:
    assert first_usable(place_groups(READY, (), devices_only=True)) is None
    assert choice_of(place_groups(READY, ()), Place("gone", DEVICE)) is None


def test_places_have_words() -> None:
    assert place_words(Place()) == "the simulator"
    assert place_words(Place(LOCAL, DEVICE)) == "the GPU of this machine"
    assert place_words(Place("gpu1", DEVICE)) == "the GPU of gpu1"
    assert place_words(Place("gpu1", SIMULATOR)) == "the simulator of gpu1"
