"""`hosts`: the machines that kernels can be run on, added, changed, tested and removed."""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from workbench.cli import command, host_text, output
from workbench.cli.status import ExitStatus, UsageError
from workbench.core.documents.suggestions import did_you_mean
from workbench.core.hosts import DEFAULT_PYTHON, LOCAL, Host, HostError, LoadedHosts, make_host
from workbench.core.json_files import JsonFileError
from workbench.core.plain import to_plain
from workbench.session.hosts.pool import hosts_file
from workbench.session.hosts.testing import TEST_SECONDS, HostTest

SCHEMA = 1
_Action = Callable[[argparse.Namespace], int]


def _add_arguments(parser: argparse.ArgumentParser) -> None:
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    _add_action(actions, "list", "the hosts there are", _list, {"hosts": []})
    add = _add_action(actions, "add", "add a host and say how it is reached", _add, {"host": None})
    add.usage = "%(prog)s NAME [options] -- COMMAND..."
    add.epilog = (
        "The command is what starts a process there with our input and output: ssh gpu1; "
        "ssh -J jump gpu1; docker exec -i box; srun --gres=gpu:1; kubectl exec -i pod --. Nothing "
        "but Python 3.10, torch and tilelang is needed there. Keys and passwords are ssh's "
        "business: 'ssh gpu1' must log in without asking."
    )
    edit = _add_action(actions, "edit", "change a host", _edit, {"host": None})
    edit.usage = "%(prog)s NAME [options] [-- COMMAND...]"
    for one in (add, edit):
        _add_fields(one, renames=one is edit)
        one.add_argument("name", metavar="NAME")
        one.add_argument(
            "words",
            nargs=argparse.REMAINDER,
            metavar="COMMAND",
            help="after '--': how it is reached",
        )
    test = _add_action(
        actions,
        "test",
        "reach a host and tell what it has and what it lacks",
        _test,
        {"host": None},
    )
    test.add_argument("name", metavar="NAME", help="a host, or 'local' for this machine")
    test.add_argument(
        "--timeout",
        type=float,
        default=TEST_SECONDS,
        metavar="SECONDS",
        help=f"how long to wait for it ({TEST_SECONDS:g})",
    )
    remove = _add_action(actions, "remove", "forget a host", _remove, {"hosts": []})
    remove.add_argument("name", metavar="NAME")


def _add_action(
    actions: Any, name: str, text: str, action: _Action, empty: dict[str, Any]
) -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text)
    if action not in (_add, _edit):
        command.add_json_option(parser)
    parser.set_defaults(action=action, empty=empty)
    return parser


def _add_fields(parser: argparse.ArgumentParser, *, renames: bool) -> None:
    keep = argparse.SUPPRESS  # parsed twice: what the second pass does not see stays as it was
    parser.add_argument(
        "--python",
        metavar="PYTHON",
        default=keep,
        help=f"the Python there that has tilelang ({DEFAULT_PYTHON})",
    )
    if renames:
        parser.add_argument("--rename", metavar="NAME", default=keep, help="another name")
    parser.add_argument(
        "--shell",
        choices=("yes", "no"),
        default=keep,
        help="whether the command gives its words to a shell there (guessed: ssh does)",
    )
    parser.add_argument(
        "--env",
        action="append",
        default=keep,
        metavar="NAME=VALUE",
        help="an environment variable there; without VALUE it is taken out",
    )
    parser.add_argument("--json", action="store_true", default=keep, help="print one JSON object")


def _run(options: argparse.Namespace) -> int:
    try:
        return options.action(options)  # type: ignore[no-any-return]
    except (HostError, JsonFileError) as error:
        raise UsageError(str(error)) from error


def _list(options: argparse.Namespace) -> int:
    loaded = hosts_file().load()
    _warn(loaded)
    if options.json:
        output.print_json({"schema": SCHEMA, "hosts": [_plain(host) for host in loaded.hosts]})
    else:
        output.print_table(("host", "command", "python"), [_row(host) for host in loaded.hosts])
        if len(loaded.hosts) == 1:
            print("\nadd another with: hosts add gpu1 -- ssh gpu1")
    return ExitStatus.GOOD


