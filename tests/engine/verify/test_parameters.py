"""What a kernel does with its parameters, read without a program of the simulator."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.documents.reading import read_document
from workbench.core.documents.selection import select
from workbench.core.jobs import KernelChoice, Source
from workbench.core.targets.table import load_targets
from workbench.engine import kernels, loading, lowering, simulator
from workbench.engine.verify.parameters import parameters_of

ROOT = Path(__file__).resolve().parents[3]
DOCUMENTS = [
    *sorted((ROOT / "kernels").glob("*.py")),
    # Beside so many shipped kernels these show little that is new.
    *(
        pytest.param(path, marks=pytest.mark.thorough)
        for path in sorted(ROOT.glob("tests/data/counters/kernels/*.py"))
    ),
]


def built(path: Path) -> kernels.BuiltKernel:
    document = read_document(path)
    first = select(document, None, None)[0]
    target = lowering.tvm_target(load_targets().resolve(first.case.targets[0]))
    source = Source(str(path), document.text, str(path.parent), trusted=True)
    choice = KernelChoice(first.kernel.name, first.kernel.style.value, first.args)
    with target, loading.loaded(source) as module:
        return kernels.build(module, choice, target)


@pytest.mark.parametrize("path", DOCUMENTS, ids=lambda path: path.stem)
def test_parameters_are_those_of_the_simulators_program(path: Path) -> None:
    func = built(path).func
    assert parameters_of(func) == simulator.translate(func).parameters
