"""Results of the kernels' benchmark: a JSON row of each profile, and what its ratio says."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from kernel_profiles import ROOT, Profiled
from kernel_rows import Kind, Row

from workbench.core.documents.model import Document
from workbench.core.documents.reading import parse_document, read_document
from workbench.core.patterns.generating import generate
from workbench.core.patterns.model import PatternError
from workbench.core.patterns.origin import Origin, origin_of
from workbench.core.patterns.reopening import setting_of
from workbench.core.patterns.table import pattern_named
from workbench.core.targets.table import load_targets

Plain = dict[str, Any]
#: How far two ratios of the same kernels differ from one measurement to the next: what is as fast
#: as a further baseline is not told to be slower.
NOISE = 0.005


@dataclass(frozen=True)
class Against:
    """What a ratio is over, and its time in µs; None is unknown."""

    name: str
    time_us: float | None
    ratio: float | None


def row_of(row: Row, profiled: Profiled) -> Plain:
    """The row for a profile beside the case's own baseline.

    `ratio` is `baseline_us` over `time_us` (the medians of both orders). Where it is not over the
    document's baseline, that one is the first of `others`.
    """
    plain, against = profiled.plain, _against(row, profiled.plain)
    own = _own(row, plain)
    others = [] if row.kind is Kind.BASELINE or own.ratio is None else [_other(own, None)]
    return {
        "name": row.name,
        "shape": row.shape,
        "time_us": plain["latency"]["median_us"],
        "baseline": against.name,
        "baseline_us": against.time_us,
        "ratio": against.ratio,
        "goal": row.goal,
        "floor": row.floor,
        "kind": row.kind.value,
        "file": row.file,
        "case": row.case,
        "args": dict(row.args),
        "target": plain["target"],
        "tflops": plain["tflops"],
        "gbps": plain["gb_s"],
        "verified": plain["verified"],
        "others": others,
        "bound": None,
        "pattern": _pattern_of(row, plain),
        "missing": {n: t for n, t in plain["missing"].items() if n in ("baseline", "ceilings")},
        "measured": datetime.now(timezone.utc).isoformat(timespec="seconds"),
    }


def _own(row: Row, plain: Mapping[str, Any]) -> Against:
    """The document's baseline."""
    found = plain["baseline"]
    if found is None:
        return Against(row.baseline, None, None)
    name = f"{row.baseline} (`{found['name']}`)" if row.baseline else found["name"]
    return Against(name, found["median_us"], found["ratio"])


def _against(row: Row, plain: Mapping[str, Any]) -> Against:
    time_us = plain["latency"]["median_us"]
    if row.kind is Kind.BASELINE:
        return _own(row, plain)
    if row.kind is Kind.RATE:
        assert row.ceiling is not None
        name = row.ceiling_name or f"{row.ceiling:,g} TFLOP/s"
        return _at_rate(name, plain["flops"], row.ceiling * 1e6, time_us)
    copy = (plain["ceilings"] or {}).get("copy_gb_s")
    name = f"copy at {copy:,.0f} GB/s" if copy else "copy bandwidth"
    return _at_rate(name, plain["bytes_moved"], copy * 1e3 if copy else None, time_us)


def _at_rate(name: str, amount: float | None, per_us: float | None, time_us: float) -> Against:
    if not amount or not per_us:
        return Against(name, None, None)
    return Against(name, amount / per_us, amount / per_us / time_us)


def _other(against: Against, at_least: float | None) -> Plain:
    return {
        "name": against.name,
        "time_us": against.time_us,
        "ratio": against.ratio,
        "at_least": at_least,
    }


def other_of(profiled: Profiled) -> Plain:
    """One more baseline; `missing` says why it has no time."""
    further = profiled.task.further
    assert further is not None
    found = profiled.plain.get("baseline")
    if profiled.problem is None and found is not None:
        against = Against(further.name, found["median_us"], found["ratio"])
        return _other(against, further.at_least)
    why = profiled.problem or profiled.plain["missing"].get("baseline", "it was not timed")
    return {**_other(Against(further.name, None, None), further.at_least), "missing": why}