def _add(options: argparse.Namespace) -> int:
    given = _given(options)
    host = make_host(
        given.name,
        given.command,
        given.python or DEFAULT_PYTHON,
        given.shell,
        _changed_environment({}, given.env),
    )
    hosts_file().save(host)
    return _say(options, host, f"added; see what it has with: hosts test {host.name}")


def _edit(options: argparse.Namespace) -> int:
    given = _given(options)
    old = _host(given.name)
    if old.is_local:
        raise UsageError("this machine cannot be edited: add a host with another --python instead")
    shell = old.shell if given.shell is None and not given.command else given.shell
    host = make_host(
        given.rename or old.name,
        given.command or old.command,
        given.python or old.python,
        shell,
        _changed_environment(dict(old.environment), given.env),
    )
    hosts_file().save(host, old.name)
    return _say(options, host, "changed")


def _test(options: argparse.Namespace) -> int:
    report = HostTest(_host(options.name), output.progress).run(options.timeout)
    output.clear_progress()
    if options.json:
        output.print_json({"schema": SCHEMA, "host": to_plain(report)})
    else:
        print("\n".join(host_text.report_lines(report)))
    return ExitStatus.GOOD if report.can("everything") else ExitStatus.USAGE


def _remove(options: argparse.Namespace) -> int:
    if options.name != LOCAL:
        _host(options.name)
    loaded = hosts_file().remove(options.name)
    if options.json:
        output.print_json({"schema": SCHEMA, "hosts": [_plain(host) for host in loaded.hosts]})
    else:
        print(f"{options.name} removed")
    return ExitStatus.GOOD


def _host(name: str) -> Host:
    """The host of a name; raises UsageError with the nearest."""
    loaded = hosts_file().load()
    _warn(loaded)
    found = loaded.get(name)
    if found is None:
        raise UsageError(f"there is no host called {name!r}{did_you_mean(name, loaded.names)}")
    return found


@dataclass(frozen=True)
class _Given:
    """What an invocation says of a host; None or empty where it says nothing."""

    name: str
    command: tuple[str, ...]
    python: str | None
    shell: bool | None
    env: list[str]
    rename: str | None


def _given(options: argparse.Namespace) -> _Given:
    """The options before and behind the name, and the command behind them; raises UsageError."""
    words = list(options.words)
    at = words.index("--") if "--" in words else len(words)
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    _add_fields(parser, renames=options.action is _edit)
    _, rest = parser.parse_known_args(words[:at], options)
    behind = words[at + 1 :]
    if behind and rest:
        raise UsageError(f"not understood before '--': {shlex.join(rest)}")
    shell = getattr(options, "shell", None)
    return _Given(
        options.name,
        _line(behind or rest),
        getattr(options, "python", None),
        None if shell is None else shell == "yes",
        getattr(options, "env", []),
        getattr(options, "rename", None),
    )


def _line(words: list[str]) -> tuple[str, ...]:
    """The words of a command; one that holds blanks is a whole line."""
    if len(words) != 1 or " " not in words[0].strip():
        return tuple(words)
    try:
        return tuple(shlex.split(words[0]))
    except ValueError as error:
        raise UsageError(f"the command cannot be read: {error}") from error


def _changed_environment(variables: dict[str, str], changes: list[str]) -> dict[str, str]:
    for change in changes:
        name, equals, value = change.partition("=")
        if equals and value:
            variables[name] = value
        else:
            variables.pop(name, None)
    return variables


def _say(options: argparse.Namespace, host: Host, what: str) -> int:
    if getattr(options, "json", False):
        output.print_json({"schema": SCHEMA, "host": _plain(host)})
    else:
        print(f"{host.name} ({host.command_line}) {what}")
    return ExitStatus.GOOD


def _plain(host: Host) -> dict[str, Any]:
    return {**to_plain(host), "command_line": host.command_line}


def _row(host: Host) -> tuple[str, ...]:
    python = "the workbench's own" if host.is_local else host.python
    return host.name, host.command_line, python


def _warn(loaded: LoadedHosts) -> None:
    for problem in loaded.problems:
        print(f"warning: {problem}", file=sys.stderr)


COMMAND = command.Command(
    "hosts",
    "The machines that kernels can run on: list, add, edit, test, remove.",
    _add_arguments,
    _run,
    {"hosts": []},
)
