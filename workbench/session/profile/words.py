"""What is said of a profile: its conclusion, and the figures in it."""

from __future__ import annotations

from workbench.core.counters.quantities import reading
from workbench.core.figures import duration, number
from workbench.core.profiles import ProfileResult
from workbench.session.profile.rates import Share, best_share

_VOWELS = "aeiouAEIOU"
_SPELLED = ("NVIDIA", "AMD", "H", "L", "M", "RTX", "A")  # begin with a vowel when they are spoken
_MINUS = "\N{MINUS SIGN}"


def time_text(time_us: float) -> str:
    """A time with three digits in the unit that reads best."""
    return str(duration(time_us * 1e-6))


def percent(part: float) -> str:
    """A part of one in whole per cent, below ten with two digits."""
    value = part * 100
    return f"{value:.0f} %" if value >= 9.95 else f"{value:.2g} %"


def signed_percent(part: float) -> str:
    """A difference as "+5 %" or "−12 %", below one with one decimal."""
    value = abs(part) * 100
    digits = f"{value:,.0f}" if value >= 9.95 else f"{value:.1f}".removesuffix(".0")
    if digits == "0":
        return "±0 %"
    return f"{'+' if part > 0 else _MINUS}{digits} %"


def three(value: float) -> str:
    """A number with three digits."""
    return number(float(f"{value:.3g}"))


def with_article(name: str) -> str:
    """The name with its article: "an NVIDIA H200", "a Tesla V100"."""
    first = name.split()[0] if name.split() else ""
    return f"{'an' if name[:1] in _VOWELS or first in _SPELLED else 'a'} {name}"


def conclusion(
    result: ProfileResult, shares: tuple[Share, ...], predicted_us: float | None, label: str
) -> str:
    """The answer in one sentence, then what is predicted, then what is to be said of its worth."""
    latency, device = result.latency, result.device
    if latency is None:
        return _without_time(result)
    where = f" on {with_article(device.name)}" if device is not None else ""
    time = f"{time_text(latency.median_us)}{where}"
    if result.verified is False:
        return (
            f"The result is wrong: it does not match the reference, so the {time} say nothing yet."
        )
    parts = [time, *_rate_words(shares), *_ratio_words(result)]
    said = predicted_words(latency.median_us, predicted_us, label)
    return f"{', '.join(parts)}{f'; {said}' if said else ''}."


def predicted_words(
    measured_us: float, predicted_us: float | None, label: str = "", is_least: bool = False
) -> str:
    """How far the prediction lies from what was measured: "predicted 31 µs (+5 %)"."""
    if predicted_us is None:
        return f"no time is predicted for {label}" if label else ""
    least = "at least " if is_least else ""
    off = signed_percent(predicted_us / measured_us - 1)
    return f"predicted {least}{time_text(predicted_us)} ({off})"


def ratio_text(ratio: float) -> str:
    """A ratio of speeds with three digits."""
    return f"{three(ratio)} ×"


def _rate_words(shares: tuple[Share, ...]) -> list[str]:
    best = best_share(shares)
    is_told = all(each.share is not None for each in shares)  # else the unknown one may be it
    if best is not None and best.share is not None and is_told:
        what = "copy bandwidth" if best.unit == "GB/s" else "matmul rate"
        return [f"{percent(best.share)} of its measured {what}"]
    rates = [each for each in shares if each.reached is not None and each.share is None]
    return [f"{three(each.reached or 0)} {each.unit}" for each in rates[:1]]


def _ratio_words(result: ProfileResult) -> list[str]:
    if result.baseline is None:
        return []
    return [f"{ratio_text(result.baseline.ratio)} the speed of {result.baseline.name}"]


def _without_time(result: ProfileResult) -> str:
    why = result.missing.get("latency")
    if result.counters is None or not result.counters.kernels:
        return f"Nothing was measured: {why}." if why else "Nothing was measured."
    kernels = result.counters.kernels
    names = list(dict.fromkeys(each.name for each in kernels))
    device = next((each.device for each in kernels if each.device), None)
    where = f" on {with_article(device)}" if device else ""
    what = names[0] if len(names) == 1 else f"{len(kernels)} kernels"
    return f"Counters of {what}{where}; {_profiled_time(result)}."


def _profiled_time(result: ProfileResult) -> str:
    assert result.counters is not None
    found = reading(result.counters.kernels[0], "profiled_time_us")
    if found is None or found.value is None:
        return "its time was not measured"
    return f"it took {time_text(found.value)} while it was profiled"
