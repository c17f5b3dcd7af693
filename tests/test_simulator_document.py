"""The calibration table of docs/simulator.md is the one that the measured data gives."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data" / "calibration" / "h200-simulator.json"
DOCUMENT = ROOT / "docs" / "simulator.md"


def table_rows(data: Any) -> Iterator[str]:
    """One line an output: kernel, case, output, how many elements are equal, and the errors."""
    for row in data["rows"]:
        for output in row["outputs"]:
            share = output["equal"] / output["total"]
            equal = "all" if output["equal"] == output["total"] else f"{share:.2%}"
            yield (
                f"| `{row['file']}` | {row['case']} | {row['lowering']} "
                f"| {output['name']} {output['dtype']} | {output['total']:,} | {equal} "
                f"| {output['rel_fro']:.1e} | {output['max_abs']:.2g} |"
            )


def test_the_document_holds_the_measured_table() -> None:
    lines = DOCUMENT.read_text(encoding="utf-8").splitlines()
    first = lines.index(
        "| kernel | case | lowered for | output | elements | equal | rel. error | max. error |"
    )
    rows = list(table_rows(json.loads(DATA.read_text())))
    assert lines[first + 2 : first + 2 + len(rows)] == rows


def test_integer_outputs_are_equal_on_the_device() -> None:
    data = json.loads(DATA.read_text())
    outputs = [o for row in data["rows"] for o in row["outputs"] if o["dtype"].startswith("int")]
    assert len(outputs) >= 3
    assert all(o["equal"] == o["total"] for o in outputs)
