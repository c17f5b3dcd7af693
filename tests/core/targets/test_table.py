"""The names of targets and what they resolve to."""

from __future__ import annotations

import pathlib
import shutil

import pytest

from workbench.core.data_files import find_data
from workbench.core.targets.model import Feature, Vendor
from workbench.core.targets.reading import RecordError
from workbench.core.targets.table import (
    IncompatibleTargetError,
    TargetError,
    TargetTable,
    UnknownTargetError,
    load_targets,
)

# Model: its architecture, as the design lists the families that must work.
FAMILIES = {
    "v100": "sm_70",
    "t4": "sm_75",
    "a100": "sm_80",
    "a10": "sm_86",
    "rtx3090": "sm_86",
    "l40s": "sm_89",
    "rtx4090": "sm_89",
    "h100": "sm_90a",
    "h200": "sm_90a",
    "b200": "sm_100a",
    "rtx5090": "sm_120a",
    "mi300x": "gfx942",
    "mi355x": "gfx950",
    "ascend910b": "dav-2201",
    "m2-ultra": "metal",
}


@pytest.mark.parametrize(("model", "arch"), FAMILIES.items())
def test_every_family_of_the_design_is_there(table: TargetTable, model: str, arch: str) -> None:
    target = table.resolve(model)
    assert (target.name, target.arch.name, target.lowering_arch) == (model, arch, arch)
    assert target.model is not None
    assert target.model.arch == arch


@pytest.mark.parametrize(
    ("name", "lowering", "code_arch", "dialect"),
    [
        ("sm_80", {"kind": "cuda", "arch": "sm_80"}, "sm_80", "tilelang.language"),
        ("sm_90a", {"kind": "cuda", "arch": "sm_90a"}, "sm_90a", "tilelang.language"),
        ("h200", {"kind": "cuda", "arch": "sm_90a"}, "sm_90a", "tilelang.language"),
        ("gfx942", {"kind": "hip", "mcpu": "gfx942"}, "gfx942", "tilelang.language"),
        ("ascend", "ascend", None, "tilelang.ascend.language"),
        ("metal", "metal", None, "tilelang.language"),
        ("cpu", "c", None, "tilelang.cpu.language"),
    ],
)
def test_tilelang_gets_the_form_that_it_lowers_for(
    table: TargetTable, name: str, lowering: object, code_arch: str | None, dialect: str
) -> None:
    target = table.resolve(name)
    assert (target.lowering, target.code_arch, target.dialect) == (lowering, code_arch, dialect)


def test_an_older_lowering_keeps_the_devices_limits(table: TargetTable) -> None:
    target = table.resolve("h200:sm_80")
    assert target.name == "h200:sm_80"
    assert target.lowering == {"kind": "cuda", "arch": "sm_80", "code": ["sm_90"]}
    assert (target.code_arch, target.lowering_arch) == ("sm_90", "sm_80")
    assert target.arch == table.architecture("sm_90a")


def test_an_older_amd_lowering_is_assembled_for_the_device(table: TargetTable) -> None:
    target = table.resolve("mi355x:gfx942")
    assert (target.lowering, target.code_arch) == ({"kind": "hip", "mcpu": "gfx942"}, "gfx950")


def test_the_devices_own_architecture_is_no_other_lowering(table: TargetTable) -> None:
    assert table.resolve("h200:sm_90") == table.resolve("h200")


@pytest.mark.parametrize("alias", ["sm_90", "sm_100", "sm_120"])
def test_a_plain_architecture_is_read_as_the_specific_one_and_says_so(
    table: TargetTable, alias: str
) -> None:
    target = table.resolve(alias)
    assert target.name == alias + "a"
    assert any(alias in note for note in target.notes)
    assert not table.resolve(alias + "a").notes


@pytest.mark.parametrize("name", ["H200", " h200 ", "NVIDIA H200", "h200-sxm"])
def test_spelling_and_the_drivers_name_do_not_matter(table: TargetTable, name: str) -> None:
    assert table.resolve(name).name == "h200"


