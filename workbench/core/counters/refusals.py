"""What keeps a profiler from reading counters, in one sentence with what to change."""

from __future__ import annotations

import re

NOT_HERE = "counters are not available here"
NO_NCU = (
    "Nsight Compute is not on this machine: install it (it comes with the CUDA toolkit, or as the "
    "package nsight-compute), or have PATH or CUDA_HOME lead to ncu"
)
OTHER_VENDOR = f"{NOT_HERE}: Nsight Compute reads those of NVIDIA's GPUs, and this is none"
#: The driver's option, and where its value can be read on Linux.
DRIVER_OPTION = "NVreg_RestrictProfilingToAdminUsers"
DRIVER_PARAMETERS = "/proc/driver/nvidia/params"
# With one of these a process may read counters: CAP_SYS_ADMIN, and since driver 565 CAP_PERFMON.
_CAPABILITIES = (21, 38)  # linux/capability.h
_RESTRICTED = re.compile(r"^RmProfilingAdminOnly:\s*1\b", re.MULTILINE)
_EFFECTIVE = re.compile(r"^CapEff:\s*([0-9a-f]+)", re.MULTILINE)

# What Nsight Compute says, and what that means. Sources: NVIDIA, "ERR_NVGPUCTRPERM: Permission
# issue with Performance Counters", and Nsight Compute, Known Issues and the guide's FAQ.
_SAID = (
    (
        r"driver resource was unavailable|LibraryLocked|concurrently collecting",
        "another program holds this GPU's counters (DCGM, another profiler): end it, or pause DCGM "
        "with dcgmi profile --pause",
    ),
    (
        r"LibraryNotLoaded|Failed to initialize the profiler",
        "Nsight Compute could not load the driver's profiling library: the container or sandbox "
        "does not pass it on, or it does not fit the driver's version",
    ),
    (
        r"Windows Subsystem for Linux",
        "counters under WSL need Windows 11 and driver 525 or newer",
    ),
    (
        r"[Pp]rofiling is not supported on (?:this )?device",
        "this Nsight Compute does not know this GPU (ncu --list-chips): GPUs before Turing need an "
        "older one, GPUs newer than it a newer one",
    ),
    (
        r"lock file",
        "another user's lock file is in Nsight Compute's way: remove nsight-compute-lock from the "
        "folder of temporary files, or set TMPDIR to a folder of your own",
    ),
)


def permission(in_container: bool) -> str:
    """Why the counters may not be read, and what to change."""
    if in_container:
        cure = (
            "start the container with --cap-add=SYS_ADMIN, or set "
            f"{DRIVER_OPTION}=0 for the nvidia module on its host"
        )
    else:
        cure = (
            f'write "options nvidia {DRIVER_OPTION}=0" to /etc/modprobe.d/nvidia-profiling.conf '
            "and load the module again (reboot), or run as root or with CAP_SYS_ADMIN"
        )
    return f"the driver lets administrators alone read this GPU's counters: {cure}"


def is_refused(output: str) -> bool:
    """Whether a profiler said that it may not read the counters."""
    return "ERR_NVGPUCTRPERM" in output


def refusal(output: str, in_container: bool = False) -> str | None:
    """What keeps the profiler that printed `output` from counting; None where nothing is known."""
    if is_refused(output):
        return permission(in_container)
    own = [line for line in output.splitlines() if line.startswith(("==ERROR==", "==WARNING=="))]
    return next((sentence for said, sentence in _SAID if re.search(said, "\n".join(own))), None)


def is_restricted(parameters: str, status: str) -> bool:
    """Whether a process may not read counters, by the driver's parameters and its own status.

    The texts are those of `DRIVER_PARAMETERS` and of /proc/self/status.
    """
    effective = _EFFECTIVE.search(status)
    held = int(effective[1], 16) if effective else 0
    return bool(_RESTRICTED.search(parameters)) and not any(held >> n & 1 for n in _CAPABILITIES)
