"""Problems that show only once a kernel is compiled: it needs more than its targets have."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from workbench.core.analysis.findings import over_shared, spills
from workbench.core.jobs import Resources
from workbench.core.targets.model import Target
from workbench.session.analyzed import Analyzed
from workbench.session.open_document import Compiled, OpenDocument
from workbench.session.problems import Problem


def limit_problems(document: OpenDocument, targets: Iterable[Target]) -> list[Problem]:
    """What the last good results exceed, one problem for each target and resource."""
    path = str(document.path) if document.path is not None else document.title
    kernel = document.chosen_kernel
    line = kernel.line if kernel is not None else None
    found = []
    for target in targets:
        compiled = document.good.get(target.name)
        if compiled is None:
            continue
        stale = document.is_stale(compiled.revision)
        resources = _not_told(compiled, document.analyses.good.get(target.name))
        exceeded = (
            *over_shared(resources, resources.shared_dynamic_bytes, target, line),
            *spills(resources, target, line),
        )
        found += [Problem(each, path, (target.name,), stale=stale) for each in exceeded]
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
