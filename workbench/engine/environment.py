"""Loads tilelang and torch into this process, quietly, and tells versions, devices, compilers."""

from __future__ import annotations

import contextlib
import gc
import importlib.metadata
import os
import re
import shutil
import subprocess
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

PACKAGES = ("tilelang", "torch", "apache-tvm-ffi", "numpy")
_TOOLS = ("nvcc", "ptxas", "cuobjdump", "nvdisasm")


@dataclass(frozen=True)
class CudaToolkit:
    """A CUDA compiler installation: its home folder and the tools found in it."""

    home: Path
    tools: dict[str, Path]
    version: str

    @property
    def major(self) -> int:
        """The toolkit's major version, 13 for 13.0.88."""
        return int(self.version.split(".")[0])


def prepare() -> None:
    """Import tilelang and torch with the toolkit of the wheels in reach; call once a process."""
    toolkit = cuda_toolkit()
    if toolkit is not None:
        os.environ.setdefault("CUDA_HOME", str(toolkit.home))
    os.environ.setdefault("TILELANG_PRINT_ON_COMPILATION", "0")
    with warnings.catch_warnings(), _no_collection():
        warnings.simplefilter("ignore")  # other packages' deprecations are not the person's concern
        import tilelang  # noqa: F401
        import torch

    torch.set_num_threads(max(1, os.cpu_count() or 1))
    # What the packages hold lives as long as the process: the collection after each job skips it.
    gc.collect()
    gc.freeze()


@contextlib.contextmanager
def _no_collection() -> Iterator[None]:
    """Without the garbage collector: a fifth of the time of imports that leave no garbage."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def versions() -> dict[str, str]:
    """Versions of what decides a result: packages, and the CUDA compiler where there is one."""
    found = {}
    for name in PACKAGES:
        try:
            found[name] = importlib.metadata.version(name)
        except importlib.metadata.PackageNotFoundError:
            continue  # absent from the table is how a missing package is told
    toolkit = cuda_toolkit()
    if toolkit is not None:
        found["nvcc"] = toolkit.version
    return found


def devices() -> tuple[str, ...]:
    """Names of the GPUs that torch sees here."""
    import torch

    if not torch.cuda.is_available():
        return ()
    return tuple(torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count()))


@lru_cache(maxsize=1)
def cuda_toolkit() -> CudaToolkit | None:
    """The CUDA compiler: `CUDA_HOME`, else the wheels', else the one on PATH; None without one."""
    for home in _candidate_homes():
        tools = {name: path for name in _TOOLS if (path := _tool(home, name)) is not None}
        if "nvcc" in tools and "ptxas" in tools:
            version = _nvcc_version(tools["nvcc"])
            if version is not None:
                return CudaToolkit(home, tools, version)
    return None


def _candidate_homes() -> list[Path]:
    homes = [Path(os.environ["CUDA_HOME"])] if os.environ.get("CUDA_HOME") else []
    homes.extend(_wheel_homes())
    on_path = shutil.which("nvcc")
    if on_path:
        homes.append(Path(os.path.realpath(on_path)).parent.parent)
    return homes


def _wheel_homes() -> list[Path]:
    try:
        files = importlib.metadata.files("nvidia-cuda-nvcc") or []
    except importlib.metadata.PackageNotFoundError:
        return []
    compilers = [f for f in files if f.name in ("nvcc", "nvcc.exe")]
    return [Path(str(f.locate())).parent.parent for f in compilers]


def _tool(home: Path, name: str) -> Path | None:
    for candidate in (home / "bin" / name, home / "bin" / f"{name}.exe"):
        if candidate.is_file():
            return candidate
    return None


def _nvcc_version(nvcc: Path) -> str | None:
    try:
        done = subprocess.run([str(nvcc), "--version"], capture_output=True, text=True, check=False)
    except OSError:
        return None
    match = re.search(r"V(\d+\.\d+\.\d+)", done.stdout)
    return match.group(1) if match else None
