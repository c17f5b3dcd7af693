from __future__ import annotations

import pytest

from tests.support.measured_counters import ORACLE, recorded
from workbench.core.counters.raw_csv import CounterFileError, read_raw_csv

HEADER = '"ID","Kernel Name","Block Size","Grid Size","CC","gpu__time_duration.sum","a__b.sum"'
UNITS = '"","","","","","us","Mbyte"'
ROW = '"0","main_kernel","(256, 1, 1)","(8, 4, 1)","9.0","5.408000","1,059.5"'


def text(*lines: str) -> str:
    return "\n".join(lines) + "\n"


def test_a_page_of_an_h200_is_read_in_base_units() -> None:
    (kernel,) = read_raw_csv(recorded("c12_flash_sm80.raw.csv")).kernels
    assert (kernel.name, kernel.grid, kernel.block) == ("main_kernel", (8, 8, 1), (128, 1, 1))
    assert (kernel.device, kernel.arch) == ("NVIDIA H200", "sm_90")
    assert kernel.values["dram__bytes_read.sum"] == 1602048
    assert kernel.units["dram__bytes_read.sum"] == "byte"
    assert kernel.values["launch__shared_mem_config_size"] == 135168
    assert kernel.values["gpu__time_duration.sum"] == 10848
    assert kernel.values["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] == 299008


def test_what_was_not_told_is_none_and_names_are_left_out() -> None:
    (kernel,) = read_raw_csv(recorded("c12_flash_sm80.raw.csv")).kernels
    assert kernel.values["derived_tempMetric4"] is None  # nan
    assert kernel.values["sass__inst_executed_register_spilling_mem_local"] is None  # no data
    assert "launch__cluster_scheduling_policy" not in kernel.values


@pytest.mark.parametrize("name", ["c01_transpose_naive", "c12_flash_sm80", "h03_gemm_epi_swz"])
def test_the_measured_pages_are_read(name: str) -> None:
    path = ORACLE / "ncu" / f"{name}.raw.csv"
    if not path.exists():
        pytest.skip(f"the measured kernels are not at {ORACLE}")
    report = read_raw_csv(path.read_text())
    assert [(each.name, len(each.values)) for each in report.kernels] == [("main_kernel", 2222)]
    assert report.notes == ()


def test_lines_of_the_profiler_and_of_the_program_stand_around() -> None:
    prof, warning = "==PROF== Connected to process 677 (/usr/bin/python3.12)", "==WARNING== slow"
    report = read_raw_csv(text(prof, "max error 1,5", HEADER, UNITS, ROW, warning, "done, 3 ok"))
    (kernel,) = report.kernels
    assert kernel.values == {"gpu__time_duration.sum": 5408, "a__b.sum": 1059500000}
    assert report.notes == ()


def test_every_launch_is_a_kernel() -> None:
    second = ROW.replace('"0"', '"1"').replace("main_kernel", "other<int, 4>(float *)")
    names = [kernel.name for kernel in read_raw_csv(text(HEADER, UNITS, ROW, second)).kernels]
    assert names == ["main_kernel", "other<int, 4>(float *)"]


def test_a_file_without_a_row_of_units_says_so() -> None:
    report = read_raw_csv(text(HEADER, ROW))
    assert report.kernels[0].values["gpu__time_duration.sum"] == 5.408
    assert report.kernels[0].units == {}
    assert report.notes == ("the file has no row of units: values are taken to be in base units",)


def test_a_decimal_comma_is_told_by_the_whole_file() -> None:
    row = '"0";"main_kernel";"(1, 1, 1)";"(1, 1, 1)";"9.0";"1,25";"2.048"'
    report = read_raw_csv("\ufeff" + text(HEADER.replace(",", ";"), UNITS.replace(",", ";"), row))
    assert report.kernels[0].values == {"gpu__time_duration.sum": 1250, "a__b.sum": 2048000000}


def test_a_row_that_is_cut_short_is_told() -> None:
    report = read_raw_csv(text(HEADER, UNITS, ROW, ROW[:40]))
    assert len(report.kernels) == 1
    assert report.notes == ("lines of the table that are cut short and were not read: 1",)


def test_the_page_of_details_has_a_row_a_metric() -> None:
    header = '"ID","Kernel Name","Grid Size","Section Name","Metric Name","Metric Unit"'
    rows = [
        '"0","k","(2, 1, 1)","","dram__bytes_read.sum","Kbyte","1.5"',
        '"0","k","(2, 1, 1)","","launch__registers_per_thread","register/thread","32"',
        '"0","k","(2, 1, 1)","Advice","","",""',
        '"1","k","(2, 1, 1)","","dram__bytes_read.sum","byte","n/a"',
    ]
    first, second = read_raw_csv(text(header + ',"Metric Value"', *rows)).kernels
    assert first.values == {"dram__bytes_read.sum": 1500, "launch__registers_per_thread": 32}
    assert second.values == {"dram__bytes_read.sum": None}
    assert first.grid == (2, 1, 1)


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("a,b\n1,2\n", "ncu --import FILE.ncu-rep --csv --page raw > FILE.csv"),
        ("==PROF== Connected\n==ERROR== ERR_NVGPUCTRPERM\n", "no table"),
        (HEADER + "\n" + UNITS + "\n", "nothing was profiled"),
    ],
)
def test_a_file_without_launches_says_what_it_lacks(content: str, said: str) -> None:
    with pytest.raises(CounterFileError, match=said):
        read_raw_csv(content)


def test_the_page_of_details_of_an_h200_is_read_by_its_labels() -> None:
    report = read_raw_csv(recorded("c12_flash_sm80.details.csv"))
    (kernel,) = report.kernels
    assert kernel.values["launch__registers_per_thread"] == 136
    assert kernel.values["launch__occupancy_limit_shared_mem"] == 5
    assert kernel.values["gpu__time_duration.sum"] == 11260
    # 24.58 Kbyte are 24,576 bytes, which no rounding can tell
    assert "launch__shared_mem_per_block_dynamic" not in kernel.values
    assert "page of details rounds" in report.notes[0]
