"""What the simulator notices comes with a verification, with the evidence in JSON's types."""

import json

import pytest

from workbench.core.diagnostics import Severity
from workbench.core.jobs import KernelChoice, Source, VerifyRequest
from workbench.core.mismatches import error_sentence as said
from workbench.core.targets.table import load_targets
from workbench.engine.verify.job import verify

KERNEL = """
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[1])
def kernel(N=64, value=0.0):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(N // 48, threads=32) as bx:
            for i in T.Parallel(48):
                B[bx * 48 + i] = T.log(A[bx * 48 + i] * value)

    return main


def ref_program(A):
    return torch.log(A * 0.0)
"""


TWO_OUTPUTS = """
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1, 2])
def kernel(N=64):
    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "int32")
    ):
        with T.Kernel(1, threads=32) as bx:
            for i in T.Parallel(N):
                B[i] = A[i] + 1
                C[i] = i * 2

    return main


def ref_program(A):
    import torch
    return A, torch.arange(64)
"""


@pytest.fixture
def findings(tmp_path):
    def run(text=KERNEL, seeds=(0,), **options):
        path = tmp_path / "kernel.py"
        path.write_text(text)
        source = Source(str(path), text, str(tmp_path), trusted=True)
        target = load_targets().resolve("h100").to_json()
        choice = KernelChoice("kernel", "lazy", {})
        request = VerifyRequest(source, choice, target, "ref_program", seeds=seeds, **options)
        result, _ = verify(request, lambda *_: None)
        return {each.code: each for each in result.diagnostics}, result

    return run


def test_a_finding_has_its_place_and_evidence(findings):
    found = findings()[0]["output-not-covered"]
    assert found.severity is Severity.ERROR
    assert found.range.line == 11
    assert json.loads(json.dumps(found.evidence))["index"] == [48]


def test_seeds_tell_a_finding_once(findings):
    _, result = findings(seeds=(0, 1, 2))
    assert [each.code for each in result.diagnostics].count("nan-source") == 1


def test_infinity_that_the_reference_has_too_is_no_fault(findings):
    found, result = findings(KERNEL.replace("N=64", "N=96"))
    assert result.seeds[0].passed
    assert found["nan-source"].severity is Severity.INFO


def test_without_checks_only_the_result_is_looked_at(findings):
    assert "output-not-covered" not in findings(checks=False)[0]


def test_each_wrong_output_is_told_with_its_largest_error(findings):
    _, result = findings(TWO_OUTPUTS)
    first, second = (d.message for d in result.diagnostics if d.code == "reference-mismatch")
    outputs = result.seeds[0].outputs
    assert first == f"B is wrong in all 64 elements (seed 0, on the simulator). {said(outputs[0])}"
    assert second == (
        "C is wrong in 63 of 64 elements (seed 0, on the simulator). The largest error is at [63]: "
        "got 126, expected 63, off by 63 where nothing is allowed"
    )
