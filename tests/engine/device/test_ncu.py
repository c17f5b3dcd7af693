from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from tests.support.measured_counters import recorded
from workbench.core.jobs import KernelChoice, Source
from workbench.core.profiles import CounterReport, ProfileRequest
from workbench.core.targets.table import load_targets
from workbench.engine.device import ncu, ncu_profile

pytestmark = pytest.mark.skipif(os.name == "nt", reason="the program in ncu's place is a script")

# In ncu's place: answers as Nsight Compute 2025.3.1 did on an H200, and notes what it was asked.
NCU = """\
#!/bin/sh
folder={folder}
echo "$@" >> $folder/asked
case "$*" in
*--version*) echo "Version 2025.3.1.0 (build 36398880) (public-release)" ;;
*--query-metrics*) cat $folder/query ;;
*--import*) cat $folder/page ;;
*)
    cat $folder/said
    [ -e $folder/refuses ] || touch $(echo "$@" | sed 's/.*--export //; s/ .*//') ;;
esac
"""
QUERY = """\
Device NVIDIA H200 (GH100)
----------------- --------------- --------------- -----------------
Metric Name       Metric Type     Metric Unit     Metric Description
----------------- --------------- --------------- -----------------
gpu__time_duration   Counter      ns              incremental duration
sm__pipe_tensor_cycles_active     Counter         cycle           # of cycles where the tensor pipe
                                                                  was active
"""
DENIED = "==ERROR== ERR_NVGPUCTRPERM - The user does not have permission to access counters.\n"


