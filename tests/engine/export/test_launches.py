"""Launches as they are read off what TileLang really lowers."""

from __future__ import annotations

from typing import Any

import pytest
from exported_kernels import (
    CLUSTERS,
    CONVOLUTION,
    COOPERATIVE,
    DEPENDENT,
    DYNAMIC,
    SCALARS,
    SHIPPED,
    TWICE,
    item_of,
    request_of,
)

from workbench.core.exporting.model import Dimension, L2Window, LaunchArgument, LaunchDescription
from workbench.engine import compiling, lowering
from workbench.engine.export.expressions import UndescribedError
from workbench.engine.export.job import parameter_records
from workbench.engine.export.launches import describe_launches
from workbench.session.requests import Item

GEMM = SHIPPED / "gemm.py"


def lowered(item: Item) -> tuple[tuple[str, ...], Any]:
    built = compiling.build(request_of(item), item.target)
    names = tuple(each.name for each in parameter_records(built))
    return names, lowering.lower_modules(built, lowering.tvm_target(item.target))


def described(item: Item) -> LaunchDescription:
    names, artifact = lowered(item)
    return describe_launches(artifact, names)


def test_a_launch_without_tensor_maps_passes_the_tensors() -> None:
    found = described(item_of(GEMM, "sm_80"))
    (launch,) = found.launches
    assert (launch.entry, launch.grid, launch.block) == ("main_kernel", (8, 8, 1), (128, 1, 1))
    # Three stages of a tile of A and one of B, both 128 by 32 half-precision numbers.
    assert launch.shared_dynamic_bytes == 3 * 2 * 128 * 32 * 2
    assert [(a.kind, a.parameter) for a in launch.arguments] == [
        ("pointer", "A"),
        ("pointer", "B"),
        ("pointer", "C"),
    ]
    assert not found.tensor_maps
    assert launch.cluster is None


def test_tensor_maps_are_those_that_the_host_encodes() -> None:
    names, artifact = lowered(item_of(GEMM, "h200"))
    found = describe_launches(artifact, names)
    a, b = found.tensor_maps
    assert (a.parameter, a.data_type, a.rank, a.box) == ("A", 6, 2, (32, 128))
    assert (b.parameter, b.global_dims, b.global_strides) == ("B", (1024, 1024), (2048,))
    for each in (a, b):
        # The host's own text of the same call: the strides begin with an element's bytes.
        numbers = (
            each.data_type,
            each.rank,
            each.parameter,
            *each.global_dims,
            2,
            *each.global_strides,
            *(each.box or ()),
            *each.element_strides,
            each.interleave,
            each.swizzle,
            each.l2_promotion,
            each.oob_fill,
        )
        call = f'"__tvm_tensormap_create_tiled", {each.name}, {", ".join(map(str, numbers))})'
        assert call in artifact.host_mod.script()
    (launch,) = found.launches
    kinds = [(each.kind, each.tensor_map or each.parameter) for each in launch.arguments]
    assert kinds == [("tensor_map", "A_desc"), ("tensor_map", "B_desc"), ("pointer", "C")]
    assert f"{launch.entry}(__grid_constant__ const CUtensorMap A_desc" in artifact.kernel_source


def test_an_im2col_map_has_its_corners_and_pixels() -> None:
    found = described(item_of(CONVOLUTION, "h200"))
    image, weights = found.tensor_maps
    assert (image.mode, weights.mode) == ("im2col", "tiled")
    assert image.parameter == "data"
    assert image.global_dims == (64, 32, 32, 4)  # channels, width, height, images
    assert image.global_strides == (64 * 2, 32 * 64 * 2, 32 * 32 * 64 * 2)
    # A padding of one around the image, and a tile of 64 pixels by 32 channels.
    assert (image.lower_corner, image.upper_corner) == ((-1, -1), (-1, -1))
    assert (image.pixels_per_column, image.channels_per_pixel) == (64, 32)
    assert image.box is None


def test_dynamic_dimensions_are_names_in_expressions() -> None:
    found = described(item_of(DYNAMIC, "h200"))
    (launch,) = found.launches
    assert found.dimensions == (Dimension("m", "int32", "A", 0),)
    assert launch.grid == (4, "(m + 127) // 128", 1)
    assert found.tensor_maps[0].global_dims == (256, "m")
    assert launch.arguments[-1] == LaunchArgument("m", "scalar", dtype="int32", value="m")


def test_launches_keep_their_order_and_their_own_parameters() -> None:
    first, second = described(item_of(TWICE, "sm_80")).launches
    assert (first.entry, first.grid) == ("main_kernel", (8, 2, 1))
    assert (second.entry, second.block) == ("main_kernel_1", (256, 1, 1))
    assert [a.parameter or a.value for a in first.arguments] == ["A", "W", "scale"]
    assert [a.parameter for a in second.arguments] == ["B", "W"]


def test_scalar_parameters_are_passed_by_their_names() -> None:
    (launch,) = described(item_of(SCALARS, "sm_80")).launches
    scalars = [(a.dtype, a.value) for a in launch.arguments if a.kind == "scalar"]
    assert scalars == [("bool", "flag"), ("int32", "n")]


def test_clusters_and_a_window_of_l2() -> None:
    found = described(item_of(CLUSTERS, "h200"))
    assert found.launches[0].cluster == (2, 1, 1)
    assert found.launches[0].grid == (8, 1, 1)
    assert found.l2_windows == (L2Window("A", 4096, 0.5),)


@pytest.mark.parametrize(
    ("text", "cooperative", "dependent"),
    [(COOPERATIVE, True, False), (DEPENDENT, False, True), (TWICE, False, False)],
)
def test_how_blocks_may_meet_and_launches_overlap(
    text: str, cooperative: bool, dependent: bool
) -> None:
    launch = described(item_of(text, "h200")).launches[0]
    assert (launch.cooperative, launch.dependent) == (cooperative, dependent)


def test_a_launch_for_amd() -> None:
    (launch,) = described(item_of(GEMM, "mi300x", {"num_stages": 2, "threads": 256})).launches
    assert (launch.grid, launch.block) == ((8, 8, 1), (256, 1, 1))


def test_a_cpu_calls_a_function() -> None:
    (launch,) = described(item_of(SHIPPED / "gemm_cpu.py", "cpu")).launches
    assert (launch.entry, launch.grid) == ("main_kernel", None)
    assert [each.parameter for each in launch.arguments] == ["A", "B", "C"]


def test_without_host_code_there_is_no_description() -> None:
    class Artifact:
        host_mod = None
        device_mod = None

    with pytest.raises(UndescribedError, match="no host code"):
        describe_launches(Artifact(), ())
