"""Conditions on a comparison that a script fails by: `time:+5%`, `registers:+0`, `tflops:-3%`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workbench.core.comparison.metric_table import KINDS, is_known
from workbench.core.documents.suggestions import nearest

_FORM = re.compile(
    r"(?P<metric>[A-Za-z_][\w.\-]*)\s*:\s*(?P<sign>[+-])\s*(?P<amount>\d+(?:\.\d+)?)\s*(?P<unit>%?)"
)
_MOST_NAMED = 8
#: Short names of what people gate by most.
ALIASES = {"time": "time_us", "shared": "shared_dynamic_bytes", "spill": "spill_bytes"}


class GateError(ValueError):
    """A condition cannot be read; the message shows the form."""


@dataclass(frozen=True)
class Condition:
    """Fails where a metric moves by more than `amount` in the direction of its sign.

    `amount` is a share of the first run's value where `relative` (0.05 for 5 %), else in the
    metric's own unit; it is negative where a fall is what fails ("tflops:-3%").
    """

    metric: str
    amount: float
    relative: bool
    text: str

    def exceeded(self, before: float, after: float) -> bool:
        """Whether `after` is further from `before` than is allowed."""
        allowed = abs(before) * self.amount if self.relative else self.amount
        moved = after - before
        return moved > allowed if self._guards_growth else moved < allowed

    @property
    def _guards_growth(self) -> bool:
        return self.text.partition(":")[2].strip().startswith("+")


def parse_condition(text: str) -> Condition:
    """Read one condition. Raises GateError."""
    match = _FORM.fullmatch(text.strip())
    if match is None:
        raise GateError(
            f"{text!r} is no condition: write METRIC:+AMOUNT or METRIC:-AMOUNT, with % for a share "
            "of the first run's value, such as time:+5%, registers:+0 or tflops:-3%"
        )
    amount = float(match["sign"] + match["amount"])
    relative = match["unit"] == "%"
    metric = ALIASES.get(match["metric"], match["metric"])
    return Condition(metric, amount / 100 if relative else amount, relative, text.strip())


def require_known(conditions: Iterable[Condition], measured: Sequence[str]) -> None:
    """See that each condition is on a metric that there is, in these runs or elsewhere.

    `measured` are the metrics of the runs. Raises GateError with the nearest name, else with these.
    """
    usual = [kind.pattern for kind in KINDS if "*" not in kind.pattern]
    for condition in conditions:
        if condition.metric not in measured and not is_known(condition.metric):
            near = nearest(condition.metric, [*measured, *usual, *ALIASES])
            more = [f"{len(measured) - _MOST_NAMED} more"] if len(measured) > _MOST_NAMED else []
            listed = ", ".join([*measured[:_MOST_NAMED], *more]) or "no metrics"
            hint = f"did you mean `{near}`?" if near else f"these runs have {listed}"
            raise GateError(f"{condition.text!r}: there is no metric `{condition.metric}`; {hint}")
