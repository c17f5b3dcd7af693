"""Machine code with line information, for analyses that tell lines; kept in the disk cache."""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from workbench.core.jobs import Resources
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.model import Target
from workbench.engine import cache, environment, lowering, machine_code
from workbench.engine.kernels import BuiltKernel

_LINES = "-lineinfo"  # changes no instruction: nvcc --help, --generate-line-info


@dataclass(frozen=True)
class LinedCode:
    """PTX whose .loc directives point into the generated source, its SASS, and the resources.

    `sass` is None where no disassembler is there, which `sass_missing` says.
    """

    ptx: str
    sass: str | None
    resources: Resources
    cubin: bytes
    sass_missing: str | None = None


def no_compiler(target: Target) -> str | None:
    """That no compiler makes machine code for a target, in words; None where one does."""
    spec = target.lowering
    if isinstance(spec, Mapping) and spec.get("kind") == "cuda":
        return None
    return f"no compiler here makes machine code for {target.title}"


def lined_code(built: BuiltKernel, source: str, target: Target) -> LinedCode:
    """Machine code of generated CUDA source.

    Raises machine_code.MissingToolError and MachineCodeError.
    """
    if (missing := no_compiler(target)) is not None:
        raise machine_code.MissingToolError(missing)
    spec = target.lowering
    assert isinstance(spec, Mapping)
    config, flags = lowering.pass_config(built), (*built.compile_flags, _LINES)
    key = cache.digest("lined", source, spec, config, flags, environment.versions())
    plain, _ = cache.remembered(
        cache.disk_cache(), key, lambda: _compiled(source, spec, config, flags)
    )
    return LinedCode(
        plain["ptx"],
        plain["sass"],
        from_plain(Resources, plain["resources"]),
        base64.b64decode(plain["cubin"]),
        plain["sass_missing"],
    )


def _compiled(
    source: str, spec: Mapping[str, Any], config: Mapping[str, Any], flags: tuple[str, ...]
) -> dict[str, Any]:
    toolkit = environment.cuda_toolkit()
    made = machine_code.compile_cuda(source, spec, config, flags, toolkit)
    sass: str | None = None
    missing: str | None = None
    try:
        sass = machine_code.disassemble(made.cubin, toolkit)
    except machine_code.MissingToolError as error:
        missing = str(error)
    return {
        "ptx": made.ptx,
        "sass": sass,
        "sass_missing": missing,
        "cubin": base64.b64encode(made.cubin).decode(),
        "resources": to_plain(made.resources),
    }
