"""Parses the command line and runs the chosen command."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from workbench import __version__
from workbench.cli import (
    compile_command,
    kernels_command,
    run_command,
    runs_command,
    shot_command,
    verify_command,
)
from workbench.cli.output import print_json
from workbench.cli.status import ExitStatus, UsageError

COMMANDS = (
    kernels_command.COMMAND,
    compile_command.COMMAND,
    verify_command.COMMAND,
    run_command.COMMAND,
    runs_command.COMMAND,
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
        epilog="Exit status: 0 good; 1 the kernel is at fault; 2 usage or environment.",
    )
    parser.add_argument("--version", action="version", version=__version__)
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", required=True)
    for command in COMMANDS:
        sub = commands.add_parser(command.name, help=command.help, description=command.help)
        command.add_arguments(sub)
        sub.set_defaults(run=command.run)
    return parser


def _end_early(options: argparse.Namespace, message: str) -> int:
    if getattr(options, "json", False):
        error = {"message": message, "raw": None}
        print_json({"schema": 1, "results": [], "status": "error", "error": error})
    else:
        print(f"error: {message}", file=sys.stderr)
    return int(ExitStatus.USAGE)
