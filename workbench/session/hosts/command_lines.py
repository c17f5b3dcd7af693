"""The words that start a worker, or a program, on a host: its command, ssh's options, Python."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path, PurePosixPath

from workbench.core.hosts import Host
from workbench.session.hosts.archive import arrival_code, code_of, worker_archive

#: Harmless whatever the person's own configuration says: no terminal, no prompt that nobody sees,
#: a cut line is noticed within 15 seconds, and no connection of ours serves other commands.
SSH_OPTIONS = {
    "BatchMode": "yes",
    "ServerAliveInterval": "5",
    "ServerAliveCountMax": "3",
    "ControlMaster": "no",
}
_HOME = re.compile(r"~[A-Za-z0-9_-]*")


def worker_words(host: Host) -> tuple[str, ...]:
    """The command that runs our worker on a host, as the words of a process of this machine."""
    return _words(host, (arrival_code(), worker_archive().digest, host.name))


def python_words(host: Host, program: Path, ssh_words: Sequence[str] = ()) -> tuple[str, ...]:
    """The command that has a host's Python run a program's text; `ssh_words` are ssh's alone."""
    return _words(host, (code_of(program),), ssh_words)


def _words(host: Host, given: Sequence[str], ssh_words: Sequence[str] = ()) -> tuple[str, ...]:
    # "-c" gives the modules of the folder where it starts precedence: the code takes them out.
    tail = [*shlex.split(host.python), "-c", *given]
    if host.environment and host.command:  # else the process gets it as it starts
        tail = ["env", *(f"{name}={value}" for name, value in host.environment.items()), *tail]
    if host.shell:
        tail = [quote(word) for word in tail]
    return (*with_ssh_options(host.command, ssh_words), *tail)


def quote(word: str) -> str:
    """A word for the shell of the far side; a home folder at its beginning is still found."""
    home, slash, rest = word.partition("/")
    if slash and _HOME.fullmatch(home):
        return f"{home}/{shlex.quote(rest)}"
    return shlex.quote(word)


def with_ssh_options(command: Sequence[str], more: Sequence[str] = ()) -> tuple[str, ...]:
    """The command with our options behind the word "ssh", less those that it has itself."""
    if not command or PurePosixPath(command[0]).name != "ssh":
        return tuple(command)
    given = " ".join(command).lower()
    options = [f"-o{n}={value}" for n, value in SSH_OPTIONS.items() if n.lower() not in given]
    return (command[0], "-T", *options, *more, *command[1:])