@pytest.mark.parametrize(
    ("name", "nearest"),
    [("h20", "h200"), ("a1000", "a100"), ("gfx943", "gfx942"), ("sm_90b", "sm_90a")],
)
def test_an_unknown_name_suggests_the_nearest(table: TargetTable, name: str, nearest: str) -> None:
    with pytest.raises(UnknownTargetError, match=f"did you mean .*{nearest}") as caught:
        table.resolve(name)
    assert nearest in caught.value.nearest


def test_a_name_like_no_other_lists_all(table: TargetTable) -> None:
    with pytest.raises(UnknownTargetError, match=r"known: v100, .*cpu"):
        table.resolve("zzz")


@pytest.mark.parametrize("bare", ["cuda", "hip", "auto"])
def test_a_bare_backend_is_refused_with_the_reason(table: TargetTable, bare: str) -> None:
    with pytest.raises(UnknownTargetError, match="does not say which GPU"):
        table.resolve(bare)


def test_a_model_cannot_be_lowered_for(table: TargetTable) -> None:
    with pytest.raises(UnknownTargetError, match="no architecture is called 'a100'"):
        table.resolve("h200:a100")


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("a100:sm_90a", "newer"),
        ("a100:sm_86", "newer"),
        ("mi300x:sm_80", "nvidia's architecture, the device amd's"),
        ("cpu:sm_80", "nvidia's architecture, the device host's"),
        ("b200:sm_90a", "instructions that sm_100a does not have"),
        ("rtx5090:sm_100", "instructions that sm_120a does not have"),
    ],
)
def test_a_lowering_that_the_device_cannot_run_is_refused(
    table: TargetTable, name: str, reason: str
) -> None:
    with pytest.raises(IncompatibleTargetError, match=reason):
        table.resolve(name)


def test_every_name_resolves_to_itself(table: TargetTable) -> None:
    assert [table.resolve(name).name for name in table.names()] == list(table.names())


def test_models_stand_by_vendor_and_generation(table: TargetTable) -> None:
    names = table.names()
    assert names.index("v100") < names.index("h100") < names.index("b200") < names.index("mi300x")


def test_targets_can_be_keys(table: TargetTable) -> None:
    assert {table.resolve("h200"): 1}[table.resolve("h200")] == 1


def test_features_tell_the_generations_apart(table: TargetTable) -> None:
    having = {
        feature: {a.name for a in table.architectures if a.has(feature)} for feature in Feature
    }
    assert having[Feature.WGMMA] == {"sm_90a"}
    assert having[Feature.TCGEN05] == {"sm_100a"}
    assert having[Feature.TMA] == {"sm_90a", "sm_100a", "sm_120a"}
    assert having[Feature.FP8_E4M3FNUZ] == {"gfx942"}
    assert having[Feature.FP8_E4M3FN] == {"sm_89", "sm_90a", "sm_100a", "sm_120a", "gfx950"}
    assert having[Feature.FP4] == {"sm_100a", "sm_120a", "gfx950"}
    assert "sm_75" not in having[Feature.CP_ASYNC] | having[Feature.BF16]


def test_volta_says_that_current_toolkits_do_not_assemble_it(table: TargetTable) -> None:
    target = table.resolve("v100")
    assert target.arch.last_toolkit == "12.9"
    assert any("CUDA 12.9" in note for note in target.notes)
    others = [a for a in table.architectures if a.vendor is Vendor.NVIDIA and a.name != "sm_70"]
    assert all(a.last_toolkit is None for a in others)


def test_two_records_of_one_name_are_refused(tmp_path: pathlib.Path) -> None:
    text = (find_data("resources") / "targets" / "cpu.toml").read_text()
    (tmp_path / "cpu.toml").write_text(text)
    (tmp_path / "c.toml").write_text(text.replace('name = "cpu"', 'name = "c"'))
    with pytest.raises(RecordError, match="both called"):
        load_targets(tmp_path)


def test_a_model_without_its_architecture_is_refused(tmp_path: pathlib.Path) -> None:
    shutil.copy(find_data("resources") / "targets" / "h200.toml", tmp_path)
    with pytest.raises(RecordError, match="h200: no record of its architecture 'sm_90a'"):
        load_targets(tmp_path)


def test_all_errors_of_names_are_target_errors() -> None:
    assert issubclass(UnknownTargetError, TargetError)
    assert issubclass(IncompatibleTargetError, TargetError)
