"""Parses the command line and runs the chosen command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from workbench import __version__
from workbench.cli import (
    analyze_command,
    bug_bundle_command,
    check_command,
    compile_command,
    export_command,
    hosts_command,
    kernels_command,
    new_command,
    portability_command,
    profile_command,
    reference_command,
    run_command,
    runs_command,
    shot_command,
    sweep_command,
    verify_command,
)
from workbench.cli.output import print_json
from workbench.cli.status import ExitStatus, UsageError

EXIT_STATUSES = """\
exit status:
  0  done, and good on every requested target
  1  the document is at fault: its Python or its block cannot be read, it has no reference to be
     verified with, its kernel does not compile or does not match, or is over its limits; of a
     sweep: no configuration came through
  2  the command or the environment is: an option, an argument, a file or a package
"""
COMMANDS = (
    kernels_command.COMMAND,
    check_command.COMMAND,
    compile_command.COMMAND,
    analyze_command.COMMAND,
    portability_command.COMMAND,
    bug_bundle_command.COMMAND,
    export_command.COMMAND,
    verify_command.COMMAND,
    profile_command.COMMAND,
    run_command.COMMAND,
    new_command.COMMAND,
    runs_command.COMMAND,
    hosts_command.COMMAND,
    reference_command.COMMAND,
    sweep_command.COMMAND,
    shot_command.COMMAND,
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command and return its exit status."""
    options = build_parser().parse_args(arguments)
    try:
        return int(options.run(options))
    except UsageError as error:
        return _end_early(options, str(error))
    except BrokenPipeError:
        # The reader of our output (head, less) is gone: end quietly, also at interpreter exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return int(ExitStatus.USAGE)
    except KeyboardInterrupt:
        return _end_early(options, "interrupted")


def build_parser() -> argparse.ArgumentParser:
    """The parser with one subparser a command."""
    parser = argparse.ArgumentParser(
        prog="tilelang-workbench",
        description="Design, check and compare TileLang kernels, for any GPU.",
        epilog=EXIT_STATUSES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(
            command.name,
            help=command.help,
            description=command.help,
            epilog=EXIT_STATUSES,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        sub.set_defaults(run=command.run, empty=command.empty)
        command.add_arguments(sub)
    return parser


def _end_early(options: argparse.Namespace, message: str) -> int:
    if getattr(options, "json", False):
        error = {"message": message, "raw": None}
        print_json({"schema": 1, **options.empty, "status": "error", "error": error})
    else:
        print(f"error: {message}", file=sys.stderr)
    return int(ExitStatus.USAGE)
