"""The lint stage: what the source alone shows to be wrong, for some cases and their targets."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.call_sites import call_sites
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.findings import Finding
from workbench.core.doctor.module import Module, read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.rule_table import RULES
from workbench.core.doctor.rules import Group, KernelCheck, Rule
from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.selection import cases_of, known_arguments
from workbench.core.targets.model import Target

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class Subject:
    """A kernel with the arguments that one case builds it with, and the targets it is for."""

    kernel: Kernel
    args: Mapping[str, Any] = field(hash=False)
    targets: tuple[Target, ...]


def lint(
    document: Document, subjects: Iterable[Subject], without: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """The findings of the lint stage beside the document's own diagnostics, by line.

    A finding that holds for a part of the targets alone names them. Nothing is executed, and
    nothing raises for whatever source: what cannot be told is left out. `without` are the codes of
    guidelines that the person does not want to hear of; mistakes are told whatever it says.
    """
    module = read_module(document.text)
    if module is None:
        return ()
    facts = [f for s in subjects for f in facts_of(module, s.kernel, s.args, s.targets)]
    return lint_facts(module, facts, without)


def lint_facts(
    module: Module, facts: Iterable[KernelFacts], without: Collection[str] = ()
) -> tuple[Diagnostic, ...]:
    """The same of kernels whose facts are known already."""
    rules = [r for r in RULES if r.group is not Group.GUIDELINE or r.code not in without]
    found = [
        _diagnostic(record, finding, module)
        for record in rules
        if record.document_check is not None
        for finding in record.document_check(module)
    ]
    for each in facts:
        found += _of_kernel(rules, each, module)
    return _merged(found)


def tells_all(document: Document, subjects: Iterable[Subject]) -> bool:
    """Whether the source says everything that the rules look at.

    False where a helper is not followed, a buffer has a second name, or an extent is not fixed.
    """
    module = read_module(document.text)
    if module is None:
        return False
    groups = [facts_of(module, s.kernel, s.args, s.targets) for s in subjects]
    return bool(groups) and all(group and all(map(_is_told, group)) for group in groups)


def _is_told(facts: KernelFacts) -> bool:
    sizes = (buffer.sizes for buffer in (*facts.tensors, *facts.results, *facts.buffers))
    known = facts.complete and not facts.escaped and bool(facts.launches)
    return known and all(size is not None for size in sizes)


def _of_kernel(rules: Iterable[Rule], facts: KernelFacts, module: Module) -> list[Diagnostic]:
    return [
        _diagnostic(record, finding, module)
        for record in rules
        if record.check is not None
        for finding in _findings(record, record.check, facts, module)
    ]


def _findings(
    record: Rule, check: KernelCheck, facts: KernelFacts, module: Module
) -> Iterable[Finding]:
    """What a check finds; one that fails is our mistake, and costs that check alone."""
    try:
        return list(check(facts, module))
    except Exception:
        _LOG.exception("the check for %s failed", record.code)
        return ()


def _diagnostic(record: Rule, finding: Finding, module: Module) -> Diagnostic:
    where = module.range_of(finding.node)
    return Diagnostic(
        code=record.code,
        severity=finding.severity or record.severity,
        message=finding.message,
        range=where,
        related=call_sites(module, where.line),
        targets=finding.targets,
        stage=record.stage.value,
        evidence=finding.evidence,
        help=record.help_page,
        fixes=_graded(finding.fixes, record),
    )


def _graded(fixes: tuple[Fix, ...], record: Rule) -> tuple[Fix, ...]:
    """The alternatives of a finding: the first is as safe as its rule says."""
    return tuple(
        replace(fix, safe=record.safe) if not place else fix for place, fix in enumerate(fixes)
    )


def _merged(found: Sequence[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Each thing once: what several cases show at one place, with the targets of all of them."""
    merged: dict[tuple[object, ...], Diagnostic] = {}
    for diagnostic in found:
        key = (diagnostic.code, diagnostic.range, diagnostic.severity)
        known = merged.get(key)
        if known is None:
            merged[key] = diagnostic
        elif known.targets and diagnostic.targets:
            names = tuple(dict.fromkeys((*known.targets, *diagnostic.targets)))
            merged[key] = replace(known, targets=names)
        else:
            merged[key] = replace(known, targets=())
    return tuple(sorted(merged.values(), key=_place))


def _place(diagnostic: Diagnostic) -> tuple[int, int, str]:
    where = diagnostic.range
    return (where.line, where.column, diagnostic.code) if where else (0, 0, diagnostic.code)


def subjects_of(
    document: Document, targets_of: Mapping[str, Target], chosen: Sequence[Target] = ()
) -> list[Subject]:
    """Every kernel with each of its cases; `chosen` stand in place of the cases' own targets.

    `targets_of` maps the names that cases give to targets; a name that it lacks is left out.
    """
    subjects = []
    for kernel in document.kernels:
        for case in cases_of(document, kernel) or (Case("default"),):
            own = tuple(targets_of[name] for name in case.targets if name in targets_of)
            args = known_arguments(kernel, case, {})
            subjects.append(Subject(kernel, args, tuple(chosen) or own))
    return subjects
