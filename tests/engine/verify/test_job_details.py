"""A verify job that is asked for what the picture of an output needs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from workbench.core.data_files import find_data
from workbench.core.jobs import KernelChoice, OutputBlocks, Source, VerifyRequest, VerifyResult
from workbench.core.plain import from_plain, to_plain
from workbench.core.targets.table import load_targets
from workbench.engine.verify.job import verify

GEMM = find_data("kernels") / "gemm.py"
SIZES = {"M": 100, "N": 96, "K": 64, "block_M": 64, "block_N": 32, "block_K": 32}


def run(text: str, **options: Any) -> tuple[VerifyResult, list[bytes]]:
    request = VerifyRequest(
        source=Source(str(GEMM), text, str(GEMM.parent), trusted=True),
        kernel=KernelChoice("matmul", "lazy", SIZES),
        target=load_targets().resolve("a100").to_json(),
        reference="ref_program",
        **options,
    )
    return verify(request, lambda text, fraction: None)


@pytest.fixture(scope="module")
def passing() -> tuple[VerifyResult, list[bytes]]:
    return run(GEMM.read_text(), details=True, seeds=(0, 1))


@pytest.fixture(scope="module")
def failing() -> tuple[VerifyResult, list[bytes]]:
    text = Path(GEMM).read_text()
    assert text.count("T.clear(C_local)") == 1
    return run(text.replace("T.clear(C_local)", "T.fill(C_local, bx)"), details=True)


def test_the_output_knows_its_blocks(passing: tuple[VerifyResult, list[bytes]]) -> None:
    result, blobs = passing
    assert result.failure is None, result.failure
    (output,) = result.seeds[0].outputs
    assert output.blocks == OutputBlocks((3, 2), (64, 32), (1, 0))
    assert output.owners_blob is not None
    owners = np.frombuffer(blobs[output.owners_blob], np.int32)
    assert owners.tolist() == [0, 1, 2, 3, 4, 5]


def test_values_come_once_for_seeds_that_pass(passing: tuple[VerifyResult, list[bytes]]) -> None:
    result, blobs = passing
    first, second = (seed.outputs[0] for seed in result.seeds)
    assert first.got_blob is not None
    assert first.expected_blob is not None
    got = np.frombuffer(blobs[first.got_blob], np.float32)
    expected = np.frombuffer(blobs[first.expected_blob], np.float32)
    assert got.shape == (100 * 96,)
    assert np.allclose(got, expected, atol=0.1)
    assert not np.array_equal(got, expected)
    assert second.got_blob is None
    assert second.blocks == first.blocks


def test_wrong_bits_agree_with_the_count(failing: tuple[VerifyResult, list[bytes]]) -> None:
    result, blobs = failing
    (output,) = result.seeds[0].outputs
    assert output.wrong_blob is not None
    bits = np.unpackbits(np.frombuffer(blobs[output.wrong_blob], np.uint8), count=output.total)
    assert bits.sum() == output.mismatched > 0
    wrong = bits.reshape(100, 96)
    assert wrong[:, :32].sum() == 0
    assert wrong[:, 32:].all()


def test_details_survive_the_wire(failing: tuple[VerifyResult, list[bytes]]) -> None:
    assert from_plain(VerifyResult, to_plain(failing[0])) == failing[0]


def test_nothing_of_it_comes_unasked() -> None:
    result, blobs = run(GEMM.read_text())
    assert result.failure is None, result.failure
    (output,) = result.seeds[0].outputs
    assert blobs == []
    assert (output.owners_blob, output.got_blob, output.wrong_blob) == (None, None, None)
