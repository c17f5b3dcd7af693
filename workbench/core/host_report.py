"""What a machine was found to have, and what it lacks for what a person would do there."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from workbench.core.profiles import DeviceInfo

NEEDED_PACKAGES = ("numpy", "torch", "tilelang")


class CounterAccess(enum.Enum):
    """Whether the GPU's counters may be read there; `UNKNOWN` where nothing tells."""

    ALLOWED = "allowed"
    DENIED = "denied"
    UNKNOWN = "unknown"


@dataclass(frozen=True)
class FoundTool:
    """A program that was found, with the version that it tells."""

    path: str
    version: str | None = None


@dataclass(frozen=True)
class FoundTorch:
    """What torch says once it is loaded: the CUDA or HIP that it was built for, the GPUs it sees.

    `error` and `tilelang_error` say why torch or tilelang is there and does not load.
    """

    version: str | None = None
    cuda: str | None = None
    hip: str | None = None
    devices: tuple[str, ...] = ()
    error: str | None = None
    tilelang_error: str | None = None


@dataclass(frozen=True)
class Probe:
    """A machine as a worker on it found it; None is unknown.

    `versions` has the packages that are there. `cuda` is the newest CUDA version that the driver
    runs. `counters_why` is the sentence behind `counters`; `problems` are those of looking.
    """

    node: str
    platform: str
    python: str
    executable: str
    cpus: int | None = None
    memory_bytes: int | None = None
    versions: Mapping[str, str] = field(default_factory=dict)
    torch: FoundTorch | None = None
    devices: tuple[DeviceInfo, ...] = ()
    driver: str | None = None
    cuda: str | None = None
    nvcc: FoundTool | None = None
    ncu: FoundTool | None = None
    sanitizer: FoundTool | None = None
    compiler: FoundTool | None = None
    counters: CounterAccess = CounterAccess.UNKNOWN
    counters_why: str = ""
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Lack:
    """Something that is missing: for what ("everything", "cpu", "gpu", "counters", "sanitizer")."""

    needed_for: str
    what: str
    cure: str

    @property
    def text(self) -> str:
        """Both as one text."""
        return f"{self.what} {self.cure}"


@dataclass(frozen=True)
class HostReport:
    """The test of a host. Where it was not reached, `reason` says why and what to do.

    `banner` are lines that something there prints before Python starts; `log` are the last lines of
    the host's command; `seconds` is the time that all of it took, and `sent` whether the worker's
    code had to be sent.
    """

    host: str
    command: str
    reached: bool
    reason: str | None = None
    probe: Probe | None = None
    lacks: tuple[Lack, ...] = ()
    banner: tuple[str, ...] = ()
    log: tuple[str, ...] = ()
    seconds: float | None = None
    sent: bool | None = None

    def can(self, what: str) -> bool:
        """Whether nothing is known to be missing for "simulator", "cpu", "gpu", "counters", ...."""
        needs = {"everything", what, *(("gpu",) if what in ("counters", "sanitizer") else ())}
        return self.reached and not any(lack.needed_for in needs for lack in self.lacks)


def lacks_of(probe: Probe, title: str) -> tuple[Lack, ...]:
    """What a machine lacks, the most needed first; `title` names it in sentences."""
    return (
        *_package_lacks(probe, title),
        *_compiler_lacks(probe, title),
        *_gpu_lacks(probe, title),
        *_counter_lacks(probe, title),
        *_sanitizer_lacks(probe, title),
    )


def _package_lacks(probe: Probe, title: str) -> Iterator[Lack]:
    missing = [name for name in NEEDED_PACKAGES if name not in probe.versions]
    pip = f"{probe.executable} -m pip install"
    if missing:
        what = f"{', '.join(missing)} is missing for {probe.executable} on {title}."
        cure = f"Run there: {pip} {' '.join(missing)} - or name another Python of the host."
        yield Lack("everything", what, cure)
    found = probe.torch
    for name, error in (
        ("torch", found and found.error),
        ("tilelang", found and found.tilelang_error),
    ):
        if error and name not in missing:
            what = f"{name} is installed on {title} and does not load: {error}."
            yield Lack("everything", what, f"Run there: {pip} --force-reinstall {name}")


def _compiler_lacks(probe: Probe, title: str) -> Iterator[Lack]:
    if probe.compiler is None:
        what = f"There is no C++ compiler on {title}."
        yield Lack("cpu", what, "Install g++ there to run kernels on its processor.")


def _gpu_lacks(probe: Probe, title: str) -> Iterator[Lack]:
    torch = probe.torch
    if not probe.devices and not (torch and torch.devices):
        what = f"No GPU is to be seen on {title}."
        cure = (
            "If it has one: see that nvidia-smi shows it there, and that the command passes it on "
            "(docker: --gpus all, srun: --gres=gpu:1)."
        )
        yield Lack("gpu", what, cure)
        return
    if torch and torch.version and not torch.error and not torch.devices:
        yield _blind_torch(probe, torch, title)
    if probe.nvcc is None and not (torch and torch.hip):
        what = f"There is no nvcc on {title}, which TileLang compiles with."
        pip = f"{probe.executable} -m pip install nvidia-cuda-nvcc"
        yield Lack("gpu", what, f"Run there: {pip} - or install the CUDA toolkit.")


def _blind_torch(probe: Probe, torch: FoundTorch, title: str) -> Lack:
    built = f"CUDA {torch.cuda}" if torch.cuda else "no GPU"
    runs = f"; the driver {probe.driver or 'there'} runs CUDA up to {probe.cuda or 'unknown'}"
    what = f"torch {torch.version} of {title} was built for {built} and sees no GPU{runs}."
    return Lack("gpu", what, "Install a torch that was built for that: https://pytorch.org.")


def _counter_lacks(probe: Probe, title: str) -> Iterator[Lack]:
    if not probe.devices:
        return
    if probe.ncu is None:
        what = f"There is no Nsight Compute (ncu) on {title}."
        yield Lack("counters", what, "Install nsight-compute there, or put ncu on the PATH.")
    if probe.counters is CounterAccess.DENIED:
        cure = (
            "Let its administrator set NVreg_RestrictProfilingToAdminUsers=0 for the module nvidia "
            "(a file in /etc/modprobe.d, then a restart), or run as root (docker: "
            "--cap-add=SYS_ADMIN)."
        )
        yield Lack("counters", probe.counters_why, cure)


def _sanitizer_lacks(probe: Probe, title: str) -> Iterator[Lack]:
    if probe.devices and probe.sanitizer is None:
        what = f"There is no compute-sanitizer on {title}."
        yield Lack("sanitizer", what, "It comes with the CUDA toolkit.")
