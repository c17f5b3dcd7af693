"""Healthy kernels of the fault corpus give their reference's result and no error finding."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest
import tomllib
import torch

_CORPUS = Path(__file__).parents[4] / "shared" / "faults"
_FILES = sorted([*_CORPUS.glob("*-healthy-*.py"), *_CORPUS.glob("*.fixed.py")])
_TARGETS = {"cpu": {"kind": "c"}, "gfx942": {"kind": "hip", "mcpu": "gfx942"}}

if not _FILES:
    pytest.skip("the fault corpus is not beside the repository", allow_module_level=True)


def metadata(text):
    block = text.split("# /// workbench\n", 1)[1].split("# ///\n", 1)[0]
    return tomllib.loads("\n".join(line[2:] for line in block.splitlines()))


def load(path):
    spec = importlib.util.spec_from_file_location("corpus_kernel", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def draw(parameter, dims, generator):
    shape = tuple(size if isinstance(size, int) else dims[size] for size in parameter.shape)
    if "int" in parameter.dtype:
        drawn = torch.randint(-8, 8, shape, generator=generator)
        return drawn.to(getattr(torch, parameter.dtype))
    name = "float8_e4m3fn" if parameter.dtype == "float8_e4m3" else parameter.dtype
    return torch.randn(shape, generator=generator).to(getattr(torch, name))


def inputs_of(module, program, case, outputs):
    if hasattr(module, "make_inputs"):
        return list(module.make_inputs(**case["args"]))
    generator = torch.Generator().manual_seed(case.get("seed", 0))
    wanted = [each for at, each in enumerate(program.parameters) if at not in outputs]
    return [draw(each, case.get("dims", {}), generator) for each in wanted]


def output_positions(kernel, module, program):
    positions = getattr(kernel, "out_idx", None)
    count = len(program.parameters)
    if positions is not None:
        listed = positions if isinstance(positions, (list, tuple)) else [positions]
        return [position % count for position in listed]
    if hasattr(module, "make_inputs"):
        return []
    return [at for at, each in enumerate(program.parameters) if each.writes and not each.reads]


@pytest.mark.parametrize("path", _FILES, ids=lambda path: path.name)
def test_result_matches_the_reference(build, simulate, path):
    header = metadata(path.read_text())
    case, module = header["case"][0], load(path)
    kernel, target = getattr(module, header["kernel"]), case["targets"][0]
    arch = target if target.startswith("sm_") else "sm_90a"
    lowering = _TARGETS.get(target, {"kind": "cuda", "arch": arch})
    program = build(kernel, lowering=lowering, **case["args"])
    outputs = output_positions(kernel, module, program)
    inputs = inputs_of(module, program, case, outputs)
    rest = iter(inputs)
    arguments = [
        torch.zeros(each.shape, dtype=getattr(torch, each.dtype)) if at in outputs else next(rest)
        for at, each in enumerate(program.parameters)
    ]
    outcome = simulate(program, *arguments)
    expected = module.ref_program(*[value.clone() for value in inputs])
    expected = expected if isinstance(expected, tuple) else (expected,)
    for position, reference in zip(outputs or [len(arguments) - 1], expected, strict=True):
        np.testing.assert_allclose(
            outcome.tensors[position].double(),
            reference.double(),
            rtol=case.get("rtol", 1e-2),
            atol=case.get("atol", 1e-2),
        )
    assert [each for each in outcome.report.findings if each.severity == "error"] == []
