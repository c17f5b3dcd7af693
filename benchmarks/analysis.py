"""Prints what the analysis of memory takes in a warm worker, for the shipped GEMM at 1024 cubed.

    python benchmarks/analysis.py [targets ...]              by default h200 and a100

Level 1 is beyond the lowering, and level 2 beyond level 1: the compiler with empty caches is told
apart from what is evaluated. Every figure is the median of several runs in one process, after one
that is not counted; run it on an idle machine.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
os.environ["TILELANG_WORKBENCH_CACHE"] = tempfile.mkdtemp(prefix="analysis-")

from workbench.engine import environment  # noqa: E402 - the path and the cache come first

environment.prepare()

from workbench.core.documents.reading import read_document  # noqa: E402
from workbench.core.documents.selection import select  # noqa: E402
from workbench.core.jobs import CompileRequest, KernelChoice, Source  # noqa: E402
from workbench.core.targets.model import Target  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402
from workbench.engine import compiling, lowering, machine_code  # noqa: E402
from workbench.engine.analysis import shared_memory  # noqa: E402
from workbench.engine.analysis.copy_lines import copy_lines  # noqa: E402
from workbench.engine.analysis.global_code import global_code_sites  # noqa: E402
from workbench.engine.analysis.global_ir import global_sites  # noqa: E402
from workbench.engine.analysis.source_lines import source_lines  # noqa: E402
from workbench.engine.user_lines import user_lines  # noqa: E402

T = TypeVar("T")
RUNS = 5
COMPILES = 3
PATH = ROOT / "kernels" / "gemm.py"


def main() -> None:
    """Print the figures of each target."""
    for name in sys.argv[1:] or ["h200", "a100"]:
        print(f"{PATH.name}, 1024 x 1024 x 1024, {name}")
        for title, seconds in measured(load_targets().resolve(name)).items():
            print(f"  {title:<44}{seconds:8.3f} s")


def measured(target: Target) -> dict[str, float]:
    """Seconds by what takes them."""
    found: dict[str, float] = {}

    def median(title: str, compute: Callable[[], T], runs: int = RUNS) -> T:
        value, times = compute(), []
        for _ in range(runs):
            begun = time.perf_counter()
            value = compute()
            times.append(time.perf_counter() - begun)
        found[title] = statistics.median(times)
        return value

    built = compiling.build(request(target), target)
    tvm_target = lowering.tvm_target(target)

    def lowered() -> Any:
        with user_lines(str(PATH)):
            return lowering.lower_modules(built, tvm_target)

    artifact = median("lowering", lowered)
    (kernel,) = shared_memory.lowered_kernels(artifact, built.func, str(PATH), target)
    copies = copy_lines(kernel.tile_func, kernel.document)

    def level_1() -> Any:
        accesses = shared_memory.accesses_of(kernel)
        shared_memory.ir_sites_of(kernel, accesses)
        return accesses

    accesses = median("level 1: shared sites", level_1)
    median("level 1: global sites", lambda: global_sites(accesses, copies))
    code = compiled(median, built, artifact, target)

    def level_2() -> Any:
        traces = shared_memory.traces_of(kernel, code, accesses)
        shared_memory.code_sites_of(kernel, code, traces)
        return traces

    traces = median("level 2: shared sites", level_2)
    median("level 2: global sites", lambda: global_code_sites(traces, code.lines))
    return found


def compiled(median: Any, built: Any, artifact: Any, target: Target) -> shared_memory.KernelCode:
    """The machine code, each tool timed with nothing cached."""
    toolkit, config = environment.cuda_toolkit(), lowering.pass_config(built)
    source, flags = artifact.kernel_source, (*built.compile_flags, "-lineinfo")
    made = median(
        "level 2: nvcc and ptxas, nothing cached",
        lambda: machine_code.compile_cuda(source, target.lowering, config, flags, toolkit),
        COMPILES,
    )
    sass = median(
        "level 2: nvdisasm, nothing cached",
        lambda: machine_code.disassemble(made.cubin, toolkit),
        COMPILES,
    )
    tvm_target = lowering.tvm_target(target)
    lines = median(
        "level 2: lines of the source",
        lambda: source_lines(artifact.device_mod, tvm_target, config, source, str(PATH)),
    )
    return shared_memory.KernelCode(made.ptx, sass, lines)


def request(target: Target) -> CompileRequest:
    """The square case of the shipped GEMM."""
    document = read_document(PATH)
    chosen = select(document, None, "square", {})[0]
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(PATH), document.text, str(PATH.parent), trusted=True)
    return CompileRequest(source, choice, target.to_json())


if __name__ == "__main__":
    main()
