"""What is written from the results: README's table, the patterns' measurements, and the library."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from kernel_profiles import ROOT
from kernel_results import code_of, is_under, is_wrong, slower_than

from workbench.core.documents.reading import parse_document, read_document
from workbench.core.documents.toml_text import value_text
from workbench.core.figures import duration, number
from workbench.core.patterns import measured
from workbench.core.patterns.generating import generate
from workbench.core.patterns.model import PatternError
from workbench.core.patterns.origin import origin_of
from workbench.core.patterns.reopening import require_origin, restored, setting_of
from workbench.core.targets.table import load_targets

BEGIN = "<!-- written by benchmarks/kernels.py --render -->"
END = "<!-- end of what benchmarks/kernels.py wrote -->"
README = ROOT / "README.md"
MEASURED = ROOT / "resources" / "patterns" / measured.FILE
_HEAD = "| kernel | shape | time | rate | speed | goal / floor | beside it |"
_VERSIONS = {"tilelang": "TileLang", "torch": "PyTorch", "driver": "driver", "runtime": "CUDA"}


def table(results: Mapping[str, Any]) -> str:
    """The table of all rows in Markdown, with what it was measured on and what bounds some."""
    rows = results["rows"]
    lines = [_HEAD, "|---|---|---|---|---|---|---|", *map(_line, rows)]
    bounded = [_bounded(row) for row in rows if is_under(row, "goal") and not is_wrong(row)]
    if bounded:
        lines += ["", "What bounds those that do not reach their goal, by counters:", "", *bounded]
    return "\n".join([_caption(results), "", *lines])


def _caption(results: Mapping[str, Any]) -> str:
    copy = results["ceilings"]["copy_gb_s"]
    others = [other for row in results["rows"] for other in row["others"]]
    changed = any(map(is_earlier, results["rows"])) or any("of" in other for other in others)
    earlier = " *An earlier form* was measured before its document changed." if changed else ""
    copied = (
        f" A copy reached {copy:,.0f} GB/s in the newest run; rows beside a copy name that of "
        "their own."
        if copy
        else ""
    )
    return (
        f"Measured on an {results['device']} on {results['date']} with {versions_text(results)}: "
        "kernel and baseline in both orders, the L2 overwritten before each launch, random inputs, "
        "medians. *Speed* is the time of what stands beside it over the kernel's own."
        f"{copied}{earlier}"
    )


def versions_text(results: Mapping[str, Any]) -> str:
    """The versions that matter, in a few words."""
    known = results["versions"]
    return ", ".join(f"{title} {known[key]}" for key, title in _VERSIONS.items() if key in known)


def _line(row: Mapping[str, Any]) -> str:
    others = [_beside(each) for each in row["others"] if each["ratio"]]
    earlier = ", an earlier form" if is_earlier(row) else ""
    cells = (
        f"[{row['name']}]({row['file']}){earlier}",
        row["shape"],
        str(duration(row["time_us"] * 1e-6)),
        _rate(row),
        _speed(row),
        _goal(row),
        ", ".join(others),
    )
    return f"| {' | '.join(cells)} |"


def _beside(other: Mapping[str, Any]) -> str:
    """One more baseline; `of` says that it was timed beside another form of the kernel."""
    form = f" beside {other['of']}" if "of" in other else ""
    return f"{_times(other['ratio'])} {other['name']}{form}"


def is_earlier(row: Mapping[str, Any]) -> bool:
    """Whether the pattern or its values have changed since the row's document was measured."""
    made, path = row["pattern"], ROOT / row["file"]
    origin = origin_of(read_document(path)) if made is not None and path.is_file() else None
    if made is None or origin is None:
        return False
    now = {**origin.values, **row["args"]}
    return bool((origin.version, now) != (made["version"], made["values"]))


def _rate(row: Mapping[str, Any]) -> str:
    if row["kind"] != "bandwidth" and row["tflops"]:
        return f"{number(float(row['tflops']))} TFLOP/s"
    return f"{row['gbps']:,.0f} GB/s" if row["gbps"] else ""


def _speed(row: Mapping[str, Any]) -> str:
    if row["ratio"] is None:
        return ""
    ratio = f"{_times(row['ratio'])} {row['baseline']}"
    if is_wrong(row):
        return f"{ratio}, but its result was outside its tolerance"
    if is_under(row, "floor"):
        return f"{ratio}, {_defect(row)}"
    return f"**{ratio}**" if row["goal"] is not None and not is_under(row, "goal") else ratio


