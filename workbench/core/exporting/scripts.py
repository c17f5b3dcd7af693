"""The Python files of an export: the script that launches, and the test for pytest."""

from __future__ import annotations

from typing import Any

from workbench.core.data_files import find_data
from workbench.core.exporting.facts import CaseRecord, ExportFacts
from workbench.core.exporting.literals import literal


def launch_example() -> str:
    """The script that launches what launch.json describes; it is the same for every kernel."""
    return _joined(_part("launch_head"), _part("launch_tail"))


def pytest_file(facts: ExportFacts) -> str:
    """The pytest file of a kernel with the cases of its document."""
    parameters = facts.result.parameters
    dtypes = {p.dtype: p.torch_dtype for p in parameters if p.torch_dtype not in (None, p.dtype)}
    head = _part("pytest_head").format(
        kernel=facts.kernel,
        document=facts.document_file,
        file=facts.test_file,
        place="CPU" if facts.on_cpu else "GPU",
        reference=literal(facts.reference),
        on_cpu=facts.on_cpu,
        outputs=literal(facts.result.outputs),
        reads=literal(tuple(p.reads for p in parameters)),
        writes=literal(tuple(p.writes for p in parameters)),
        torch_dtypes=literal(dtypes),
        cases=literal([_case(each) for each in facts.cases], rows=True),
    )
    return _joined(head, _part("pytest_tail").replace("{identifier}", facts.identifier))


def _case(case: CaseRecord) -> dict[str, Any]:
    chosen = case.selection.case
    return {
        "name": chosen.name,
        "args": case.selection.args,
        "dims": chosen.dims,
        "seed": chosen.seed,
        "rtol": chosen.rtol,
        "atol": chosen.atol,
        "vendors": list(case.vendors),
    }


def _joined(head: str, tail: str) -> str:
    return "\n\n".join(
        part.rstrip() + "\n" for part in (head, _part("inputs"), _part("comparing"), tail)
    )


def _part(name: str) -> str:
    """A part of a script, which lies among the resources because it is not ours to run."""
    path = find_data("resources") / "export" / f"{name}.py.txt"
    return path.read_text(encoding="utf-8")
