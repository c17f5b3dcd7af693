"""A profile for a person to read: times, what to believe of them, and what was predicted."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from workbench.cli import output
from workbench.cli.compared_outputs import worst_lines
from workbench.cli.profile_json import Told
from workbench.core.counters.against import Comparison, Verdict
from workbench.core.counters.model import Group, Quantity, Reading
from workbench.core.counters.quantities import quantities
from workbench.core.figures import figure
from workbench.core.profiles import ProfileResult
from workbench.session.profile.rates import best_share, gb_s_of, tflops_of
from workbench.session.profile.words import percent, ratio_text, signed_percent, three, time_text

_HEADER = (
    "kernel",
    "case",
    "device",
    "median",
    "p10 to p90",
    "TFLOP/s",
    "GB/s",
    "of what it reaches",
    "baseline",
)
#: How what is missing is told, where its name does not say it.
_LACKING = {
    "verified": "not compared with a reference",
    "flops": "no TFLOP/s",
    "predicted": "nothing is predicted",
}
_NAMED = (Group.TIME, Group.LAUNCH, Group.OCCUPANCY)
_COUNTED = ("measured on the GPU", "measured", "predicted", "difference")


def print_results(found: Sequence[Told]) -> None:
    """The table of times, then what else there is to say of each."""
    output.print_table(_HEADER, [_row(each) for each in found])
    for each in found:
        lines = [*_sentences(each)]
        if lines and len(found) > 1:
            print(f"\n{each.plain['kernel']}, {each.label}:")
        elif lines:
            print()
        for line in lines:
            print(line)
        _print_counted(each)


def _row(told: Told) -> tuple[str, ...]:
    plain, result = told.plain, told.result
    names = (str(plain["kernel"] or "-"), told.label or "-", plain["device"] or "-")
    if result.latency is None:
        return (*names, plain["status"], "-", "-", "-", "-", "-")
    latency = result.latency
    ends = [signed_percent(end / latency.median_us - 1) for end in (latency.p10_us, latency.p90_us)]
    return (
        *names,
        time_text(latency.median_us),
        " to ".join(ends),
        _three(tflops_of(result)),
        _three(gb_s_of(result)),
        _share(told),
        _beside(result),
    )


def _three(value: float | None) -> str:
    return "-" if value is None else three(value)


def _share(told: Told) -> str:
    best = best_share(told.shares)
    if best is None or best.share is None:
        return "-"
    return f"{percent(best.share)} of {'copying' if best.unit == 'GB/s' else 'matmul'}"


def _beside(result: ProfileResult) -> str:
    baseline = result.baseline
    return "-" if baseline is None else f"{ratio_text(baseline.ratio)} {baseline.name}"


def _sentences(told: Told) -> Iterator[str]:
    """What is at fault, how it was measured and what to believe, what is missing."""
    result = told.result
    error = told.plain["error"]
    if error is not None:
        line = f":{error['line']}" if error.get("line") else ""
        yield f"{told.plain['file']}{line}: {error['message']}"
    if result.verified is False:
        yield "The result does not match the reference: `verify` shows where."
    for item in told.plain["diagnostics"]:
        yield f"{told.plain['file']}:{item['line']}: {item['severity']}: {item['message']}"
    for entry in told.plain["outputs"]:
        yield from worst_lines(entry)
    if result.latency is not None:
        yield from _method(result)
    if told.plain["bound"] is not None:
        yield f"Bound by {told.plain['bound']}."
    for name, why in told.plain["missing"].items():
        yield f"{_LACKING.get(name, f'no {name}')}: {why}"


def _method(result: ProfileResult) -> Iterator[str]:
    latency = result.latency
    assert latency is not None
    overhead = latency.launch_overhead_us
    taken = f"{len(latency.samples_us)} samples by {latency.method}, {latency.cache} L2"
    if overhead is not None:
        taken += f"; an empty kernel takes {time_text(overhead)} so"
    yield f"{taken}."
    yield from latency.trust


def _print_counted(told: Told) -> None:
    """Every figure that was measured, with its prediction where there is one."""
    compared = {each.quantity.key: each for each in told.comparisons}
    rows = [_compared(each) for each in told.comparisons if each.quantity.key == "time_us"]
    for reading in _readings(told.result):
        found = compared.get(reading.quantity.key)
        if not reading.value and (found is None or found.verdict is Verdict.EQUAL):
            continue  # a chip has many that a kernel has nothing of
        rows.append(_compared(found) if found is not None else _alone(reading))
    if rows:
        print()
        output.print_table(_COUNTED, rows)
    for note in _notes(told.comparisons):
        print(note)


def _readings(result: ProfileResult) -> tuple[Reading, ...]:
    """What counters tell of the first launch."""
    launches = result.counters.kernels if result.counters is not None else ()
    return quantities(launches[0]) if launches else ()


def _compared(each: Comparison) -> tuple[str, ...]:
    unit = each.quantity.unit
    values = (str(figure(each.measured, unit)), str(figure(each.predicted, unit)))
    return (_title(each.quantity), *values, _difference(each))


def _difference(each: Comparison) -> str:
    if each.verdict is Verdict.UNKNOWN or each.predicted is None or each.measured is None:
        return "-"
    if each.verdict is Verdict.EQUAL:
        return "equal"
    kind = "estimate" if each.estimate else "predicted"
    if not each.measured:
        return f"{kind} +{figure(each.predicted, each.quantity.unit)}"
    return f"{kind} {signed_percent(each.predicted / each.measured - 1)}"


def _alone(reading: Reading) -> tuple[str, ...]:
    return _title(reading.quantity), str(figure(reading.value, reading.quantity.unit)), "", ""


def _title(quantity: Quantity) -> str:
    """What a figure is of, where its own title does not say it."""
    is_named = quantity.group in _NAMED
    return quantity.title if is_named else f"{quantity.group.value}: {quantity.title}"


def _notes(comparisons: Sequence[Comparison]) -> Iterator[str]:
    """Why figures differ that should be equal, or are not known."""
    for each in comparisons:
        if each.verdict is Verdict.DIFFERS and not each.estimate and each.note:
            yield f"note: {_title(each.quantity)}: {each.note}"
