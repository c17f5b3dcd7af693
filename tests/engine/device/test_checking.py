"""What is told of a launch whose result is wrong, on tensors that lie where torch can have them."""

from __future__ import annotations

import contextlib
import types
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

from workbench.core.jobs import KernelChoice, Source
from workbench.core.plain import from_plain, to_plain
from workbench.core.profiles import DeviceInfo, ProfileRequest, ProfileResult
from workbench.engine.device import checking, job
from workbench.engine.device.placing import Placed
from workbench.engine.simulator import Parameter
from workbench.engine.verify.tensors import Binding, poisoned

ROWS, COLUMNS = 512, 8
REQUEST = ProfileRequest(
    Source("kernel.py", "", "/"), KernelChoice("kernel", "lazy", line=12), {}, "ref_program",
    atol=0.1,
)  # fmt: skip


def ref_program(x: Any) -> Any:
    return x * 2, x + 1


def launched(*changes: tuple[str, tuple[int, int], float]) -> Placed:
    """What a launch of a kernel with two outputs left, with some elements changed by a term."""
    x = torch.arange(ROWS * COLUMNS, dtype=torch.float32).reshape(ROWS, COLUMNS)
    before = (x, poisoned(x.shape, x.dtype), poisoned(x.shape, x.dtype))
    after = {"A": x.clone(), "twice": x * 2, "more": x + 1}
    for name, index, term in changes:
        after[name][index] += term
    parameters = [Parameter(n, "float32", tuple(x.shape), True, n == "A", n != "A") for n in after]
    module = types.SimpleNamespace(ref_program=ref_program)
    bound = Binding(before, (0,), (1, 2), {})
    device: Any = DeviceInfo("NVIDIA H200")
    unused: Any = None
    values = list(after.values())
    return Placed(device, unused, unused, module, parameters, bound, values, unused)  # type: ignore[arg-type]


def test_each_wrong_output_is_told_with_its_largest_error() -> None:
    found = checking.compare(
        launched(("twice", (3, 5), 0.25), ("twice", (7, 1), -2.5), ("more", (0, 0), 0.5)), REQUEST
    )
    assert found.verified is False
    assert [each.message for each in found.diagnostics] == [
        "twice is wrong in 2 of 4,096 elements (seed 0, on NVIDIA H200). The largest error is 25 "
        "times its tolerance, at [7, 1]: got 111.5, expected 114, off by 2.5 where 0.1 is allowed",
        "more is wrong in 1 of 4,096 elements (seed 0, on NVIDIA H200). The largest error is 5 "
        "times its tolerance, at [0, 0]: got 1.5, expected 1, off by 0.5 where 0.1 is allowed",
    ]
    assert all(d.range is not None and d.range.line == 12 for d in found.diagnostics)
    assert all("--three-way" in (each.help or "") for each in found.diagnostics)


def test_the_comparisons_of_all_outputs_are_kept_and_survive_the_wire() -> None:
    found = checking.compare(launched(("twice", (7, 1), -2.5)), REQUEST)
    assert [(each.name, each.mismatched) for each in found.outputs] == [("twice", 1), ("more", 0)]
    assert found.outputs[0].worst[0].index == (7, 1)
    result = ProfileResult(None, verified=False, outputs=found.outputs)
    assert from_plain(ProfileResult, to_plain(result)) == result


def test_a_wrong_output_has_an_error_map() -> None:
    found = checking.compare(launched(("more", (7, 1), -2.5)), REQUEST)
    twice, more = found.outputs
    assert (twice.error_map_blob, more.error_map_blob, len(found.blobs)) == (None, 0, 1)
    assert more.error_map_shape == (256, 8)
    grid = np.frombuffer(found.blobs[0], np.float32).reshape(more.error_map_shape)
    assert grid[3, 1] == pytest.approx(25, rel=1e-4)
    assert np.count_nonzero(grid > 1) == 1


def test_what_kind_of_wrong_it_is_is_told_as_a_verification_does(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = launched()
    kernel.values[1][:] = kernel.bound.values[1]
    (output, _) = checking.compare(kernel, REQUEST).outputs
    assert [each.code for each in output.signatures] == ["never-written"]
    monkeypatch.setattr(checking, "MOST_LOOKED_AT", ROWS)
    (output, _) = checking.compare(kernel, REQUEST).outputs
    assert (output.signatures, output.mismatched) == ((), ROWS * COLUMNS)


def test_a_right_result_has_nothing_to_be_told() -> None:
    found = checking.compare(launched(), REQUEST)
    assert (found.verified, found.diagnostics, found.blobs) == (True, (), ())
    assert [each.max_abs for each in found.outputs] == [0, 0]


def test_a_profile_returns_what_was_compared_beside_its_error_maps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    kernel = replace(launched(("more", (7, 1), -2.5)), built=types.SimpleNamespace(diagnostics=()))
    monkeypatch.setattr(job, "find_device", lambda index: kernel.device)
    monkeypatch.setattr(job, "placed", lambda *_: contextlib.nullcontext(kernel))
    monkeypatch.setattr(checking, "run_once", lambda *_: None)
    monkeypatch.setattr(job._Profile, "_time", lambda *_: None)  # there is nothing to be timed
    result, blobs = job.profile(replace(REQUEST, ceilings_wanted=False), lambda *_: None)
    assert (result.failure, result.verified, len(blobs)) == (None, False, 1)
    assert [each.error_map_blob for each in result.outputs] == [None, 0]
    assert ["at [7, 1]" in each.message for each in result.diagnostics] == [True]