def _defect(row: Mapping[str, Any]) -> str:
    """Why a row is under its floor."""
    if row["floor"] is not None and row["ratio"] < row["floor"]:
        return "under its floor"
    wanted = [other for other in row["others"] if other["at_least"] is not None]
    if unknown := [other["name"] for other in wanted if other["ratio"] is None]:
        return f"not measured beside {', '.join(unknown)}"
    return f"slower than {', '.join(slower_than(row))}"


def _times(ratio: float) -> str:
    return f"{ratio:.3f} ×"


def _goal(row: Mapping[str, Any]) -> str:
    if row["goal"] is None:
        return ""
    return f"{row['goal']:.2f} / {row['floor']:.2f}"


def _bounded(row: Mapping[str, Any]) -> str:
    return f"- {row['name']}, {row['shape']}: {row['bound'] or 'its counters were not read'}."


def measured_text(results: Mapping[str, Any]) -> str:
    """The patterns' measurements in TOML: of each row of a document that a pattern generated."""
    head = f"# What was measured of generated kernels on an {results['device']}.\n{_WRITTEN}"
    return "\n".join([head, *_measurements(results)])


_WRITTEN = "# Written by benchmarks/kernels.py --render from benchmarks/results.\n"


def _measurements(results: Mapping[str, Any]) -> Iterator[str]:
    for row in results["rows"]:
        made = row["pattern"]
        if made is None or is_wrong(row):
            continue
        values = ", ".join(f"{name} = {value_text(each)}" for name, each in made["values"].items())
        yield "\n".join(
            [
                "[[measurement]]",
                f"pattern = {value_text(made['id'])}",
                f"version = {made['version']}",
                f"targets = {value_text(made['targets'])}",
                f"values = {{ {values} }}",
                f"text = {value_text(sentence(row, results))}",
                "",
            ]
        )


def sentence(row: Mapping[str, Any], results: Mapping[str, Any]) -> str:
    """What a generated document says of its own performance."""
    rate = _rate(row)
    parts = [f"{duration(row['time_us'] * 1e-6)} on an {results['device']}"]
    parts += [rate] if rate else []
    if row["ratio"] is not None and row["kind"] == "baseline":
        parts.append(f"{row['ratio']:.2f} times as fast as {_plain(row['baseline'])}")
    elif row["ratio"] is not None:
        whole = f"a {row['baseline']}" if row["kind"] == "bandwidth" else row["baseline"]
        parts.append(f"{row['ratio'] * 100:.0f} % of {whole}")
    when = f"measured on {results['date']} with {versions_text(results)}, cold L2, random inputs"
    return f"{', '.join(parts)}; {when}."


def _plain(name: str) -> str:
    return name.replace("`", "").partition(" (")[0]


def write_between(text: str, content: str) -> str:
    """A text with what stands between its markers replaced; raises ValueError without them."""
    before, begin, rest = text.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not begin or not end:
        raise ValueError(f"the text has no markers {BEGIN} and {END}")
    return f"{before}{BEGIN}\n{content}\n{END}{after}"


def render(results: Mapping[str, Any]) -> tuple[list[str], list[str]]:
    """Write README, the measurements, and the library's documents; what was written, and not."""
    written = [_written(MEASURED, measured_text(results))]
    measured.measurements.cache_clear()
    problems: list[str] = []
    written += _regenerated(sorted((ROOT / "kernels").glob("*.py")), problems)
    # The table compares what was measured with the documents as they are now.
    readme = write_between(README.read_text(encoding="utf-8"), table(results))
    written.append(_written(README, readme))
    return [path for path in written if path], problems


def _written(path: Path, text: str) -> str | None:
    """The path where its text was another one."""
    if path.is_file() and path.read_text(encoding="utf-8") == text:
        return None
    path.write_text(text, encoding="utf-8")
    return str(path.relative_to(ROOT))


def _regenerated(paths: Sequence[Path], problems: list[str]) -> Iterator[str | None]:
    """Generate the library's documents anew that nobody edited: each tells its own measurement.

    What the pattern makes another kernel of by now is left as it is, and told.
    """
    targets = load_targets()
    for path in paths:
        document = read_document(path)
        origin = origin_of(document)
        if origin is None or origin.is_edited:
            continue
        name = path.relative_to(ROOT)
        try:
            origin, pattern = require_origin(document)
            made = generate(pattern, restored(pattern, origin), setting_of(origin, targets))
        except PatternError as error:
            problems.append(f"{name}: its pattern does not make it any more: {error}")
            continue
        if code_of(parse_document(made.text)) != code_of(document):
            problems.append(f"{name}: its pattern makes another kernel: generate and measure it")
            continue
        yield _written(path, made.text)
