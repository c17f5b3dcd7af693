"""Shared memory of a lowered kernel at both levels: the entry to what this package knows of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.analysis.bank_tables import rules_for
from workbench.core.analysis.shared_sites import SharedReport, SharedSite
from workbench.core.targets.model import Target, Vendor
from workbench.engine.analysis.accesses import DeviceAccesses, device_accesses
from workbench.engine.analysis.code_traces import CodeTraces, code_traces
from workbench.engine.analysis.copy_lines import copy_lines
from workbench.engine.analysis.ptx import PtxError
from workbench.engine.analysis.ptx_machine import PtxLimitError
from workbench.engine.analysis.sass import shared_forms
from workbench.engine.analysis.shared_code import CodeSites, code_sites, compare_and_swap_loads
from workbench.engine.analysis.shared_ir import shared_sites
from workbench.engine.analysis.shared_report import shared_report
from workbench.engine.analysis.tensor_maps import tensor_maps


@dataclass(frozen=True)
class LoweredKernel:
    """One device function with what is needed to tell its accesses.

    `document` is the path whose lines are told; `tile_func` the tile-level function.
    """

    name: str
    func: Any
    host_module: Any
    tile_func: Any
    document: str
    target: Target


@dataclass(frozen=True)
class KernelCode:
    """The machine code of the kernel's source, compiled with line information.

    `sass` is None without a disassembler; `lines` gives the document's line of each source line.
    """

    ptx: str
    sass: str | None
    lines: Mapping[int, int | None]


def lowered_kernels(
    artifact: Any, tile_func: Any, document: str, target: Target
) -> tuple[LoweredKernel, ...]:
    """The device functions of what TileLang's lower gave."""
    return tuple(
        LoweredKernel(
            str(func.attrs["global_symbol"]),
            func,
            artifact.host_mod,
            tile_func,
            document,
            target,
        )
        for func in artifact.device_mod.functions.values()
    )


def accesses_of(kernel: LoweredKernel) -> DeviceAccesses:
    """Every access to shared and global memory. Raises ValueError on a launch not constant."""
    warp = kernel.target.arch.limits.warp_size or 32
    maps = tensor_maps(kernel.host_module)
    return device_accesses(kernel.func, kernel.document, warp, maps)


def traces_of(kernel: LoweredKernel, code: KernelCode, found: DeviceAccesses) -> CodeTraces:
    """What every memory instruction of the PTX does. Raises PtxError and PtxLimitError."""
    return code_traces(code.ptx, kernel.name, found.axes.launch)


def ir_sites_of(kernel: LoweredKernel, found: DeviceAccesses) -> tuple[SharedSite, ...]:
    """Level 1: the shared-memory sites of the lowered IR."""
    rules = rules_for(kernel.target.arch)
    copies = copy_lines(kernel.tile_func, kernel.document)
    sites = shared_sites(found, rules, copies)
    nvidia = kernel.target.arch.vendor is Vendor.NVIDIA
    return (*sites, *(compare_and_swap_loads(sites) if nvidia else ()))


def code_sites_of(kernel: LoweredKernel, code: KernelCode, traces: CodeTraces) -> CodeSites:
    """Level 2: the shared-memory sites of the PTX, held against the SASS."""
    rules = rules_for(kernel.target.arch)
    assert rules is not None
    forms = None if code.sass is None else shared_forms(code.sass, kernel.name)
    return code_sites(traces, rules, code.lines, forms, _copy_sources(kernel))


def _copy_sources(kernel: LoweredKernel) -> dict[int, int]:
    """The line of the copies from each parameter, counted from 1, where they have one line."""
    copies = copy_lines(kernel.tile_func, kernel.document)
    found = {}
    for number, parameter in enumerate(kernel.func.params, 1):
        lines = {line for pair, line in copies.items() if str(parameter.name) in pair}
        if len(lines) == 1:
            found[number] = lines.pop()
    return found


def analyze_shared(
    kernel: LoweredKernel, code: KernelCode | None, lacks: str | None = None
) -> SharedReport:
    """The report of a kernel; `lacks` says why there is no `code`.

    Raises ValueError where the launch is not constant.
    """
    found = accesses_of(kernel)
    ir_sites = ir_sites_of(kernel, found)
    if code is None or rules_for(kernel.target.arch) is None:
        return shared_report(kernel.name, ir_sites, None, lacks)
    try:
        traces = traces_of(kernel, code, found)
    except (PtxError, PtxLimitError) as error:
        return shared_report(kernel.name, ir_sites, None, str(error))
    return shared_report(kernel.name, ir_sites, code_sites_of(kernel, code, traces), None)
