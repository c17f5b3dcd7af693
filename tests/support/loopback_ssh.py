"""An sshd of the test's own on this machine: a free port, its own host key, one key it takes."""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

_START_SECONDS = 10.0
_CONFIG = """
Port {port}
ListenAddress 127.0.0.1
HostKey {folder}/host_key
AuthorizedKeysFile {folder}/user_key.pub
PidFile none
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv HOME={home}
"""


def missing_sshd() -> str | None:
    """Why no sshd can be started here; None where it can."""
    for program in ("ssh", "ssh-keygen"):
        if shutil.which(program) is None:
            return f"there is no {program}"
    if _sshd() is None:
        return "there is no sshd: apt-get install openssh-server"
    return None if os.name == "posix" else "no POSIX system"


def _sshd() -> str | None:
    return shutil.which("sshd", path=os.pathsep.join([os.environ["PATH"], "/usr/sbin", "/sbin"]))


@dataclass(frozen=True)
class LoopbackSsh:
    """A running sshd, whose shells have `folder`/home for their home."""

    folder: Path
    port: int
    process: subprocess.Popen[bytes]

    def command(self, key: str = "user_key") -> tuple[str, ...]:
        """The words with which a person reaches it, without anything of their own configuration."""
        options = (
            f"-i{self.folder / key}",
            f"-oUserKnownHostsFile={self.folder / 'known_hosts'}",
            "-oIdentitiesOnly=yes",
            "-oIdentityAgent=none",
        )
        return ("ssh", "-Fnone", f"-p{self.port}", *options, "127.0.0.1")

    def below(self) -> list[psutil.Process]:
        """What runs in its sessions at the moment, the sessions included."""
        found = psutil.Process(self.process.pid).children(recursive=True)
        return [process for process in found if _runs(process)]

    def stop(self) -> None:
        """End it with whatever its sessions left."""
        for process in self.below():
            process.kill()
        self.process.kill()
        self.process.wait()


def start_sshd(folder: Path) -> LoopbackSsh:
    """Start one whose files lie in `folder`."""
    sshd = _sshd()
    assert sshd is not None
    (folder / "home").mkdir()
    for name in ("host_key", "user_key", "other_key"):
        words = ["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)]
        subprocess.run(words, check=True)
    if os.geteuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # which its package makes at its first start only
    port = _free_port()
    text = _CONFIG.format(port=port, folder=folder, home=folder / "home")
    (folder / "sshd_config").write_text(text)
    host_key = (folder / "host_key.pub").read_text()
    (folder / "known_hosts").write_text(f"[127.0.0.1]:{port} {host_key}")
    with (folder / "sshd.log").open("wb") as log:
        command = [sshd, "-D", "-e", "-f", str(folder / "sshd_config")]
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    found = LoopbackSsh(folder, port, process)
    _wait_until_it_listens(found)
    return found


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _wait_until_it_listens(sshd: LoopbackSsh) -> None:
    deadline = time.monotonic() + _START_SECONDS
    while True:
        try:
            socket.create_connection(("127.0.0.1", sshd.port), timeout=1).close()
            return
        except OSError:
            if time.monotonic() > deadline or sshd.process.poll() is not None:
                sshd.process.kill()
                sshd.process.wait()
                log = (sshd.folder / "sshd.log").read_text()
                raise AssertionError(f"sshd does not listen: {log}") from None
            time.sleep(0.02)


def _runs(process: psutil.Process) -> bool:
    """Whether it has not ended, also where it does while one looks."""
    try:
        return bool(process.status() != psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return False
