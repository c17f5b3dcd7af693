from __future__ import annotations

from typing import Any

import pytest

from workbench.core.analysis.global_sites import GlobalKind, GlobalSite
from workbench.core.analysis.shared_sites import Level
from workbench.core.analysis.traffic import (
    BufferFootprint,
    SiteFootprint,
    is_store,
    requested,
    traffic_of,
    window_of,
)
from workbench.core.analysis.work import Work, WorkSite, WorkUnit, merged_sites

MIB = 1 << 20


def site(kind: GlobalKind, operation: str = "", **figures: Any) -> GlobalSite:
    return GlobalSite(1, kind, Level.IR, operation, "A", "float16", 16, **figures)


def test_the_accelerators_copies_go_where_their_operation_says() -> None:
    load, store = site(GlobalKind.BULK_COPY, "tma_load"), site(GlobalKind.BULK_COPY, "tma_store")
    assert [is_store(load), is_store(store)] == [False, True]


def test_bytes_asked_for_include_the_accelerators_but_no_atomics() -> None:
    sites = [
        site(GlobalKind.LOAD, requested_bytes=100),
        site(GlobalKind.BULK_COPY, "tma_load", requested_bytes=40),
        site(GlobalKind.STORE, requested_bytes=7),
        site(GlobalKind.ATOMIC, requested_bytes=3),
    ]
    assert requested(sites, stores=False) == 140
    assert requested(sites, stores=False, bulk=True) == 40
    assert requested(sites, stores=True) == 7


def test_bytes_are_unknown_where_those_of_a_site_are() -> None:
    sites = [site(GlobalKind.LOAD, requested_bytes=100), site(GlobalKind.LOAD)]
    assert requested(sites, stores=False) is None


@pytest.mark.parametrize(
    ("kind", "fetched"),
    [(GlobalKind.LOAD, 8 * 1024), (GlobalKind.ASYNC_COPY, 8192 * 32)],
)
def test_the_l1_keeps_what_a_block_loads_but_no_asynchronous_copies(
    kind: GlobalKind, fetched: int
) -> None:
    each = SiteFootprint(site(kind, sectors=8192), 1024, 1024, 1024)
    traffic = traffic_of([each], [BufferFootprint("A", False, 1024, 1024)], 8, 4, 1, MIB)
    assert traffic.l2_load_bytes == fetched


def test_what_fits_the_l2_is_fetched_once_else_once_a_window() -> None:
    buffers = [BufferFootprint("A", False, MIB, 5 * MIB), BufferFootprint("C", True, MIB, MIB)]
    fits = traffic_of([], buffers, 8, 4, 1, 2 * MIB)
    assert (fits.fits_l2, fits.dram_load_bytes, fits.dram_store_bytes) == (True, MIB, MIB)
    over = traffic_of([], buffers, 8, 4, 1, MIB)
    assert (over.fits_l2, over.dram_load_bytes, over.dram_store_bytes) == (False, 5 * MIB, MIB)


def test_a_window_is_as_many_waves_as_the_l2_holds() -> None:
    wave = [SiteFootprint(site(GlobalKind.LOAD), MIB, 1024, MIB)]
    assert window_of(wave, 132, 10 * MIB) == 10
    assert window_of(wave, 132, MIB // 2) == 1
    assert window_of(wave, 132, None) == 1


def test_work_of_one_line_is_one_site_unknown_where_a_part_is() -> None:
    known = WorkSite(3, WorkUnit.FLOAT, "add", "float32", 10, 10)
    other = WorkSite(3, WorkUnit.FLOAT, "add", "float32", None, None, "data")
    (twice,) = merged_sites([known, known])
    assert (twice.operations, twice.flops) == (20, 20)
    (part,) = merged_sites([known, other])
    assert (part.operations, part.unknown) == (None, "data")


def test_flops_are_of_the_tensor_cores_or_of_threads() -> None:
    sites = (
        WorkSite(1, WorkUnit.TENSOR, "mma", "float16", 4, 4096),
        WorkSite(2, WorkUnit.SPECIAL, "exp2", "float32", 8, 8),
        WorkSite(2, WorkUnit.SHUFFLE, "AllReduce", "", 5, 0),
    )
    work = Work(sites, 0, 0)
    assert (work.tensor_flops, work.scalar_flops) == (4096, 8)
    assert work.tensor_formats() == {"float16": 4096}
    assert work.operations(WorkUnit.SHUFFLE) == 5
