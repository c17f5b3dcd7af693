"""What the rules of split loops say of TileLang is so in the code that it writes for Hopper."""

from __future__ import annotations

import re
from functools import cache
from typing import Any

import pytest
from exported_kernels import item_of, request_of
from split_kernels import GATHER, SPLIT

from workbench.engine import compiling, lowering
from workbench.engine.export.job import parameter_records
from workbench.engine.export.launches import describe_launches

pytestmark = pytest.mark.thorough
# The first turn of a loop that sets a fragment of 64 values to 0.
ZEROS = r"\*\(float4\*\)\({name} \+ .*make_float4"
OUTER = r"for \(int t = 0; t < 2"
CONDITION = r"if \(\(\(int\)blockIdx.y\) < 3\)"


@cache
def lowered(text: str) -> tuple[Any, Any]:
    item = item_of(text, "h200")
    built = compiling.build(request_of(item), item.target)
    return built, lowering.lower_modules(built, lowering.tvm_target(item.target))


def first_of(text: str, *patterns: str) -> list[int]:
    """The patterns by where they come first in the kernel behind its registers."""
    source = lowered(text)[1].kernel_source
    source = source[source.index("float c[64];") :]
    found = [re.search(pattern, source) for pattern in patterns]
    assert None not in found, source
    starts = [match.start() for match in found if match is not None]
    return sorted(range(len(starts)), key=lambda n: starts[n])


@pytest.mark.parametrize(
    ("name", "here", "there"),
    [
        ("variable set before the swizzle", "first = 0;", r"first = \(\(\(int\)blockIdx"),
        ("fragment cleared before the swizzle", ZEROS.format(name="c"), r"\(S \+ "),
        ("sum over an outer loop", ZEROS.format(name="sums"), OUTER),
        ("product over an outer loop", ZEROS.format(name="c"), OUTER),
        ("loop under a condition", ZEROS.format(name="c"), CONDITION),
    ],
)
def test_what_comes_first_comes_behind(name: str, here: str, there: str) -> None:
    wrong, right = SPLIT[name]
    assert first_of(wrong, there, here) == [0, 1]
    if name != "loop under a condition":  # there the right form has none
        assert first_of(right, here, there) == [0, 1]


def test_added_threads_store_by_their_own_index() -> None:
    wrong, right = SPLIT["shared store by thread"]
    guarded = wrong.replace("s[tx] =", "if tx < 128:\n                s[tx] =")
    for text, kept_out in ((wrong, False), (guarded, False), (right, True)):
        source = lowered(text)[1].kernel_source
        assert "__launch_bounds__(256, 1)" in source  # the kernel asks for 128
        before, store, _ = source.partition("((float*)s)[((int)threadIdx.x)] =")
        assert store
        assert before.rstrip().endswith("(((int)threadIdx.x) < 128) {") is kept_out


@pytest.mark.parametrize(("pad", "wanted"), [(0, -2), (1, -1), (2, 0)])
def test_the_corner_of_a_gather_is_the_padding_alone(pad: int, wanted: int) -> None:
    built, artifact = lowered(GATHER.format(pad=pad, rows=64))
    names = tuple(each.name for each in parameter_records(built))
    image = describe_launches(artifact, names).tensor_maps[0]
    assert image.upper_corner == (-pad, -pad)
    # What cuTensorMapEncodeIm2col wants for 3 taps: they agree where the size is kept.
    assert (image.upper_corner == (wanted, wanted)) is (pad == 1)