@pytest.fixture
def program(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of the program in ncu's place, with the files that it answers with."""
    folder = tmp_path / "nsight"
    folder.mkdir()
    path = folder / "ncu"
    path.write_text(NCU.format(folder=folder))
    path.chmod(0o755)
    (folder / "query").write_text(QUERY)
    (folder / "page").write_text(recorded("c12_flash_sm80.raw.csv"))
    (folder / "said").write_text('==PROF== Profiling "main_kernel" - 0: 0%....100% - 16 passes\n')
    monkeypatch.setattr(ncu, "find_ncu", lambda: path)
    monkeypatch.setattr(ncu.refusals, "DRIVER_PARAMETERS", str(tmp_path / "params"))
    monkeypatch.setenv("TILELANG_WORKBENCH_CACHE", str(tmp_path / "cache"))
    return folder


def request(target: str = "h200", **fields: Any) -> ProfileRequest:
    source = Source("/k.py", "", "/", trusted=True)
    made = load_targets().resolve(target).to_json()
    return ProfileRequest(source, KernelChoice("k", "lazy"), made, counters=True, **fields)


def read(**fields: Any) -> CounterReport | str:
    return ncu.read_counters(request(**fields), lambda *_: None)


def asked(program: Path) -> list[str]:
    return (program / "asked").read_text().splitlines()


def test_counters_are_read_around_one_launch(program: Path) -> None:
    found = read()
    assert isinstance(found, CounterReport)
    assert found.tool == "Nsight Compute 2025.3.1.0"
    assert found.kernels[0].values["launch__registers_per_thread"] == 136
    launch = next(line for line in asked(program) if "--export" in line)
    assert "--clock-control none --profile-from-start off" in launch
    assert "-m workbench.engine.device.launching" in launch
    words = launch.split()
    metrics = words[words.index("--metrics") + 1].split(",")
    assert "gpu__time_duration.sum" in metrics
    assert "launch__registers_per_thread" in metrics
    assert "lts__t_sectors.sum" not in metrics  # not listed


def test_the_full_set_and_lines_ask_for_more(program: Path) -> None:
    read(counter_set="full")
    read(counter_set="basic")
    full, basic = (line for line in asked(program) if "--export" in line)
    assert "--set full" in full
    assert "--set" not in basic


def test_what_the_profiler_lists_is_asked_once(program: Path) -> None:
    read()
    read()
    assert sum("--query-metrics" in line for line in asked(program)) == 1


def test_a_metric_that_was_not_counted_is_noted(program: Path) -> None:
    rows = recorded("c12_flash_sm80.raw.csv").replace("sm__pipe_tensor_cycles_active.avg", "x__y.z")
    (program / "page").write_text(rows)
    found = read()
    assert isinstance(found, CounterReport)
    assert found.notes == (
        "not counted on this GPU: sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active",
    )


def test_a_denied_user_is_told_what_to_change(program: Path) -> None:
    (program / "query").write_text(DENIED)
    found = read()
    assert isinstance(found, str)
    assert found.startswith("the driver lets administrators alone read this GPU's counters: ")


def test_so_is_one_who_is_denied_at_the_launch(program: Path) -> None:
    (program / "said").write_text(f"==PROF== Connected\n{DENIED}")
    (program / "refuses").touch()
    found = read()
    assert isinstance(found, str)
    assert "NVreg_RestrictProfilingToAdminUsers=0" in found


def test_a_kernel_that_cannot_be_launched_is_told_in_its_own_words(program: Path) -> None:
    said = "==PROF== Connected\nno room for 9 GiB on this GPU\n"
    (program / "said").write_text(f"{said}==ERROR== The application returned an error code (2).\n")
    (program / "refuses").touch()
    assert read() == "Nsight Compute counted nothing: no room for 9 GiB on this GPU"


def test_metrics_that_an_older_version_does_not_know_are_left_out(program: Path) -> None:
    unknown = r"==ERROR== Failed to find metric regex:^gpu__time_duration\.(sum|min|max|avg)$"
    (program / "said").write_text(f"==PROF== Connected\n{unknown}\n")
    text = (program / "ncu").read_text()
    refusing = '*gpu__time_duration.sum*) cat $folder/said ;;\n*)\n    echo "==PROF== Connected"'
    (program / "ncu").write_text(text.replace("*)\n    cat $folder/said", refusing))
    found = read()
    assert isinstance(found, CounterReport)
    first, second = (line for line in asked(program) if "--export" in line)
    assert "gpu__time_duration.sum" in first
    assert "gpu__time_duration.sum" not in second


def test_a_lock_of_another_user_is_avoided(
    program: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What cannot be opened for writing: here a folder, since root may open any file."""
    (tmp_path / "temporary" / "nsight-compute-lock").mkdir(parents=True)
    monkeypatch.setattr(ncu_profile.tempfile, "gettempdir", lambda: str(tmp_path / "temporary"))
    text = (program / "ncu").read_text()
    (program / "ncu").write_text(text.replace("cat $folder/said", "echo $TMPDIR > $folder/used"))
    assert isinstance(read(), CounterReport)
    assert Path((program / "used").read_text().strip()).name.startswith("ncu-")


def test_a_launch_that_never_ends_is_ended(program: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ncu_profile, "_SECONDS", {"basic": 1, "full": 1})
    text = (program / "ncu").read_text()
    (program / "ncu").write_text(text.replace("cat $folder/said", "sleep 60"))
    assert read() == "Nsight Compute was ended after its time limit of 1 s"


def test_other_vendors_have_no_counters_here() -> None:
    found = ncu.read_counters(request("mi300x"), lambda *_: None)
    assert found == ncu.refusals.OTHER_VENDOR
    assert found.startswith("counters are not available here")


def test_without_nsight_compute_one_sentence_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ncu, "find_ncu", lambda: None)
    assert read() == ncu.refusals.NO_NCU == ncu.may_read_counters()


def test_the_drivers_parameters_are_looked_at_first(program: Path) -> None:
    Path(ncu.refusals.DRIVER_PARAMETERS).write_text("RmProfilingAdminOnly: 1\n")
    held = int(Path("/proc/self/status").read_text().split("CapEff:")[1].split()[0], 16)
    refused = ncu.may_read_counters()
    assert (refused is None) == bool(held >> 21 & 1 or held >> 38 & 1)
    assert not (program / "asked").exists()
