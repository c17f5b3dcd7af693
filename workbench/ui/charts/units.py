"""Between the values of a chart and the units of a plot, in which logarithmic axes are even."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from workbench.session.charts.ticks import Scale

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

_EQUAL = 1e-9


def to_plot(scale: Scale, values: Sequence[float]) -> NDArray[np.float64]:
    """The values in the plot's units; what is not above zero lies at a logarithmic one's end."""
    import numpy as np

    found = np.asarray(values, dtype=np.float64)
    return np.log10(np.maximum(found, scale.low)) if scale.is_log else found


def of_plot(scale: Scale, place: float) -> float:
    """The value at a place of the plot."""
    return float(10.0**place) if scale.is_log else float(place)


def shown_range(on_show: Sequence[float], own: Scale) -> tuple[float, float] | None:
    """A range of the plot in values; None where it is all that the chart has."""
    low, high = (of_plot(own, place) for place in on_show)
    slack = _EQUAL * max(abs(own.low), abs(own.high), 1e-12)
    is_own = math.isclose(low, own.low, rel_tol=_EQUAL, abs_tol=slack)
    is_own = is_own and math.isclose(high, own.high, rel_tol=_EQUAL, abs_tol=slack)
    return None if is_own else (low, high)
