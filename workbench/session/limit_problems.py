"""Problems that show only once a kernel is compiled: it needs more than its targets have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import Resources
from workbench.core.targets.labels import short_label
from workbench.core.targets.model import Target
from workbench.session.analyzed import Analyzed
from workbench.session.open_document import Compiled, OpenDocument
from workbench.session.problems import Problem


def limit_problems(document: OpenDocument, targets: Iterable[Target]) -> list[Problem]:
    """What the last good results exceed, one problem for each target and resource."""
    path = str(document.path) if document.path is not None else document.title
    kernel = document.chosen_kernel
    where = TextRange(kernel.line) if kernel is not None else None
    found = []
    for target in targets:
        compiled = document.good.get(target.name)
        if compiled is None:
            continue
        stale = document.is_stale(compiled.revision)
        resources = _not_told(compiled, document.analyses.good.get(target.name))
        for diagnostic in _exceeded(resources, target, where):
            found.append(Problem(diagnostic, path, (target.name,), stale=stale))
    return found


def _not_told(compiled: Compiled, analyzed: Analyzed | None) -> Resources:
    """What an analysis of the same text does not tell: its findings say more, at their lines."""
    resources = compiled.result.resources or Resources()
    if analyzed is None or analyzed.revision != compiled.revision:
        return resources
    left = replace(resources, shared_dynamic_bytes=None, shared_static_bytes=None)
    found = analyzed.result.resources
    spills = resources.spill_bytes if found is None or found.spill_bytes is None else None
    return replace(left, spill_bytes=spills)


def _exceeded(
    resources: Resources, target: Target, where: TextRange | None
) -> Iterable[Diagnostic]:
    shared = _shared_message(resources, target)
    if shared is not None:
        yield Diagnostic("shared-memory-limit", Severity.ERROR, shared, where, stage="compile")
    if resources.spill_bytes:
        message = (
            f"{resources.spill_bytes:,} B of registers a thread spill to memory on "
            f"{short_label(target)}: smaller tiles or more threads keep them in registers."
        )
        yield Diagnostic("register-spill", Severity.WARNING, message, where, stage="compile")


def _shared_message(resources: Resources, target: Target) -> str | None:
    dynamic, static = resources.shared_dynamic_bytes, resources.shared_static_bytes
    limit = target.arch.limits.shared_bytes_per_block_opt_in
    used = (dynamic or 0) + (static or 0)
    if limit is None or used <= limit:
        return None
    return (
        f"{used / 1024:.3g} KiB of shared memory, but {short_label(target)} has "
        f"{limit / 1024:.3g} KiB: a block fits with smaller tiles or fewer stages."
    )
