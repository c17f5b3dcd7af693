"""Why a host was not reached or was lost, in sentences that say what to do."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from workbench.core.hosts import Host

OLDEST_PYTHON = "3.10"


@dataclass(frozen=True)
class Reason:
    """What happened on or on the way to a host, and the cure."""

    what: str
    cure: str

    @property
    def text(self) -> str:
        """Both as one text."""
        return f"{self.what} {self.cure}"


@dataclass(frozen=True)
class _Known:
    """What a tool says, and what that means: `{host}`, `{command}`, `{python}`, `{said}`."""

    pattern: re.Pattern[str]
    what: str
    cure: str


def _known(pattern: str, what: str, cure: str) -> _Known:
    return _Known(re.compile(pattern, re.IGNORECASE), what, cure)


_ROW_OF_KEYS = "Keys and passwords are ssh's business: run '{command}' in a terminal"
_KNOWN = (
    _known(
        r"remote host identification has changed",
        "The key of {host} is another than the one that ssh remembers.",
        f"{_ROW_OF_KEYS}, find out why it changed, and only then correct ~/.ssh/known_hosts.",
    ),
    _known(
        r"host key verification failed",
        "ssh does not know the key of {host} yet, or it is another.",
        f"{_ROW_OF_KEYS} and confirm the key once.",
    ),
    _known(
        r"permission denied \(|too many authentication failures|no supported authentication",
        "{host} did not accept a key: {said}",
        f"{_ROW_OF_KEYS}. When it logs in without asking for anything (ssh-add, ssh-copy-id, or "
        "IdentityFile in ~/.ssh/config), it works here.",
    ),
    _known(
        r"could not resolve hostname|name or service not known",
        "There is no machine of that name: {said}",
        "Correct the name in the command, or in HostName of ~/.ssh/config.",
    ),
    _known(
        r"connection refused",
        "The machine of {host} answers, but not ssh: {said}",
        "See that sshd runs there, and that the port is right.",
    ),
    _known(
        r"timed out|no route to host|network is unreachable|not responding",
        "{host} does not answer: {said}",
        "See that it is on, and that the network (VPN, jump host) leads to it.",
    ),
    _known(
        r"no such container|is not running|cannot connect to the docker daemon",
        "The container of {host} cannot be reached: {said}",
        "Start it, or correct its name in '{command}'.",
    ),
    _known(
        r"pods? .*not found|error from server",
        "The pod of {host} cannot be reached: {said}",
        "See 'kubectl get pods', and correct its name in '{command}'.",
    ),
    _known(
        r"not a tty|cannot allocate tty|unable to use a tty",
        "The command asks for a terminal: {said}",
        "Take -t out of '{command}'.",
    ),
)
_OLD_PYTHON = _known(
    r"^SyntaxError",
    "The '{python}' of {host} is too old to read the first line of a worker.",
    "A worker needs Python " + OLDEST_PYTHON + " or newer: hosts edit {host} --python PATH.",
)
_NO_PYTHON = _Known(
    re.compile(
        r"not found|no such file or directory|unknown command|not recognized|can't open", re.I
    ),
    "There is no '{python}' on {host}: {said}",
    "Install Python " + OLDEST_PYTHON + " or newer there, or give its path: "
    "hosts edit {host} --python PATH.",
)
_BROKEN = _known(
    r"broken pipe|connection reset|closed by remote host|not responding|send disconnect",
    "The connection to {host} was lost: {said}",
    "Run it again: the worker starts anew.",
)
#: What the code that receives the worker says of why it does not start.
_REFUSED: Mapping[str, tuple[str, str]] = {
    "python": (
        "The Python of {host} is {version} ({executable}), and a worker needs "
        + OLDEST_PYTHON
        + " or newer.",
        "Give the path of a newer one: hosts edit {host} --python PATH.",
    ),
    "terminal": (
        "The command of {host} gives the worker a terminal, which changes what goes through it.",
        "Take -t (or --tty) out of '{command}'.",
    ),
    "hash": (
        "The worker's code arrived on {host} with another checksum than it was sent with.",
        "Something on the way changes bytes: try '{command}' with a plain connection.",
    ),
    "archive": (
        "The worker's code did not arrive whole on {host}: {detail}.",
        "See that the command passes on its input: docker and kubectl do so with -i.",
    ),
    "folder": (
        "The worker's code cannot be unpacked on {host}: {detail}.",
        "Free some space there, or name a folder: "
        "hosts edit {host} --env TILELANG_WORKBENCH_CACHE=FOLDER.",
    ),
}


def refusal(host: Host, message: Mapping[str, str]) -> Reason:
    """The reason that the receiving code gave, whose message this is."""
    unknown = ("The worker's code was refused on {host}: {error}.", "Update the workbench.")
    what, cure = _REFUSED.get(message["error"], unknown)
    words = {
        **_words(host, ""),
        "error": message["error"],
        "detail": message.get("detail", ""),
        "version": message.get("python", "unknown"),
        "executable": message.get("executable") or host.python,
    }
    return Reason(what.format(**words), cure.format(**words))


def not_reached(host: Host, status: int | None, log: Sequence[str]) -> Reason:
    """Why a host's command ended before anything of ours ran; `log` is what it printed."""
    known = next(
        (k for k in (*_KNOWN, _OLD_PYTHON) if any(k.pattern.search(line) for line in log)), None
    )
    if known is None and _says_no_python(host, status, log):
        known = _NO_PYTHON
    if known is not None:
        return _reason(known, host, log)
    said = last_line(log)
    how = "still runs" if status is None else f"ended with status {status}"
    what = f"The command of {host.name} {how} and no Python answered"
    what += f": {said}" if said else ", and it printed nothing."
    words = shlex.join([*host.command, *shlex.split(host.python), "-V"])
    return Reason(what, f"Try '{words}' in a terminal.")


def lost(host: Host, status: int | None, log: Sequence[str]) -> Reason:
    """Why a worker that had begun is gone."""
    if any(_BROKEN.pattern.search(line) for line in log):
        return _reason(_BROKEN, host, log)
    if status == 0:
        what = f"The worker on {host.name} ended because its input did."
        return Reason(what, "See that the command passes it on: docker and kubectl do so with -i.")
    said = last_line(log)
    how = "" if status is None else f" (its command ended with status {status})"
    what = f"The worker on {host.name} went away{how}{f': {said}' if said else '.'}"
    return Reason(what, _BROKEN.cure)


def last_line(log: Sequence[str]) -> str:
    """The last line that says something; "" where there is none."""
    return next((line.strip() for line in reversed(log) if line.strip()), "")


def _says_no_python(host: Host, status: int | None, log: Sequence[str]) -> bool:
    """A shell or docker names the program that it does not find, or says so by its status."""
    program = host.python.split()[0]
    named = (line for line in log if program in line or "python" in line.lower())
    return status == 127 or any(_NO_PYTHON.pattern.search(line) for line in named)


def _reason(known: _Known, host: Host, log: Sequence[str]) -> Reason:
    said = next((line.strip() for line in reversed(log) if known.pattern.search(line)), "")
    words = _words(host, said or last_line(log))
    return Reason(known.what.format(**words).strip(), known.cure.format(**words))


def _words(host: Host, said: str) -> dict[str, str]:
    return {
        "host": host.name,
        "command": host.command_line,
        "python": host.python,
        "said": said if said.endswith((".", "!")) else f"{said}.",
    }
