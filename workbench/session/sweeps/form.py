"""The form of a sweep: what is varied over which values, suggested from a kernel; its plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from workbench.core.documents.model import Kernel
from workbench.core.documents.selection import known_arguments
from workbench.core.sweeps.decorated.checking import Configurations
from workbench.core.sweeps.model import Budget, SweepPlan
from workbench.core.sweeps.space import Axis, SpaceError, parse_axis
from workbench.session.open_document import OpenDocument
from workbench.session.sweeps import store
from workbench.session.sweeps.offering import Offer

#: Names of arguments that choose a configuration and not the problem.
_TUNED = re.compile(r"block|stage|thread|tile|split|warp|panel|swizz|unroll|chunk", re.IGNORECASE)
_FEW = 8  # numbers up to this are counted, larger ones grow by factors of two
DEFAULT = "default"
_STAGES = (
    "The rules of the language and of the target are looked at here, before anything is compiled. "
    "What remains is lowered, compiled and estimated; "
)
_MEASURED = (
    "the promising are measured, and the best are confirmed and compared with the reference."
)
_PREDICTED = "nothing is measured, as no GPU is chosen to do so."


@dataclass(frozen=True)
class AxisField:
    """One parameter in the form: whether it is varied, and over which values, as typed."""

    name: str
    own: Any
    text: str
    is_varied: bool

    @property
    def axis(self) -> Axis:
        """The axis that is meant; raises SpaceError."""
        return parse_axis(f"{self.name}={self.text}")

    @property
    def problem(self) -> str:
        """Why the values cannot be meant; "" where they can or are not wanted."""
        if not self.is_varied:
            return ""
        try:
            return "" if self.axis.values else "no value"
        except SpaceError as error:
            return str(error).replace("--vary takes", "Values are").replace("NAME=", "")


@dataclass(frozen=True)
class SweepForm:
    """What a person asks of a sweep. `points` and `minutes` are None for the usual budget.

    `places` names the hosts whose GPUs measure; without any, points are predicted alone. `offer`
    is that of the kernel's decorator, whose configurations are gone through if `takes_offer`.
    """

    document: str
    kernel: str
    fields: tuple[AxisField, ...]
    fixed: Mapping[str, str] = field(default_factory=dict)
    conditions: tuple[str, ...] = ()
    cases: tuple[str, ...] = (DEFAULT,)
    targets: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    scheduler: str = ""
    offer: Offer | None = None
    takes_offer: bool = True
    points: int | None = None
    minutes: float | None = None
    is_exhaustive: bool = False
    early_stop: bool = True

    @property
    def configurations(self) -> Configurations:
        """Those of the decorator, where they are taken."""
        return self.offer.configurations if self.offer is not None and self.takes_offer else ()

    @property
    def listed(self) -> frozenset[str]:
        """The parameters that those configurations give."""
        return frozenset(name for each in self.configurations for name in each)

    @property
    def varied(self) -> tuple[AxisField, ...]:
        """The parameters that are varied over their own values."""
        listed = self.listed
        return tuple(each for each in self.fields if each.is_varied and each.name not in listed)

    @property
    def measures(self) -> bool:
        """Whether a GPU is to measure."""
        return bool(self.places or self.scheduler)

    @property
    def explanation(self) -> str:
        """What becomes of the points."""
        return _STAGES + (_MEASURED if self.measures else _PREDICTED)

    def with_field(
        self, name: str, text: str | None = None, varied: bool | None = None
    ) -> SweepForm:
        """The form with other values of a parameter, or with it varied or not."""
        changed = tuple(
            replace(
                each,
                text=each.text if text is None else text,
                is_varied=each.is_varied if varied is None else varied,
            )
            if each.name == name
            else each
            for each in self.fields
        )
        return replace(self, fields=changed)


def form_of(document: OpenDocument, places: Sequence[str]) -> SweepForm | None:
    """The form for what is chosen of a document; None where it has no kernel."""
    kernel = document.chosen_kernel
    if kernel is None:
        return None
    overridden = {name: _literal(value) for name, value in document.overrides.items()}
    fields = tuple(_field(name, value) for name, value in document_arguments(document).items())
    varied = {each.name for each in fields if each.is_varied}
    return SweepForm(
        document=str(document.path or document.title),
        kernel=kernel.name,
        fields=fields,
        fixed={name: text for name, text in overridden.items() if name not in varied},
        cases=(document.case or DEFAULT,),
        targets=document.targets[:1],
        places=tuple(places),
    )


def document_arguments(document: OpenDocument) -> Mapping[str, Any]:
    """The arguments of the chosen kernel that have a value, in the order of its signature."""
    kernel = document.chosen_kernel
    if kernel is None:
        return {}
    known: Mapping[str, Any] = document.arguments()
    case = document.chosen_case
    if case is not None:
        known = {**known_arguments(kernel, case, {}), **known}
    return {name: known[name] for name in _in_order(kernel, known)}


def _in_order(kernel: Kernel, known: Mapping[str, Any]) -> list[str]:
    own = [parameter.name for parameter in kernel.parameters if parameter.name in known]
    return own + [name for name in known if name not in own]


def _field(name: str, value: Any) -> AxisField:
    return AxisField(name, value, suggested(value), bool(_TUNED.search(name)) and _is_count(value))


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def suggested(value: Any) -> str:
    """Values worth trying around one: powers of two for sizes, neighbours for small counts."""
    if isinstance(value, bool):
        return "True, False"
    if not _is_count(value):
        return _literal(value)
    if value <= _FEW:
        return f"{max(value - 2, min(value, 1))}..{value + 1}"
    power = 1 << (int(value).bit_length() - 1)
    around = sorted({power // 2, power, power * 2, int(value)})
    return ", ".join(str(each) for each in around)


def _literal(value: Any) -> str:
    return repr(value) if not isinstance(value, str) else f'"{value}"'


def plan_of(form: SweepForm, document: OpenDocument, workspace: Path) -> SweepPlan:
    """The plan that a form means for a document as it is typed; raises SpaceError."""
    if document.path is None:
        raise SpaceError("save the document first: a sweep goes on in a process of its own")
    if form.offer is not None and form.takes_offer and form.offer.is_pending:
        raise SpaceError("the decorator's configurations are being read")
    if not form.varied and not form.configurations:
        raise SpaceError("choose at least one parameter to vary")
    if not form.targets:
        raise SpaceError("choose at least one target")
    sweep_id, created = store.new_sweep_id()
    given = {each.name for each in form.varied} | form.listed
    return SweepPlan(
        id=sweep_id,
        created=created,
        workspace=str(workspace),
        document=str(document.path),
        text=document.text,
        kernel=form.kernel,
        axes=tuple(_axis(each) for each in form.varied),
        cases=form.cases,
        targets=form.targets,
        conditions=form.conditions,
        configurations=form.configurations,
        fixed={name: text for name, text in form.fixed.items() if name not in given},
        budget=Budget(form.points, form.minutes, form.early_stop),
        places=form.places,
        scheduler=form.scheduler or None,
        exhaustive=form.is_exhaustive,
    )


def _axis(each: AxisField) -> Axis:
    if each.problem:
        raise SpaceError(f"{each.name}: {each.problem}")
    return each.axis
