"""The form of the records, and the sources and consistency of the shipped ones."""

from __future__ import annotations

import dataclasses
import pathlib

import pytest
import tomllib

from workbench.core.data_files import find_data
from workbench.core.plain import PlainError
from workbench.core.targets.model import Architecture, GpuModel, Vendor
from workbench.core.targets.reading import RecordError, parse_record, read_records
from workbench.core.targets.table import TargetTable, load_targets

FILES = sorted((find_data("resources") / "targets").glob("*.toml"))
MODEL = """
[model]
name = "x1"
title = "X1"
arch = "sm_80"
[sources]
sheet = "the data sheet"
[numbers.sheet]
sm_count = 4
[tensor_tflops.sheet]
float16 = 12.5
"float16->float16" = 25
"""


def _numbers(record: Architecture | GpuModel) -> dict[str, object]:
    """All numbers of a record by the keys of its `sources`."""
    if isinstance(record, Architecture):
        return {k: v for k, v in dataclasses.asdict(record.limits).items() if v is not None}
    numbers = {k: v for k, v in vars(record).items() if isinstance(v, (int, float))}
    for peaks in ("tensor_tflops", "vector_tflops"):
        numbers |= {f"{peaks}.{key}": peak for key, peak in getattr(record, peaks).items()}
    return numbers


@pytest.mark.parametrize("name", load_targets().names())
def test_every_number_has_its_source(table: TargetTable, name: str) -> None:
    record = next(r for r in table.records() if r.name == name)
    numbers = _numbers(record)
    assert numbers or name == "cpu"
    for key, value in numbers.items():
        number = record.number(key)
        assert number is not None
        assert number.value == value
        assert len(number.source) > 20


@pytest.mark.parametrize("name", [a.name for a in load_targets().architectures])
def test_every_feature_has_its_source(table: TargetTable, name: str) -> None:
    arch = table.architecture(name)
    assert all(arch.sources[f"features.{feature.value}"] for feature in arch.features)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_source_is_listed_in_vain(path: pathlib.Path) -> None:
    data = tomllib.loads(path.read_text(encoding="utf-8"))
    used = {key for table, value in data.items() if table not in ("sources",) for key in value}
    assert set(data.get("sources", {})) <= used


def test_peaks_are_clock_times_units(table: TargetTable) -> None:
    """A vector peak is SMs x FMA x 2 x clock: a figure with sparsity, or a slip, would show."""
    checked = []
    for model in table.models:
        fma = table.architecture(model.arch).limits.fp32_fma_per_clock_per_sm
        if None in (fma, model.sm_count, model.boost_clock_mhz) or not model.vector_tflops:
            continue
        assert fma is not None
        assert model.sm_count is not None
        assert model.boost_clock_mhz is not None
        peak = model.sm_count * fma * 2 * model.boost_clock_mhz / 1e6
        assert model.vector_peak_tflops("float32") == pytest.approx(peak, rel=0.01), model.name
        checked.append(model.name)
    assert {"v100", "a100", "h100", "h200", "rtx5090", "mi300x", "mi355x"} <= set(checked)


def test_tensor_peaks_double_with_each_halving_of_the_operand(table: TargetTable) -> None:
    for name in ("h100", "h200", "b200", "rtx4090", "rtx5090", "l40s", "mi300x", "mi355x"):
        model = table.resolve(name).model
        assert model is not None
        half, byte = (model.tensor_peak_tflops(d) for d in ("bfloat16", "float8_e4m3fn"))
        assert half is not None
        assert byte == pytest.approx(2 * half, rel=0.02), name


