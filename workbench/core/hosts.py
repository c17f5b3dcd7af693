"""The machines that a person runs kernels on: how each is reached, and the file of them."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from workbench.core.json_files import JsonFile

LOCAL = "local"
DEFAULT_PYTHON = "python3"
#: Words that mean something else where a host is named.
RESERVED = (LOCAL, "simulator", "cpu", "all")
#: Commands that join their last words and give them to a shell on the far side; others pass words.
_JOINING = frozenset({"ssh", "autossh", "sshpass", "dbclient", "plink"})
_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._@-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


class HostError(ValueError):
    """A host cannot be as it is given; the message says why and what to do."""


@dataclass(frozen=True)
class Host:
    """A machine, reached by `command` before the words that start a process there.

    `command` is "ssh gpu1", "docker exec -i box", "srun --gres=gpu:1", "kubectl exec -i pod --" as
    words; without words it is this machine with another Python. `python` is a command line on the
    far side. `shell`: the command gives its words to a shell there (ssh does), so they are quoted.
    `environment` holds for all that runs there. The host `LOCAL` is this machine with the
    workbench's own Python.
    """

    name: str
    command: tuple[str, ...] = ()
    python: str = DEFAULT_PYTHON
    shell: bool = False
    environment: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_local(self) -> bool:
        """Whether this is the machine of the workbench, with its own Python."""
        return self.name == LOCAL

    @property
    def command_line(self) -> str:
        """The command as one would type it; "this machine" where there is none."""
        return shlex.join(self.command) if self.command else "this machine"

    @property
    def title(self) -> str:
        """The name as it stands beside results."""
        return "this machine" if self.is_local else self.name


THIS_MACHINE = Host(LOCAL)


def make_host(
    name: str,
    command: str | Sequence[str],
    python: str = DEFAULT_PYTHON,
    shell: bool | None = None,
    environment: Mapping[str, str] | None = None,
) -> Host:
    """A host from what a person typed; `command` is a line or words, `shell` None is guessed.

    Raises HostError with a sentence for the person.
    """
    words = _words(command, "the command") if isinstance(command, str) else tuple(command)
    _check_name(name)
    python = python.strip() or DEFAULT_PYTHON
    _words(python, "the Python")
    _check_command(name, words, python)
    variables = dict(environment or {})
    for variable, value in variables.items():
        _check_variable(variable, value)
    return Host(name, words, python, joins_words(words) if shell is None else shell, variables)


def joins_words(command: Sequence[str]) -> bool:
    """Whether a command gives its last words to a shell, guessed from its first word."""
    return bool(command) and PurePosixPath(command[0]).name in _JOINING


def _check_name(name: str) -> None:
    if name in RESERVED:
        raise HostError(f"A host cannot be called {name!r}: that word means something else.")
    if not _NAME.fullmatch(name):
        raise HostError(
            f"A host cannot be called {name!r:.80}: a name has letters, digits and . _ @ -, and "
            "begins with a letter or digit."
        )


def _check_command(name: str, words: Sequence[str], python: str) -> None:
    if not words and python == DEFAULT_PYTHON:
        raise HostError(
            f"The host {name} needs a command that starts a process there, such as 'ssh {name}', "
            "or another Python of this machine."
        )
    if any("\0" in word or "\n" in word for word in words) or (words and not words[0].strip()):
        raise HostError("A host's command is one line and begins with a program.")


def _check_variable(name: str, value: str) -> None:
    if not _VARIABLE.fullmatch(name):
        raise HostError(f"{name!r:.80} cannot be the name of an environment variable.")
    if not isinstance(value, str) or "\0" in value or "\n" in value:
        raise HostError(f"The environment variable {name} must be one line of text.")


def _words(line: str, what: str) -> tuple[str, ...]:
    try:
        return tuple(shlex.split(line))
    except ValueError as error:
        raise HostError(f"{what} {line!r:.80} cannot be read: {error}.") from None


@dataclass(frozen=True)
class LoadedHosts:
    """The hosts of a file with this machine first, and a sentence for each entry at fault."""

    hosts: tuple[Host, ...] = (THIS_MACHINE,)
    problems: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The names in their order."""
        return tuple(host.name for host in self.hosts)

    def get(self, name: str) -> Host | None:
        """The host of that name; None where there is none."""
        return next((host for host in self.hosts if host.name == name), None)


