"""The first stage of a sweep: which configurations the rules allow, and why not the others."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.footprint import over_shared
from workbench.core.doctor.lint import lint_facts
from workbench.core.doctor.module import read_module
from workbench.core.doctor.programs import facts_of
from workbench.core.doctor.sizes import impossible_size
from workbench.core.documents.model import Case, Document, Kernel
from workbench.core.documents.reading import parse_document
from workbench.core.documents.selection import (
    Selection,
    SelectionError,
    cases_of,
    known_arguments,
    missing_arguments,
    parse_value,
)
from workbench.core.sweeps.conditions import ConditionError, holds, names_in
from workbench.core.sweeps.model import Outcome, PointRecord, Stage, SweepPlan
from workbench.core.sweeps.space import Point, SpaceError, require_fitting
from workbench.core.targets.model import Target
from workbench.core.targets.table import TargetError, TargetTable, load_targets
from workbench.session.requests import Item

#: What says that a plan cannot be meant.
PLAN_ERRORS = (SpaceError, ConditionError, TargetError, SelectionError)
#: The code of a point that a condition of the sweep leaves out.
CONDITION = "condition"


@dataclass(frozen=True)
class Sifted:
    """A point after the first stage: its item where it may go on, else the record says why not."""

    point: Point
    record: PointRecord
    item: Item | None


class Sifter:
    """Sifts the points of one plan; raises SpaceError, ConditionError or TargetError where the
    plan itself cannot be meant."""

    def __init__(self, plan: SweepPlan, table: TargetTable | None = None) -> None:
        self.document: Document = parse_document(plan.text, Path(plan.document))
        self._module = read_module(plan.text)
        self.kernel = self._kernel(plan.kernel)
        require_fitting(plan.space, self.kernel)
        self._cases = {name: self._case(name) for name in plan.cases}
        targets = table or load_targets()
        self.targets: dict[str, Target] = {name: targets.resolve(name) for name in plan.targets}
        self._fixed = {name: parse_value(text) for name, text in plan.fixed.items()}
        self._conditions = plan.conditions
        self._require_known_names(plan)

    def sift(self, point: Point) -> Sifted:
        """Look at one point."""
        case, target = self._cases[point.case], self.targets[point.target]
        args = known_arguments(self.kernel, case, {**self._fixed, **point.args})
        failed = next((c for c in self._conditions if not holds(c, args)), None)
        if failed is not None:
            return Sifted(point, _ruled_out(point, CONDITION, f"left out by: {failed}"), None)
        fault = self._fault(args, target)
        if fault is not None:
            line = fault.range.line if fault.range is not None else None
            return Sifted(point, _ruled_out(point, fault.code, fault.message, line), None)
        selection = Selection(self.kernel, case, args, self.kernel.reference)
        record = PointRecord(point.number, Stage.LEGALITY)
        return Sifted(point, record, Item(self.document, selection, target))

    def _fault(self, args: Mapping[str, Any], target: Target) -> Diagnostic | None:
        if self._module is None:
            return None
        facts = facts_of(self._module, self.kernel, args, (target,))
        fault = impossible_size(facts, target)
        if fault is not None:
            return fault
        found = lint_facts(self._module, facts)
        fault = next((d for d in found if d.severity is Severity.ERROR), None)
        return fault or over_shared(facts, target)

    def _kernel(self, name: str) -> Kernel:
        found = self.document.kernel(name)
        if found is None:
            raise SpaceError(f"the document has no kernel `{name}` any more")
        return found

    def _case(self, name: str) -> Case:
        known = (*cases_of(self.document, self.kernel), Case("default"))
        found = next((case for case in known if case.name == name), None)
        if found is None:
            raise SpaceError(f"the document has no case `{name}` for `{self.kernel.name}`")
        return found

    def _require_known_names(self, plan: SweepPlan) -> None:
        """Each argument has a value in every point, and conditions speak of arguments."""
        varied = dict.fromkeys(plan.space.names)
        for case in self._cases.values():
            args = known_arguments(self.kernel, case, {**self._fixed, **varied})
            missing = missing_arguments(self.kernel, args)
            if missing:
                options = " ".join(f"--set {name}=..." for name in missing)
                raise SelectionError(
                    f"`{self.kernel.name}` needs {', '.join(missing)}, which the case "
                    f"`{case.name}` does not give. Add {options}"
                )
            for condition in self._conditions:
                unknown = [name for name in names_in(condition) if name not in args]
                if unknown:
                    raise SpaceError(
                        f"--when {condition!r}: `{self.kernel.name}` has no argument {unknown[0]}"
                    )


def _ruled_out(point: Point, code: str, reason: str, line: int | None = None) -> PointRecord:
    return PointRecord(
        point.number, Stage.LEGALITY, Outcome.RULED_OUT, reason=reason, code=code, line=line
    )
