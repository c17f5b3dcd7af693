"""Results lie as near to float64's as those of torch's own operation in the same precision."""

from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F  # noqa: N812 - its usual name
from small_kernels import built, small_kernels

from workbench.engine.simulator import new_array, translate

_SLACK = 1.05  # the order of a sum differs, and with it single roundings


def error(got, exact):
    """Return the norm of the difference over the norm, and the largest difference."""
    difference = got.double() - exact
    return float(difference.norm() / exact.norm()), float(difference.abs().max())


def simulated(name, args, inputs, tmp_path):
    small = replace(next(each for each in small_kernels() if each.name == name), args=args)
    program = translate(built(small, small.text, tmp_path)[0])
    values = [each.numpy() for each in inputs]
    last = program.parameters[-1]
    values.append(new_array(tuple(map(int, last.shape)), last.dtype, True))
    program.run(values)
    return torch.from_numpy(values[-1])


def drawn(*shape, scale=1.0, dtype=torch.float32):
    generator = torch.Generator().manual_seed(5)
    return (torch.randn(shape, generator=generator) * scale).to(dtype)


@pytest.mark.parametrize("scale", [0.1, 1.0, 8.0])
def test_softmax_of_float16(tmp_path, scale):
    x = drawn(16, 8192, scale=scale, dtype=torch.float16)
    args = {"M": 16, "N": 8192, "block_N": 2048}
    got = error(simulated("kernels/softmax.py", args, [x], tmp_path), x.double().softmax(-1))
    own = error(x.softmax(-1), x.double().softmax(-1))
    assert got[0] <= _SLACK * own[0]
    assert got[1] <= _SLACK * own[1]


@pytest.mark.parametrize("mean", [0.0, 3.0])
def test_layer_norm_of_float32(tmp_path, mean):
    x, weight, bias = drawn(8, 2048) + mean, drawn(2048), drawn(2048) * 0.1
    exact = F.layer_norm(x.double(), (2048,), weight.double(), bias.double(), 1e-5)
    got = error(simulated("layernorm_f32", {}, [x, weight, bias], tmp_path), exact)
    own = error(F.layer_norm(x, (2048,), weight, bias, 1e-5), exact)
    assert got[0] <= _SLACK * own[0]
    assert got[1] <= _SLACK * own[1]


def test_rms_norm_of_float16(tmp_path):
    x, weight = drawn(8, 4096, dtype=torch.float16), drawn(4096, dtype=torch.float16)
    exact = F.rms_norm(x.double(), (4096,), weight.double(), 1e-6)
    got = simulated("kernels/rms_norm.py", {"M": 8, "N": 4096}, [x, weight], tmp_path)
    own = F.rms_norm(x, (4096,), weight, 1e-6)
    assert error(got, exact)[0] <= _SLACK * error(own, exact)[0]


def test_sums_of_float32_rows(tmp_path):
    """A row is summed by BLAS: not worse than torch's own sum, far from one after the other's."""
    x = drawn(16, 2048, dtype=torch.float16).abs()
    small = next(each for each in small_kernels() if each.name == "row_reductions")
    program = translate(built(small, small.text, tmp_path)[0])
    values = [x.numpy(), *(new_array((16,), "float32", True) for _ in range(2))]
    program.run(values)
    exact = x.double().sum(1)
    unit = torch.finfo(torch.float32).eps / 2
    relative = (torch.from_numpy(values[1]).double() - exact).abs() / exact
    assert float(relative.max()) < 16 * unit
