"""Kernels lowered and compiled once a run, and the counters of an H200 that figures are held to."""

from __future__ import annotations

import json
import math
import os
import pathlib
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import pytest

from workbench.core.analysis.block_limits import BlockResources
from workbench.core.analysis.shared_sites import SharedReport
from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import CompileRequest, KernelChoice, Resources, Source
from workbench.core.targets.table import load_targets

ORACLE = pathlib.Path(__file__).parents[3].parent / "shared" / "oracle"


@dataclass(frozen=True)
class Analyzed:
    """A document's kernel with its report and its code, if compiled; `text` is the document's."""

    text: str
    report: SharedReport
    kernel: Any
    code: Any = None
    resources: Resources | None = None

    def block(self) -> BlockResources:
        """What a block of the compiled kernel needs."""
        from workbench.engine import lowering
        from workbench.engine.analysis.resources import block_resources

        device = lowering.device_kernel(self.kernel.func)
        assert self.resources is not None
        resources = replace(self.resources, shared_dynamic_bytes=device.shared_dynamic_bytes)
        threads = math.prod(extent or 1 for extent in device.block)
        return block_resources(self.kernel.func, threads, resources)


def _request(path: pathlib.Path, target: str | None) -> tuple[CompileRequest, Any]:
    document = read_document(path)
    chosen = select(document, None, None, {})[0]
    found = load_targets().resolve(target or chosen.case.targets[0])
    kernel = chosen.kernel
    choice = KernelChoice(kernel.name, kernel.style.value, chosen.args, kernel.line)
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    return CompileRequest(source, choice, found.to_json()), found


@lru_cache(maxsize=128)
def _lowered(path: pathlib.Path, target: str | None) -> tuple[Any, Any]:
    """What was built and what it was lowered to, for analyses with machine code and without."""
    from workbench.engine import compiling, lowering
    from workbench.engine.user_lines import user_lines

    request, found = _request(path, target)
    built = compiling.build(request, found)
    with user_lines(str(path)):
        return built, lowering.lower_modules(built, lowering.tvm_target(found))


@lru_cache(maxsize=128)
def _analyzed(path: pathlib.Path, target: str | None, with_code: bool) -> Analyzed:
    from workbench.engine import lowering
    from workbench.engine.analysis import shared_memory
    from workbench.engine.analysis.lined_code import lined_code
    from workbench.engine.analysis.source_lines import source_lines

    request, found = _request(path, target)
    built, artifact = _lowered(path, target)
    tvm_target = lowering.tvm_target(found)
    kernel = shared_memory.lowered_kernels(artifact, built.func, str(path), found)[0]
    code, resources = None, None
    if with_code:
        config, source = lowering.pass_config(built), artifact.kernel_source
        made = lined_code(built, source, found)
        lines = source_lines(artifact.device_mod, tvm_target, config, source, str(path))
        code, resources = shared_memory.KernelCode(made.ptx, made.sass, lines), made.resources
    report = shared_memory.analyze_shared(kernel, code, None if with_code else "not compiled")
    return Analyzed(request.source.text, report, kernel, code, resources)


Analyze = Callable[..., Analyzed]


@pytest.fixture(scope="session")
def analyze(tmp_path_factory: pytest.TempPathFactory) -> Analyze:
    """analyze(path or text, target=None, code=False): the analysis of a kernel document."""
    folder = tmp_path_factory.mktemp("analyzed")
    written: dict[str, pathlib.Path] = {}

    def run(
        document: pathlib.Path | str, target: str | None = None, code: bool = False
    ) -> Analyzed:
        if isinstance(document, str):
            path = written.setdefault(document, folder / f"kernel_{len(written)}.py")
            path.write_text(document)
            document = path
        return _analyzed(document, target, code)

    return run


@pytest.fixture(scope="session")
def counters() -> dict[str, Any]:
    """What the H200 counted, by kernel; skips where the measurements are not at hand."""
    path = ORACLE / "h200-kernel-counters.json"
    if not os.access(path, os.R_OK):
        pytest.skip(f"the measured kernels are not at {ORACLE}")
    kernels: dict[str, Any] = json.loads(path.read_text())["kernels"]
    return kernels
