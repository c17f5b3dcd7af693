"""The order of 4-bit weights that the library's kernels take: packed and unpacked again."""

from __future__ import annotations

import importlib.util
from types import ModuleType

import pytest
import torch

from workbench.core.data_files import find_data


def document(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, find_data("kernels") / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["int4_gemv", "int4_gemm"])
def test_packed_weights_are_found_again(name: str) -> None:
    module = document(name)
    values = torch.randint(0, 16, (48, 384), generator=torch.Generator().manual_seed(1))
    packed = module.pack(values)
    assert packed.shape == (3, 3, 256)
    assert torch.equal(module.unpack(packed).long(), values)


def test_a_thread_s_first_word_has_neighbours_in_its_halves() -> None:
    values = torch.zeros(16, 128, dtype=torch.int32)
    values[0, :8] = torch.arange(1, 9)
    word = int(document("int4_gemv").pack(values)[0, 0, 0]) & 0xFFFFFFFF
    assert word == 0x86427531
