"""The kernels that calibrate the analyses, right on a GPU, are right to the checks too."""

import importlib.util
from pathlib import Path

import pytest
import tomllib

from workbench.engine.simulator import SimulationOptions
from workbench.engine.verify import tensors
from workbench.engine.verify.runners import as_numpy

_FOLDER = Path(__file__).parents[4] / "shared" / "oracle" / "kernels"
_FILES = sorted(_FOLDER.glob("[ch][0-9]*.py"))

if not _FILES:
    pytest.skip("the calibration kernels are not beside the repository", allow_module_level=True)


@pytest.mark.slow
def test_nothing_is_said_against_them(build):
    told = {path.name: _findings(build, path) for path in _FILES}
    assert {name: found for name, found in told.items() if found} == {}


def _findings(build, path):
    block = path.read_text().split("# /// workbench\n", 1)[1].split("# ///\n", 1)[0]
    header = tomllib.loads("\n".join(line[2:] for line in block.splitlines()))
    spec = importlib.util.spec_from_file_location("calibration_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    args, kernel = header["case"][0]["args"], getattr(module, header["kernel"])
    program = build(kernel, lowering={"kind": "cuda", "arch": "sm_90a"}, checks=True, **args)
    bound = tensors.bind(program.parameters, None, module, args, {}, 0)
    fresh = tuple(at for at in bound.outputs if at not in bound.inputs)
    report = program.run([as_numpy(v) for v in bound.values], SimulationOptions(fresh=fresh))
    return [(each.code, each.line) for each in report.findings if each.severity != "info"]
