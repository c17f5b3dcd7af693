"""Compiles generated CUDA source with nvcc and ptxas, and reads registers and SASS off the result.

The flags are those of TileLang's own compile step (tilelang/cuda/backend.py, 0.1.15), so that
registers are those of the kernel that runs.
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from workbench.core.jobs import Resources
from workbench.core.whereabouts import here
from workbench.engine.environment import CudaToolkit

_FAST_MATH = "tl.enable_fast_math"
_DEVICE_FLAGS = "tl.device_compile_flags"
_REGISTER_LEVEL = "tl.ptxas_register_usage_level"
_FOR_PTXAS = ("-Xptxas", "--ptxas-options")
_FIRST_ARCH = {12: 50, 13: 75}  # CUDA release notes: 13.0 dropped Maxwell, Pascal and Volta


class MachineCodeError(Exception):
    """nvcc or ptxas refused the source; the message is what it said.

    `ptx` is the text that ptxas refused, None where nvcc did.
    """

    def __init__(self, message: str, ptx: str | None = None) -> None:
        super().__init__(message)
        self.ptx = ptx


class MissingToolError(Exception):
    """A compiler is not on this machine or does not know the architecture; the message says both
    and the cure."""


@dataclass(frozen=True)
class MachineCode:
    """PTX text, the cubin that ptxas made of it, and the resources that it reported."""

    ptx: str
    cubin: bytes
    resources: Resources


def compile_cuda(
    source: str,
    lowering: Mapping[str, Any],
    config: Mapping[str, Any],
    flags: Sequence[str],
    toolkit: CudaToolkit | None,
) -> MachineCode:
    """PTX and machine code of generated CUDA source.

    `lowering` is the target's {"kind": "cuda", "arch": "sm_80", "code": ["sm_90"]}: PTX is made for
    `arch`, machine code for the first of `code`, else for `arch`. Raises MachineCodeError and
    MissingToolError.
    """
    arch = str(lowering["arch"])
    code = str(next(iter(lowering.get("code") or [arch])))
    toolkit = _usable(toolkit, arch)
    with tempfile.TemporaryDirectory(prefix="nvcc-") as folder:
        work = Path(folder)
        (work / "kernel.cu").write_text(source, encoding="utf-8")
        options = nvcc_options(config, flags)
        virtual = arch.replace("sm_", "compute_")
        _run(
            [toolkit.tools["nvcc"], "-ptx", f"-arch={virtual}", *options, "kernel.cu"],
            work,
            toolkit,
        )
        ptx = (work / "kernel.ptx").read_text(encoding="utf-8")
        try:
            report = _assemble(work, code, [*ptxas_options(config), *handed_on(options)], toolkit)
        except MachineCodeError as error:
            raise MachineCodeError(str(error), ptx) from None
        return MachineCode(
            ptx,
            (work / "kernel.cubin").read_bytes(),
            read_resources(report, toolkit.version),
        )


def disassemble(cubin: bytes, toolkit: CudaToolkit | None) -> str:
    """SASS text of a cubin by nvdisasm; raises MissingToolError."""
    with tempfile.TemporaryDirectory(prefix="nvdisasm-") as folder:
        path = Path(folder, "kernel.cubin")
        path.write_bytes(cubin)
        return run_disassembler(toolkit, ["-c", str(path)])


def run_disassembler(toolkit: CudaToolkit | None, arguments: Sequence[str]) -> str:
    """What nvdisasm prints; raises MissingToolError and MachineCodeError."""
    if toolkit is None or "nvdisasm" not in toolkit.tools:
        raise MissingToolError(
            f"nvdisasm is not on {here()}: pip install nvidia-cuda-nvdisasm==13.2.86"
        )
    with tempfile.TemporaryDirectory(prefix="nvdisasm-") as folder:
        return _run([toolkit.tools["nvdisasm"], *arguments], Path(folder), toolkit).stdout


def nvcc_options(config: Mapping[str, Any], flags: Sequence[str]) -> list[str]:
    """The options of TileLang's compile step for a pass configuration and decorator flags."""
    from tilelang.env import CUTLASS_INCLUDE_DIR, TILELANG_TEMPLATE_PATH

    options = ["-std=c++20", f"-I{TILELANG_TEMPLATE_PATH}", f"-I{CUTLASS_INCLUDE_DIR}"]
    configured = config.get(_DEVICE_FLAGS) or ()
    for flag in (*((configured,) if isinstance(configured, str) else configured), *flags):
        options += shlex.split(str(flag))
    if config.get(_FAST_MATH):
        options.append("--use_fast_math")
    return options