@pytest.mark.parametrize("name", [a.name for a in load_targets().architectures])
def test_limits_agree_with_each_other(table: TargetTable, name: str) -> None:
    limits = table.architecture(name).limits
    if limits.max_threads_per_sm and limits.max_warps_per_sm and limits.warp_size:
        assert limits.max_threads_per_sm == limits.max_warps_per_sm * limits.warp_size
    if limits.shared_bytes_per_sm and limits.shared_carveouts_bytes:
        assert limits.shared_carveouts_bytes[-1] == limits.shared_bytes_per_sm
        assert list(limits.shared_carveouts_bytes) == sorted(limits.shared_carveouts_bytes)
    if limits.vgprs_per_simd and limits.subpartitions_per_sm and limits.warp_size:
        file = limits.vgprs_per_simd * limits.subpartitions_per_sm * limits.warp_size
        assert limits.registers_per_sm == file


@pytest.mark.parametrize("name", [a.name for a in load_targets().architectures])
def test_a_block_fits_beside_what_the_driver_reserves(table: TargetTable, name: str) -> None:
    arch = table.architecture(name)
    limits = arch.limits
    if arch.vendor is Vendor.NVIDIA:
        assert limits.shared_bytes_per_block_opt_in is not None
        assert limits.shared_bytes_reserved_per_block is not None
        block = limits.shared_bytes_per_block_opt_in + limits.shared_bytes_reserved_per_block
        assert block == limits.shared_bytes_per_sm


def test_unknown_numbers_are_none(table: TargetTable) -> None:
    model = table.resolve("m3-max").model
    assert model is not None
    assert model.l2_bytes is None
    assert model.number("l2_bytes") is None
    assert model.tensor_peak_tflops("float16") is None
    assert table.architecture("cpu").limits.warp_size is None
    assert table.architecture("cpu").number("warp_size") is None


def test_peaks_are_found_by_tilelang_dtypes_and_accumulators(table: TargetTable) -> None:
    model = table.resolve("rtx4090").model
    assert model is not None
    assert model.tensor_peak_tflops("float16") == 165.2
    assert model.tensor_peak_tflops("float16", "float32") == 165.2
    assert model.tensor_peak_tflops("float16", "float16") == 330.3
    assert model.tensor_peak_tflops("float8_e5m2") == 330.3
    assert model.tensor_peak_tflops("uint8") == 660.6
    assert model.tensor_peak_tflops("float4_e2m1fn") is None


def test_a_model_is_read_with_its_sources() -> None:
    model = parse_record(MODEL)
    assert isinstance(model, GpuModel)
    assert model.sm_count == 4
    assert model.sources["tensor_tflops.float16->float16"] == "the data sheet"
    assert isinstance(model.tensor_tflops["float16->float16"], float)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("[numbers.sheet]", "[numbers.rumour]", "no source 'rumour'"),
        ("[numbers.sheet]", "[numbers]", "no source 'sm_count'"),
        ("sm_count", "sm_cuont", "model: unknown key 'sm_cuont'"),
        ("[model]", "[modle]", "neither"),
        ("[sources]", "[extra]\n[sources]", "the file: unknown key 'extra'"),
        (
            'sheet = "the data sheet"',
            'sheet = "the data sheet"\nother = "b"\n[numbers.other]\nsm_count = 5',
            "given by another source",
        ),
    ],
)
def test_a_record_of_another_form_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(RecordError, match=message):
        parse_record(MODEL.replace(old, new, 1))


def test_a_number_of_another_type_is_refused() -> None:
    with pytest.raises(PlainError, match="sm_count"):
        parse_record(MODEL.replace("sm_count = 4", 'sm_count = "four"'))


def test_the_files_name_is_the_records(tmp_path: pathlib.Path) -> None:
    (tmp_path / "x2.toml").write_text(MODEL)
    with pytest.raises(RecordError, match=r"x2\.toml: holds the record 'x1'"):
        read_records(tmp_path)


@pytest.mark.parametrize("text", ["[model", MODEL.replace('arch = "sm_80"', "")])
def test_an_error_names_the_file(tmp_path: pathlib.Path, text: str) -> None:
    (tmp_path / "x1.toml").write_text(text)
    with pytest.raises(RecordError, match=r"x1\.toml: "):
        read_records(tmp_path)
