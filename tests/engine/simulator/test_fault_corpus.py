"""Every fault that shows in a simulation is found at its line; its mended twin is clean."""

import importlib.util
from pathlib import Path

import pytest
import tomllib

from workbench.engine.simulator import SimulationOptions
from workbench.engine.verify import tensors
from workbench.engine.verify.runners import as_numpy

_CORPUS = Path(__file__).parents[4] / "shared" / "faults"
_TARGETS = {"cpu": {"kind": "c"}, "gfx942": {"kind": "hip", "mcpu": "gfx942"}}
# Wrong arithmetic: no access is at fault, so that only the comparison with the reference shows it.
_BY_COMPARISON = ("reference-mismatch", "online-softmax", "wrong-transpose")

if not (_CORPUS / "expect.toml").is_file():
    pytest.skip("the fault corpus is not beside the repository", allow_module_level=True)


def expected():
    """Return file, code and line of the faults whose finding is the simulator's."""
    faults = tomllib.loads((_CORPUS / "expect.toml").read_text())["fault"]
    return [
        (fault["file"], fault["code"], fault["line"])
        for fault in faults
        if fault["stage"] == "simulate" and fault["code"] not in _BY_COMPARISON
    ]


# Faults that earlier steps show too.
_ALSO = [
    ("13-gemm-no-clear.py", "gemm-uninitialized-accumulator", 30),
    ("15-running-max-not-filled.py", "uninitialized-read", 24),
    ("17-float16-accumulator.py", "low-precision-accumulator", 26),
    ("19-stencil-halo-read.py", "out-of-bounds-read", 21),
    ("25-floor-division-grid.py", "output-not-covered", 23),
    ("26-no-write-back.py", "output-not-covered", 21),
]
_FAULTS = expected() + _ALSO
_CLEAN = sorted(
    path.name for form in ("*.fixed.py", "*-healthy-*.py") for path in _CORPUS.glob(form)
)


@pytest.fixture(scope="module")
def findings(build):
    """Return a function that runs a file of the corpus with all checks and gives its findings."""

    def run(name):
        text = (_CORPUS / name).read_text()
        block = text.split("# /// workbench\n", 1)[1].split("# ///\n", 1)[0]
        header = tomllib.loads("\n".join(line[2:] for line in block.splitlines()))
        spec = importlib.util.spec_from_file_location("corpus_kernel", _CORPUS / name)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        case, kernel = header["case"][0], getattr(module, header["kernel"])
        target = case["targets"][0]
        lowering = _TARGETS.get(target, {"kind": "cuda", "arch": target})
        program = build(kernel, lowering=lowering, checks=True, **case["args"])
        found = kernel.out_idx
        declared = None if found is None else tuple(at % len(program.parameters) for at in found)
        bound = tensors.bind(program.parameters, declared, module, case["args"], {}, 0)
        fresh = tuple(at for at in bound.outputs if at not in bound.inputs)
        report = program.run([as_numpy(v) for v in bound.values], SimulationOptions(fresh=fresh))
        return [each for each in report.findings if each.severity != "info"]

    return run


@pytest.mark.parametrize(("name", "code", "line"), _FAULTS, ids=[each[0] for each in _FAULTS])
def test_a_fault_is_found_at_its_line(findings, name, code, line):
    assert [each.code for each in findings(name) if abs((each.line or 0) - line) <= 1] == [code]


@pytest.mark.parametrize("name", _CLEAN)
def test_a_mended_or_healthy_kernel_is_clean(findings, name):
    assert findings(name) == []
