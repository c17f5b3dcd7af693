"""The numbers of a verification as text: four digits, a true minus, powers for the very small."""

from __future__ import annotations

import math

from workbench.core.figures import number
from workbench.session.verification_output import Element
from workbench.session.verification_view import Figures
from workbench.ui.widgets.metric_strip import MetricView

UNKNOWN = "unknown"
_DIGITS = 4
_MINUS = "\N{MINUS SIGN}"


def value_text(value: float | None, digits: int = _DIGITS) -> str:
    """A value of an element; None is unknown."""
    if value is None:
        return UNKNOWN
    if not math.isfinite(value) or value == 0:
        return number(float(value))
    size = abs(value)
    if 1e-3 <= size < 1e5:
        places = min(6, max(0, digits - 1 - math.floor(math.log10(size))))
        text = f"{size:,.{places}f}"
        return f"{_MINUS}{text}" if value < 0 else text
    return number(float(value))


def difference_text(element: Element) -> str:
    """Got less expected with its sign, or that it is none."""
    difference = element.difference
    if difference is None:
        return UNKNOWN
    text = value_text(difference)
    return f"+{text}" if difference > 0 else text


def state_text(element: Element) -> tuple[str, str]:
    """Whether an element is right, as a word and its tone."""
    if element.wrong is None:
        return "", "fg3"
    return ("mismatch", "error") if element.wrong else ("within tolerance", "good")


def element_rows(element: Element) -> list[tuple[str, str, str]]:
    """Label, text and tone of what is known of an element; what is unknown is left out."""
    tone = "error" if element.wrong else "fg"
    rows = [
        ("Block", element.block, "fg"),
        ("In the block", element.within, "fg"),
        ("Got", None if element.got is None else value_text(element.got), "fg"),
        ("Expected", None if element.expected is None else value_text(element.expected), "fg"),
        ("Difference", None if element.got is None else difference_text(element), tone),
        ("Allowed", None if element.allowed is None else f"±{value_text(element.allowed)}", "fg"),
    ]
    return [(label, text, colour) for label, text, colour in rows if text is not None]


def percent_text(wrong: int, total: int) -> str:
    """The part that is wrong; never 0 % or 100 % where it is not quite so."""
    if wrong == 0 or total == 0:
        return "0"
    share = 100 * wrong / total
    if share < 0.01:
        return "< 0.01"
    if wrong < total and share > 99.99:
        return "> 99.99"
    return f"{share:.3g}"


def metrics(figures: Figures) -> tuple[MetricView, ...]:
    """The strip of figures."""
    bad = figures.wrong > 0
    failed = figures.seeds - figures.seeds_passed
    shape = " × ".join(f"{size:,}" for size in figures.shape) or "scalar"
    return (
        MetricView("Output", figures.name, figures.dtype, tip=f"{figures.name}: {shape}"),
        MetricView(
            "Wrong",
            percent_text(figures.wrong, figures.total),
            "%",
            "error" if bad else "good",
            f"{figures.wrong:,} of {figures.total:,} elements",
        ),
        MetricView(
            "Largest error",
            value_text(figures.largest_error, 3),
            tip="|got - expected|, over elements that are numbers on both sides",
        ),
        MetricView(
            "Relative, Frobenius",
            UNKNOWN if figures.relative_frobenius is None else number(figures.relative_frobenius),
            tip="Frobenius norm of the error over that of the reference",
        ),
        MetricView("Tolerance", _tolerance(figures), tip=_tolerance_tip(figures)),
        MetricView(
            "Seeds",
            f"{figures.seeds_passed} of {figures.seeds} pass"
            + ("es" if figures.seeds_passed == 1 == figures.seeds else ""),
            tone="error" if failed else "good",
            tip="Each seed gives other random inputs",
        ),
    )


def _tolerance(figures: Figures) -> str:
    parts = [
        f"{number(value)} {kind}"
        for value, kind in ((figures.atol, "abs"), (figures.rtol, "rel"))
        if value
    ]
    return ", ".join(parts) or "exact"


def _tolerance_tip(figures: Figures) -> str:
    source = "the case gives it" if figures.tolerance_source == "case" else figures.tolerance_source
    return f"|got - expected| may be abs + rel × |expected|; {source}"
