"""The configurations of a kernel's `@autotune` decorator, for `sweep --configs`."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence

from workbench.cli import command, output
from workbench.cli.status import UsageError
from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.selection import cases_of, parse_value
from workbench.core.sweeps.decorated.bounds import UnreadError
from workbench.core.sweeps.decorated.checking import Configurations
from workbench.session.batch import run_batch
from workbench.session.sweeps import offers
from workbench.session.worker_client import WorkerStartError


def configurations_of(
    options: argparse.Namespace,
    document: Document,
    kernel: Kernel,
    cases: Sequence[str],
    fixed: Mapping[str, str],
) -> Configurations:
    """What the decorator tries with the arguments of cases; raises UsageError and SpaceError.

    Where the source does not tell it, the document is run by a worker: it was named, which is the
    person's word that it may.
    """
    known = {case.name: case for case in (Case("default"), *cases_of(document, kernel))}
    set_here = {name: parse_value(text) for name, text in fixed.items()}
    arguments = offers.arguments_of(kernel, [known[name] for name in cases], set_here)
    try:
        found = offers.told_by_source(document, kernel, arguments)
    except UnreadError as why:
        found = _by_running(options, document, kernel, arguments, why)
    given = next((name for name in fixed if any(name in each for each in found)), None)
    if given is not None:
        raise UsageError(
            f"--set {given}: the decorator's configurations give it. Keep those of one value with "
            f'--when "{given} == {fixed[given]}"'
        )
    return found


def _by_running(
    options: argparse.Namespace,
    document: Document,
    kernel: Kernel,
    arguments: Sequence[tuple[str, offers.Arguments]],
    why: UnreadError,
) -> Configurations:
    workspace = command.workspace_of(options)
    requests = offers.requests_for(document, kernel, arguments, workspace, True)
    limits = command.limits_of(options, command.load_settings())
    output.progress(f"{offers.unread(kernel, why)}; running the document")
    try:
        ends = dict(run_batch(requests, limits, output.progress, lambda _: None))
    except WorkerStartError as error:
        raise UsageError(str(error)) from error
    finally:
        output.clear_progress()
    named = [(name, ends[number]) for number, (name, _) in enumerate(arguments)]
    return offers.told_by_worker(kernel, named, why)