def bound_of(profiled: Profiled) -> str | None:
    """What bounds a row by its counters; None where they were not read."""
    found: str | None = profiled.plain.get("bound")
    return found


def _pattern_of(row: Row, plain: Mapping[str, Any]) -> Plain | None:
    """Of which pattern and values this is a measurement; None of what was edited.

    A generated document's last case has the sizes that it was generated for. With other arguments
    it is a measurement of other values, if what is generated of these is the same kernel.
    """
    document = read_document(ROOT / row.file)
    origin = origin_of(document)
    cases = document.metadata.cases if document.metadata else ()
    if origin is None or origin.is_edited or not cases or cases[-1].name != row.case:
        return None
    values = {**origin.values, **row.args}
    if row.args and not _is_generated(row, document, origin, values):
        return None
    made = {"id": origin.pattern, "version": origin.version}
    return {**made, "targets": [plain["target"]], "values": values}


def _is_generated(row: Row, document: Document, origin: Origin, values: Plain) -> bool:
    """Whether a pattern makes the kernel of other values too that a row's arguments make of it."""
    try:
        made = generate(pattern_named(origin.pattern), values, setting_of(origin, load_targets()))
    except PatternError:
        return False
    return code_of(parse_document(made.text)) == code_of(document, row.args)


def code_of(document: Document, given: Mapping[str, Any] | None = None) -> str:
    """What runs: everything behind the block and the docstring, with other defaults if `given`."""
    tree = ast.parse(document.text)
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    for arguments in (function.args for function in functions):
        named = arguments.args[len(arguments.args) - len(arguments.defaults) :]
        for at, argument in enumerate(named):
            if argument.arg in (given or {}):
                arguments.defaults[at] = ast.Constant((given or {})[argument.arg])
    return ast.unparse(ast.Module(tree.body[1:], []))


def is_under(row: Mapping[str, Any], key: str) -> bool:
    """Whether a row does not reach its `goal` or `floor`, or one more baseline that it has to."""
    wanted, ratio = row[key], row["ratio"]
    if wanted is not None and (ratio is None or ratio < wanted):
        return True
    return bool(slower_than(row))


def slower_than(row: Mapping[str, Any]) -> list[str]:
    """The further baselines that a row has to reach and does not."""
    wanted = (other for other in row["others"] if other["at_least"] is not None)
    return [other["name"] for other in wanted if _is_slower(other)]


def _is_slower(other: Mapping[str, Any]) -> bool:
    ratio = other["ratio"]
    return ratio is None or bool(ratio < other["at_least"] - NOISE)


def is_wrong(row: Mapping[str, Any]) -> bool:
    """Whether the kernel's result did not match its reference when it was timed."""
    return row["verified"] is False


def results_of(rows: Sequence[Plain], profiled: Mapping[str, Any]) -> Plain:
    """All results of one device, in the form of the file; `profiled` is one of the profiles."""
    ceilings = profiled["ceilings"] or {}
    return {
        "device": profiled["device"],
        "date": max(row["measured"] for row in rows)[:10],
        "versions": dict(profiled["versions"]),
        "method": "profile: kernel and baseline in both orders, cold L2, random inputs, medians",
        "ceilings": {
            "copy_gb_s": ceilings.get("copy_gb_s"),
            "matmul_tflops": ceilings.get("matmul_tflops", {}),
        },
        "rows": list(rows),
    }


def load(path: Path) -> Plain | None:
    """Results that were kept; None where there are none."""
    if not path.is_file():
        return None
    found: Plain = json.loads(path.read_text(encoding="utf-8"))
    return found


def merged(old: Plain | None, new: Plain, order: Sequence[Row]) -> Plain:
    """New rows among those kept of the same device and versions; others are dropped."""
    if old is None or any(old.get(key) != new[key] for key in ("device", "versions")):
        return new
    rows = {(row["name"], row["shape"]): row for row in (*old["rows"], *new["rows"])}
    known = [rows[key] for key in ((row.name, row.shape) for row in order) if key in rows]
    return {**new, "date": max(row["measured"] for row in known)[:10], "rows": known}


def save(results: Plain, path: Path) -> None:
    """Write results as one row a few lines, so that a difference shows what changed."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(results, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
