"""What a kernel's `@autotune` decorator offers a sweep: told by the source, else by a worker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.selection import known_arguments
from workbench.core.jobs import ConfigurationsRequest, ConfigurationsResult, KernelChoice
from workbench.core.plain import from_plain
from workbench.core.sweeps.decorated.bounds import UnreadError
from workbench.core.sweeps.decorated.checking import (
    Configurations,
    ConfigurationsError,
    checked,
    opaque_value,
)
from workbench.core.sweeps.decorated.reading import read_configurations
from workbench.session.requests import source_of
from workbench.wire.events import Ended

Arguments = Mapping[str, Any]


def arguments_of(
    kernel: Kernel, cases: Sequence[Case], fixed: Arguments
) -> tuple[tuple[str, Arguments], ...]:
    """The arguments of each case by its name, as far as they are known without a configuration."""
    return tuple((case.name, known_arguments(kernel, case, fixed)) for case in cases)


def told_by_source(
    document: Document, kernel: Kernel, cases: Sequence[tuple[str, Arguments]]
) -> Configurations:
    """The configurations that a document's source tells, the same ones for all cases.

    Raises ConfigurationsError where there are none to sweep over, UnreadError where only running
    the document tells.
    """
    return _agreed([(n, read_configurations(document.text, kernel, args)) for n, args in cases])


def requests_for(
    document: Document,
    kernel: Kernel,
    cases: Sequence[tuple[str, Arguments]],
    workspace: Path,
    trusted: bool,
) -> tuple[ConfigurationsRequest, ...]:
    """What a worker is asked for each case; `trusted` is the person's word that it may run."""
    source = source_of(document, workspace, trusted)
    return tuple(
        ConfigurationsRequest(
            source, KernelChoice(kernel.name, kernel.style.value, dict(args), kernel.line)
        )
        for _, args in cases
    )


def told_by_worker(
    kernel: Kernel, ends: Sequence[tuple[str, Ended]], why_not_read: UnreadError
) -> Configurations:
    """The configurations by the ends of those requests, with the name of each one's case.

    Raises ConfigurationsError, which also says why the source did not tell them.
    """
    return _agreed([(name, _told(kernel, ended, why_not_read)) for name, ended in ends])


def _told(kernel: Kernel, ended: Ended, why_not_read: UnreadError) -> Configurations:
    result = from_plain(ConfigurationsResult, ended.result) if ended.result is not None else None
    failure = ended.failure if result is None else result.failure
    if result is None or failure is not None:
        said = failure.message if failure is not None else f"the job ended as {ended.outcome}"
        raise ConfigurationsError(
            f"{unread(kernel, why_not_read)}, and running it failed: {said}. Name what is varied "
            "with --vary"
        )
    for name, kind in result.opaque.items():
        raise opaque_value(kernel, name, kind)
    return checked(result.configurations, kernel)


def unread(kernel: Kernel, why: UnreadError) -> str:
    """That the source does not tell the configurations, and why."""
    line = "" if why.line is None else f" (line {why.line})"
    return f"the source does not tell the configurations of `{kernel.name}`: {why}{line}"


def _agreed(found: Sequence[tuple[str, Configurations]]) -> Configurations:
    (first, configurations), *others = found
    for name, each in others:
        if each != configurations:
            raise ConfigurationsError(
                f"the decorator gives other configurations for the case `{name}` than for "
                f"`{first}`: sweep over one case at a time"
            )
    return configurations
