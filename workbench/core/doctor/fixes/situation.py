"""What a fix is made from: a document, the cases that it is looked at for, and their facts."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from workbench.core.diagnostics import Diagnostic, Fix
from workbench.core.doctor.facts import KernelFacts
from workbench.core.doctor.lint import Subject, lint
from workbench.core.doctor.module import Module, read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.text_edits import apply_fix
from workbench.core.doctor.values import Buffer
from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import cases_of, known_arguments


@dataclass(frozen=True, eq=False)
class Situation:
    """A document that Python can read, with the kernels, arguments and targets in question."""

    document: Document
    subjects: tuple[Subject, ...]
    module: Module

    @cached_property
    def facts(self) -> tuple[KernelFacts, ...]:
        """The facts of every kernel function of every subject."""
        return tuple(
            facts
            for subject in self.subjects
            for facts in facts_of(self.module, subject.kernel, subject.args, subject.targets)
        )

    @cached_property
    def linted(self) -> tuple[Diagnostic, ...]:
        """What the lint stage finds."""
        return lint(self.document, self.subjects)

    def facts_at(self, line: int | None) -> Iterator[KernelFacts]:
        """The facts of the kernels around a line, all where none is given."""
        for facts in self.facts:
            last = facts.function.end_lineno or 0
            if line is None or facts.function.lineno <= line <= last:
                yield facts

    def buffer(self, name: str, line: int | None = None) -> Buffer | None:
        """The buffer or tensor of a name in the kernel around a line."""
        for facts in (*self.facts_at(line), *self.facts):
            for buffer in (*facts.buffers, *facts.tensors, *facts.results):
                if buffer.name == name:
                    return buffer
        return None

    def allocation(self, buffer: Buffer) -> ast.Assign | None:
        """The statement that allocates a buffer."""
        return next(
            (n for n in self.module.nodes.get(ast.Assign, []) if n.value is buffer.node), None
        )

    def after(self, fix: Fix) -> Situation | None:
        """The situation once a fix is made; None where the text cannot be read then."""
        text = apply_fix(self.document.text, fix)
        document = parse_document(text, self.document.path)
        module = read_module(text)
        if module is None or len(document.kernels) != len(self.document.kernels):
            return None
        subjects = [self._moved(subject, document) for subject in self.subjects]
        if not all(subjects):
            return None
        return Situation(document, tuple(s for s in subjects if s is not None), module)

    def _moved(self, subject: Subject, document: Document) -> Subject | None:
        """A subject of the changed document: a case's arguments are those that it has then."""
        kernel = document.kernel(subject.kernel.name)
        if kernel is None:
            return None
        place = _place(self.document, subject)
        cases = _cases(document, kernel)
        if place is None or place >= len(cases):
            return replace(subject, kernel=kernel)
        args = known_arguments(kernel, cases[place], {})
        return Subject(kernel, args, subject.targets)


def situation_of(document: Document, subjects: Sequence[Subject]) -> Situation | None:
    """The situation of a document; None where Python cannot read it."""
    module = read_module(document.text)
    return Situation(document, tuple(subjects), module) if module is not None else None


def _cases(document: Document, kernel: Kernel) -> tuple[Case, ...]:
    return tuple(cases_of(document, kernel)) or (Case("default"),)


def _place(document: Document, subject: Subject) -> int | None:
    """Which of the kernel's cases a subject is; None where its arguments are from elsewhere."""
    given: dict[str, Any] = dict(subject.args)
    for place, case in enumerate(_cases(document, subject.kernel)):
        if dict(known_arguments(subject.kernel, case, {})) == given:
            return place
    return None