class HostsFile:
    """The JSON file of the hosts; an entry at fault costs that entry and is kept as it is.

    A file of a newer version is read as far as it is known but never written. Keys of an entry
    that are unknown here are kept.

    Versions: 1. `hosts`: a list of `{"name", "command": [words], "python", "shell",
    "environment": {}}`; all but the first two may be absent.
    """

    def __init__(self, path: Path) -> None:
        self._file = JsonFile(path)

    @property
    def path(self) -> Path:
        """Where the file lies."""
        return self._file.path

    def load(self) -> LoadedHosts:
        """Return the hosts, this machine first; never raises."""
        content = self._file.read()
        found, problems = {LOCAL: THIS_MACHINE}, [*content.problems]
        entries = content.values.get("hosts", [])
        if not isinstance(entries, list):
            entries = []
            problems.append(f"{self.path}: hosts must be a list.")
        for entry in entries:
            try:
                host = _read(entry)
                if host.name in found:
                    raise HostError(f"There are two hosts called {host.name}.")
                found[host.name] = host
            except HostError as error:
                problems.append(f"{self.path}: an entry is left out. {error}")
        return LoadedHosts(tuple(found.values()), tuple(problems))

    def save(self, host: Host, old_name: str | None = None) -> LoadedHosts:
        """Add a host, or put it in the place of `old_name`; return the hosts there are now.

        Raises HostError where the name is taken or `old_name` unknown, and `JsonFileError`.
        """
        entries, known = self._entries(), self.load().names
        if host.name != old_name and host.name in known:
            raise HostError(f"There is a host called {host.name} already.")
        if old_name is not None and old_name not in known:
            raise HostError(f"There is no host called {old_name}.")
        places = [
            i for i, entry in enumerate(entries) if _name_of(entry) == (old_name or host.name)
        ]
        if places:
            entries[places[0]] = {**entries[places[0]], **_plain(host)}
        else:
            entries.append(_plain(host))
        return self._write(entries)

    def remove(self, name: str) -> LoadedHosts:
        """Take a host out; return those that are left. Raises HostError and `JsonFileError`."""
        if name == LOCAL:
            raise HostError("This machine cannot be removed.")
        entries = self._entries()
        kept = [entry for entry in entries if _name_of(entry) != name]
        if len(kept) == len(entries):
            raise HostError(f"There is no host called {name}.")
        return self._write(kept)

    def _entries(self) -> list[Any]:
        entries = self._file.read().values.get("hosts", [])
        return list(entries) if isinstance(entries, list) else []

    def _write(self, entries: list[Any]) -> LoadedHosts:
        self._file.write({**self._file.read().values, "hosts": entries})
        return self.load()


def _plain(host: Host) -> dict[str, Any]:
    return {
        "name": host.name,
        "command": list(host.command),
        "python": host.python,
        "shell": host.shell,
        "environment": dict(host.environment),
    }


def _name_of(entry: Any) -> Any:
    return entry.get("name") if isinstance(entry, dict) else None


def _read(entry: Any) -> Host:
    """The host of an entry; raises HostError."""
    if not isinstance(entry, dict) or not isinstance(entry.get("name"), str):
        raise HostError(f"It names no host: {entry!r:.80}.")
    name, command = entry["name"], entry.get("command")
    if not isinstance(command, list) or not all(isinstance(word, str) for word in command):
        raise HostError(f"The command of {name} must be a list of words.")
    python, shell = entry.get("python", DEFAULT_PYTHON), entry.get("shell")
    if not isinstance(python, str) or not (shell is None or isinstance(shell, bool)):
        raise HostError(f"The python of {name} must be text, and its shell true or false.")
    environment = entry.get("environment", {})
    if not isinstance(environment, dict):
        raise HostError(f"The environment of {name} must be an object.")
    return make_host(name, command, python, shell, environment)