def ptxas_options(config: Mapping[str, Any]) -> list[str]:
    """The options of the assembler in TileLang's compile step."""
    level = config.get(_REGISTER_LEVEL)
    return [] if level is None else [f"--register-usage-level={int(level)}"]


def handed_on(options: Sequence[str]) -> list[str]:
    """The options that nvcc would give the assembler: of `-Xptxas=a,b` or `-Xptxas a,b` both."""
    found = list[str]()
    for option, following in pairwise([*options, ""]):
        name, mark, value = option.partition("=")
        if name in _FOR_PTXAS:
            found += (value if mark else following).split(",")
    return found


def read_resources(report: str, version: str) -> Resources:
    """Registers, spills, stack, static shared memory and barriers from `ptxas -v`, else None.

    With several kernels in one file, the largest of each is what a launch must find room for.
    """
    spills = [int(a) + int(b) for a, b in _SPILLS.findall(report)]
    return Resources(
        registers=_largest(r"Used (\d+) registers", report),
        spill_bytes=max(spills, default=None),
        stack_bytes=_largest(r"(\d+) bytes stack frame", report),
        # ptxas leaves these counts out where a kernel has none
        shared_static_bytes=_largest(r"(\d+) bytes smem", report) or 0,
        source=f"ptxas {version}",
        barriers=_largest(r"used (\d+) barriers", report) or 0,
    )


_SPILLS = re.compile(r"(\d+) bytes spill stores, (\d+) bytes spill loads")


def _largest(pattern: str, text: str) -> int | None:
    return max((int(n) for n in re.findall(pattern, text)), default=None)


def _assemble(work: Path, code: str, options: Sequence[str], toolkit: CudaToolkit) -> str:
    command: list[str | Path] = [toolkit.tools["ptxas"], f"-arch={code}", "-v", *options]
    return _run([*command, "kernel.ptx", "-o", "kernel.cubin"], work, toolkit).stderr


def _usable(toolkit: CudaToolkit | None, arch: str) -> CudaToolkit:
    if toolkit is None:
        raise MissingToolError(
            f"no CUDA compiler on {here()}: pip install nvidia-cuda-nvcc==13.0.88 "
            "nvidia-nvvm==13.0.88 nvidia-cuda-crt==13.0.88 nvidia-cuda-runtime==13.0.96 "
            "nvidia-cuda-cccl==13.0.85, and a host compiler (g++)"
        )
    number = re.search(r"\d+", arch)
    first = _FIRST_ARCH.get(toolkit.major, 0)
    if number and int(number.group()) < first:
        raise MissingToolError(
            f"nvcc {toolkit.version} has no {arch} (it begins at sm_{first}): "
            "set CUDA_HOME to a CUDA 12 toolkit for machine code"
        )
    return toolkit


def _run(
    command: Sequence[str | Path], work: Path, toolkit: CudaToolkit
) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "CUDA_HOME": str(toolkit.home), "TMPDIR": str(work)}
    words = [str(word) for word in command]
    try:
        done = subprocess.run(
            words, cwd=work, env=environment, capture_output=True, text=True, check=False
        )
    except OSError as error:
        raise MissingToolError(f"{words[0]} cannot be run: {error}") from error
    if done.returncode != 0:
        raise _refusal(words[0], done)
    return done


def _refusal(tool: str, done: subprocess.CompletedProcess[str]) -> Exception:
    said = (done.stderr or done.stdout).strip()
    if re.search(r"(cc1plus|g\+\+|gcc).*(not found|No such file)|Failed to preprocess host", said):
        return MissingToolError(f"nvcc needs a host compiler: apt-get install g++\n{said}")
    return MachineCodeError(f"{Path(tool).name} ended with status {done.returncode}:\n{said}")
