"""Kernels whose results a GPU confirmed pass with all checks, and nothing is said against them."""

import pytest
from small_kernels import small_kernels, verified

from workbench.core.diagnostics import Severity


@pytest.mark.thorough
def test_right_kernels_pass_without_a_finding(tmp_path):
    told, wrong = {}, []
    for small in small_kernels():
        result = verified(small, small.text, tmp_path)
        found = [d for d in result.diagnostics if d.severity is not Severity.INFO]
        if found or result.failure:
            told[small.name] = found or result.failure
        wrong += [small.name for each in result.seeds if not each.passed]
    assert (told, wrong) == ({}, [])
