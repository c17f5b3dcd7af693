"""A Slurm of the test's own on this machine: a node with two GPUs that are none, two partitions."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

_PROGRAMS = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "sinfo", "scancel")
_START_SECONDS = 120.0
_CONFIG = """
ClusterName=loop
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
SlurmctldPort={controller}
SlurmdPort={node}
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
SlurmdParameters=config_overrides
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
AccountingStorageType=accounting_storage/none
KillWait=5
GresTypes=gpu
NodeName={host} NodeAddr=127.0.0.1 CPUs=8 RealMemory=4000 Gres=gpu:2 State=UNKNOWN
PartitionName=debug Nodes={host} Default=YES MaxTime=INFINITE State=UP
PartitionName=gpu Nodes={host} MaxTime=INFINITE State=UP
"""
_GPUS = "Name=gpu File=/dev/null\nName=gpu File=/dev/zero\n"


def missing_slurm() -> str | None:
    """Why no Slurm can be started here; None where it can."""
    if os.name != "posix" or os.geteuid() != 0:
        return "only root starts a Slurm of its own"
    missing = [name for name in _PROGRAMS if shutil.which(name, path=_path()) is None]
    return f"there is no {missing[0]}: apt-get install slurm-wlm munge" if missing else None


def _path() -> str:
    return os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"])


@dataclass(frozen=True)
class OneNodeSlurm:
    """A running Slurm whose files lie in `folder`; `environment` is what its commands need."""

    folder: Path
    daemons: tuple[subprocess.Popen[bytes], ...]

    @property
    def environment(self) -> dict[str, str]:
        """Where its configuration is."""
        return {"SLURM_CONF": str(self.folder / "slurm.conf"), "PATH": _path()}

    def ask(self, *words: str) -> str:
        """What one of its commands prints."""
        told = subprocess.run(
            words, env={**os.environ, **self.environment}, capture_output=True, text=True
        )
        return told.stdout

    def jobs(self) -> list[str]:
        """The ids of the jobs that it has."""
        return self.ask("squeue", "-h", "-o", "%i").split()

    def runs(self, word: str) -> bool:
        """Whether a job of its has a process whose command has a word."""
        return any(word in line for line in self._commands())

    def _commands(self) -> list[str]:
        found = []
        for process in psutil.process_iter():
            try:  # slurmd lets go of its jobs, but their environment tells whose they are
                inside = process.environ()
                if inside.get("SLURM_CONF") == self.environment["SLURM_CONF"]:
                    found += [" ".join(process.cmdline())] if "SLURM_JOB_ID" in inside else []
            except (psutil.NoSuchProcess, psutil.AccessDenied):
                continue
        return found

    def stop(self) -> None:
        """End it with what it runs."""
        end = time.monotonic() + _START_SECONDS
        while (left := self.jobs()) and time.monotonic() < end:
            self.ask("scancel", *left)
            time.sleep(0.5)
        for daemon in self.daemons[::-1]:
            daemon.terminate()
            try:
                daemon.wait(30)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()


def start_slurm(folder: Path) -> OneNodeSlurm:
    """Start one whose files lie in `folder`, and wait for its node."""
    for name in ("state", "spool"):
        (folder / name).mkdir()
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o600)
    (folder / "gres.conf").write_text(_GPUS)
    controller, node = _free_ports()
    host = socket.gethostname()
    config = folder / "slurm.conf"
    config.write_text(_CONFIG.format(folder=folder, host=host, controller=controller, node=node))
    munge = [f"--{key}={folder}/munge{end}" for key, end in _MUNGE.items()]
    found = OneNodeSlurm(
        folder,
        (
            _daemon(["munged", "--foreground", "--force", *munge]),
            _daemon(["slurmctld", "-D", "-f", str(config)]),
            _daemon(["slurmd", "-D", "-f", str(config)]),
        ),
    )
    end = time.monotonic() + _START_SECONDS
    while "idle" not in found.ask("sinfo", "-h", "-o", "%T"):
        if time.monotonic() > end:
            found.stop()
            raise AssertionError((folder / "slurmctld.log").read_text())
        time.sleep(0.2)
    return found


_MUNGE = {
    "key-file": ".key",
    "socket": ".socket",
    "pid-file": ".pid",
    "log-file": ".log",
    "seed-file": ".seed",
}


def _daemon(words: list[str]) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PATH": _path()},
    )


def _free_ports() -> tuple[int, int]:
    with socket.socket() as one, socket.socket() as other:
        one.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        return one.getsockname()[1], other.getsockname()[1]
