"""`profile` with a worker that answers by a script: no GPU is needed to see what becomes of it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pytest

from tests.support.analysis_results import analysis, analyzed
from tests.support.profiles import (
    CEILINGS,
    H200,
    WRONG,
    failed,
    latency,
    profile,
    wrong_profile,
)
from tests.support.roofline_subjects import tensor_work
from workbench.cli import places, profile_run
from workbench.core.host_report import FoundTool, FoundTorch, Probe
from workbench.core.hosts import make_host
from workbench.core.jobs import AnalyzeRequest, Failure
from workbench.core.plain import to_plain
from workbench.core.profiles import (
    CounterReport,
    DeviceInfo,
    KernelCounters,
    ProfileRequest,
    ProfileResult,
)
from workbench.session.hosts.places import Place
from workbench.session.hosts.pool import hosts_file
from workbench.wire.events import Ended

PROBE = Probe(
    "gpu7",
    "Linux",
    "3.12.1",
    "/usr/bin/python3",
    versions={"numpy": "2.2", "torch": "2.13", "tilelang": "0.1.15"},
    torch=FoundTorch("2.13", "13.0", devices=("NVIDIA H200",)),
    devices=(H200,),
    nvcc=FoundTool("/usr/bin/nvcc"),
)
TRUST = "The middle 80 % of the samples lie within 1 % of the median."
REGISTERS = "launch__registers_per_thread"
DOCUMENT = """
# /// workbench
# [[case]]
# name = "square"
# args = { M = 1024, N = 512 }
# dims = { rows = 300 }
# baseline = "torch_kernel"
# flops = "2 * M * N"
# [[case]]
# name = "wide"
# args = { M = 64, N = 4096 }
# ///
import tilelang

@tilelang.jit
def kernel(M, N, block=64):
    import tilelang.language as T
    @T.prim_func
    def main(A: T.Tensor((M, N), "float16")):
        with T.Kernel(1):
            pass
    return main

def ref_program(A): return A
def torch_kernel(A): return A
"""


@dataclass
class Scripted:
    """A worker that gives what it was told to, and keeps what it was asked."""

    probed: Ended = field(default_factory=lambda: Ended("job-0", "done", to_plain(PROBE)))
    results: list[ProfileResult | Ended] = field(default_factory=lambda: [profile()])
    analysis: Any = field(default_factory=lambda: analyzed(analysis(work=tensor_work())))
    asked: list[Any] = field(default_factory=list)
    batches: list[int] = field(default_factory=list)

    @property
    def profiles(self) -> list[ProfileRequest]:
        return [each for each in self.asked if isinstance(each, ProfileRequest)]

    def __enter__(self) -> Scripted:
        return self

    def __exit__(self, *_: object) -> None:
        """Nothing has to be ended."""

    def probe(self) -> Ended:
        return self.probed

    def run(self, requests: Sequence[Any], *_: object) -> Iterator[tuple[int, Ended]]:
        self.batches.append(len(requests))
        for position, request in enumerate(requests):
            self.asked.append(request)
            yield position, self._end(request)

    def _end(self, request: Any) -> Ended:
        job = f"job-{len(self.asked)}"
        if isinstance(request, AnalyzeRequest):
            return Ended(job, "done", to_plain(self.analysis))
        result = self.results[min(len(self.profiles), len(self.results)) - 1]
        return result if isinstance(result, Ended) else Ended(job, "done", to_plain(result))


@pytest.fixture
def worker(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Scripted:
    monkeypatch.setenv("TILELANG_WORKBENCH_DATA", str(tmp_path / "data"))
    scripted = Scripted()

    @contextlib.contextmanager
    def worker_at(place: Place) -> Iterator[Scripted]:
        yield scripted

    monkeypatch.setattr(places, "worker_at", worker_at)
    return scripted


@pytest.fixture
def run(cli: Any, worker: Scripted, tmp_path: Path) -> Any:
    """`profile` of the document with more words."""
    (tmp_path / "document.py").write_text(DOCUMENT)

    def profiled(*words: str) -> Any:
        return cli("profile", "document.py", *words)

    return profiled


def test_a_profile_has_the_fields_that_scripts_rely_on(run: Any, worker: Scripted) -> None:
    worker.results = [profile(latency=latency(358.66, (TRUST,)))]
    done = run("--json")
    result = done.result
    assert (done.status, result["status"], result["error"]) == (0, "ok", None)
    assert (result["kernel"], result["case"], result["args"]["M"]) == ("kernel", "square", 1024)
    assert (result["host"], result["device"], result["target"]) == (
        "this machine",
        "NVIDIA H200",
        "h200",
    )
    time = result["latency"]
    assert time["p10_us"] < time["median_us"] < time["p90_us"]
    assert (time["samples"], len(time["samples_us"]), time["trust"]) == (120, 120, [TRUST])
    assert result["baseline"]["name"] == "torch_matmul"
    assert result["tflops"] == pytest.approx(2 * 4096**3 / time["median_us"] / 1e6)
    assert (result["counters"], result["diagnostics"]) == (None, [])


def test_what_is_predicted_stands_apart_from_what_is_measured(run: Any) -> None:
    result = run("--json").result
    assert result["predicted"]["time_us"] == 12.34
    (time,) = [each for each in result["comparison"] if each["name"] == "time_us"]
    assert time["measured"] == result["latency"]["median_us"]
    assert time["difference"] == time["measured"] - 12.34
    assert (time["verdict"], time["estimate"]) == ("differs", True)


def test_a_prediction_that_failed_says_why(run: Any, worker: Scripted) -> None:
    worker.analysis = replace(analyzed(), failure=Failure("kernel", "no"), kernels=())
    result = run("--json").result
    assert (result["status"], result["predicted"]) == ("ok", None)
    assert result["missing"]["predicted"] == "no"


def test_nothing_is_predicted_without_the_wish(run: Any, worker: Scripted) -> None:
    assert run("--no-prediction", "--json").result["predicted"] is None
    assert worker.asked == worker.profiles


def test_counters_have_the_profilers_own_names(run: Any, worker: Scripted) -> None:
    values = {REGISTERS: 168.0, "launch__shared_mem_config_size": 167936.0}
    launch = KernelCounters("main", values, {REGISTERS: "register/thread"}, (2, 3, 1), (128, 1, 1))
    worker.results = [profile(counters=CounterReport("Nsight Compute 2025.3.1", (launch,)))]
    result = run("--counters", "--json").result
    assert result["counters"] == values
    assert result["counter_units"] == {REGISTERS: "register/thread"}
    assert result["launches"][0]["grid"] == [2, 3, 1]
    assert worker.profiles[0].counters
    (predicting,) = [each for each in worker.asked if isinstance(each, AnalyzeRequest)]
    assert predicting.carveout_bytes == 167936


def test_options_reach_the_request(run: Any, worker: Scripted) -> None:
    run("--full", "--lines", "--cache", "warm", "--method", "graph", "--no-check", "--json")
    (asked,) = worker.profiles
    assert (asked.counters, asked.counter_set, asked.lines) == (True, "full", True)
    assert (asked.cache, asked.method, asked.check) == ("warm", "graph", False)
    assert (asked.baseline, asked.flops) == ("torch_kernel", "2 * M * N")


@pytest.mark.parametrize(
    ("words", "baseline"),
    [
        (("--case", "wide"), "ref_program"),
        (("--baseline", "torch_kernel", "--case", "wide"), "torch_kernel"),
        (("--baseline", "none"), None),
    ],
)
def test_the_baseline_is_the_one_named_else_the_cases_else_the_reference(
    run: Any, worker: Scripted, words: tuple[str, ...], baseline: str | None
) -> None:
    run(*words, "--json")
    assert worker.profiles[0].baseline == baseline


def test_a_baseline_that_is_not_there_is_refused_with_the_nearest(run: Any) -> None:
    done = run("--baseline", "torch_kernl", "--json")
    assert done.status == 2
    assert "did you mean `torch_kernel`?" in done.json["error"]["message"]


def test_a_series_is_measured_one_value_after_another(run: Any, worker: Scripted) -> None:
    done = run("--series", "M=256,512,1024", "--json")
    results = done.json["results"]
    assert [result["args"]["M"] for result in results] == [256, 512, 1024]
    assert [result["series"] for result in results] == [
        {"name": "M", "value": value} for value in (256, 512, 1024)
    ]
    assert [type(asked) for asked in worker.asked] == [ProfileRequest, AnalyzeRequest] * 3
    assert set(worker.batches) == {1}


def test_the_points_of_a_series_are_one_group_of_runs(run: Any, cli: Any) -> None:
    run("--series", "M=256,512", "--json")
    runs = cli("runs", "list", "--json").json["runs"]
    assert len({item["group"] for item in runs}) == 1
    assert runs[0]["group"] is not None


def test_a_series_may_be_over_a_dynamic_size(run: Any, worker: Scripted) -> None:
    run("--series", "rows=1,300", "--json")
    assert [asked.dims for asked in worker.profiles] == [{"rows": 1}, {"rows": 300}]


@pytest.mark.parametrize(
    ("series", "says"),
    [
        ("M", "--series takes NAME=VALUE"),
        ("Mm=1,2", "did you mean `M`?"),
        ("M=,", "--series takes"),
    ],
)
def test_a_series_of_nothing_is_refused(run: Any, series: str, says: str) -> None:
    done = run("--series", series, "--json")
    assert done.status == 2
    assert says in done.json["error"]["message"]


def test_ceilings_are_measured_once_a_device(run: Any, worker: Scripted) -> None:
    run("--case", "all", "--json")
    run("--json")
    assert [asked.ceilings for asked in worker.profiles] == [None, CEILINGS, CEILINGS]


def test_ceilings_are_measured_anew_on_request(run: Any, worker: Scripted) -> None:
    run("--json")
    run("--measure-ceilings", "--json")
    assert [asked.ceilings for asked in worker.profiles] == [None, None]


def test_every_profile_is_recorded_with_its_samples(run: Any, cli: Any) -> None:
    recorded = run("--json").result["run"]
    shown = cli("runs", "show", recorded, "--json").json["run"]
    assert (shown["kind"], shown["device"], shown["host"]) == (
        "profile",
        "NVIDIA H200",
        "this machine",
    )
    assert {artifact["name"] for artifact in shown["artifacts"]} == {"profile", "analysis"}
    assert shown["metrics"]["predicted.time_us"]["source"] == "predicted"


@pytest.mark.parametrize("target", ["h200", "sm_90a", "h200:sm_80", "a100"])
def test_a_target_that_runs_there_is_taken(run: Any, worker: Scripted, target: str) -> None:
    run("--target", target, "--json")
    assert worker.profiles[0].target["name"] == target


@pytest.mark.parametrize(
    ("targets", "taken"),
    [
        ('["h100", "h200:sm_80"]', "h200:sm_80"),
        ('["h100", "a100"]', "h200"),
        ('["mi300x"]', "h200"),
        ('["cpu"]', "cpu"),
        ('["nothing"]', "h200"),
    ],
)
def test_without_a_choice_the_cases_own_lowering_for_this_gpu_counts(
    run: Any, worker: Scripted, tmp_path: Path, targets: str, taken: str
) -> None:
    text = DOCUMENT.replace("# dims", f"# targets = {targets}\n# dims")
    (tmp_path / "document.py").write_text(text)
    run("--json")
    assert worker.profiles[0].target["name"] == taken


@pytest.mark.parametrize("target", ["b200", "mi300x", "cpu"])
def test_a_target_that_does_not_run_there_is_refused(
    run: Any, worker: Scripted, target: str
) -> None:
    done = run("--target", target, "--json")
    assert (done.status, done.json["results"], worker.asked) == (2, [], [])
    message = done.json["error"]["message"]
    assert message.startswith("--target: ")
    assert "NVIDIA H200" in message


def test_a_gpu_that_is_not_in_the_table_is_its_architecture(run: Any, worker: Scripted) -> None:
    device = replace(H200, name="NVIDIA H100 PCIe")
    worker.probed = Ended("job-0", "done", to_plain(replace(PROBE, devices=(device,))))
    done = run("--json")
    assert worker.profiles[0].target["name"] == "sm_90a"
    assert "--target h100 takes those of the nearest" in done.stderr


def test_a_machine_without_a_gpu_says_what_to_do(run: Any, worker: Scripted) -> None:
    probe = replace(PROBE, devices=(), torch=FoundTorch("2.13"))
    worker.probed = Ended("job-0", "done", to_plain(probe))
    done = run("--json")
    assert (done.status, done.json["results"]) == (2, [])
    message = done.json["error"]["message"]
    assert message.startswith("No GPU is to be seen on this machine.")
    assert message.endswith("hosts add NAME -- ssh NAME, then profile FILE --on NAME.")


def test_another_gpu_of_the_machine_is_chosen_by_its_number(run: Any, worker: Scripted) -> None:
    other = DeviceInfo("NVIDIA A100-SXM4-80GB", "sm_80", "GPU-a", 1)
    worker.probed = Ended("job-0", "done", to_plain(replace(PROBE, devices=(H200, other))))
    run("--device", "1", "--json")
    assert (worker.profiles[0].device, worker.profiles[0].target["name"]) == (1, "a100")
    done = run("--device", "2", "--json")
    assert "which has 0 (NVIDIA H200), 1 (NVIDIA A100-SXM4-80GB)" in done.json["error"]["message"]


def test_a_host_measures_and_this_machine_predicts(
    run: Any, worker: Scripted, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TILELANG_WORKBENCH_CONFIG", str(tmp_path / "config"))
    hosts_file().save(make_host("gpu7", "ssh gpu7"))
    here = Scripted()
    monkeypatch.setattr(profile_run, "BatchWorker", lambda: here)
    result = run("--on", "gpu7", "--json").result
    assert (result["host"], result["predicted"]["time_us"]) == ("gpu7", 12.34)
    assert [type(asked) for asked in worker.asked] == [ProfileRequest]
    assert [type(asked) for asked in here.asked] == [AnalyzeRequest]


@pytest.mark.parametrize("place", ["simulator", "cpu"])
def test_only_a_gpu_is_measured(run: Any, place: str) -> None:
    done = run("--on", place, "--json")
    assert done.status == 2
    assert "only a GPU can be measured" in done.json["error"]["message"]


@pytest.mark.parametrize(
    ("kind", "status", "exit_status"), [("kernel", "fault", 1), ("environment", "error", 2)]
)
def test_who_is_at_fault_is_told_by_the_status(
    run: Any, worker: Scripted, kind: str, status: str, exit_status: int
) -> None:
    worker.results = [failed("It went wrong.", kind)]
    done = run("--json")
    assert (done.status, done.result["status"]) == (exit_status, status)
    assert done.result["error"]["message"] == "It went wrong."
    assert done.result["latency"] is None


def test_a_lost_connection_is_a_lost_run(run: Any, worker: Scripted, cli: Any) -> None:
    failure = Failure("environment", "the connection to gpu7 was lost")
    worker.results = [Ended("job-1", "lost", failure=failure, log_tail=("bye",))]
    done = run("--json")
    assert (done.status, done.result["status"], done.result["log"]) == (2, "error", ["bye"])
    (listed,) = cli("runs", "list", "--json").json["runs"]
    assert listed["status"] == "lost"


@pytest.mark.parametrize("at", [ProfileRequest, AnalyzeRequest])
def test_an_interrupted_series_keeps_what_was_measured(
    run: Any, worker: Scripted, cli: Any, monkeypatch: pytest.MonkeyPatch, at: type[Any]
) -> None:
    def interrupted(request: Any) -> Ended:
        if isinstance(request, at) and (at is AnalyzeRequest or len(worker.profiles) > 1):
            raise KeyboardInterrupt
        is_profile = isinstance(request, ProfileRequest)
        return Ended("job-1", "done", to_plain(profile() if is_profile else analyzed()))

    monkeypatch.setattr(worker, "_end", interrupted)
    done = run("--series", "M=256,512,1024", "--json")
    assert (done.status, done.json["error"]["message"]) == (2, "interrupted")
    runs = cli("runs", "list", "--json").json["runs"]
    told = {item["args"]["M"]: item["status"] for item in runs}
    assert told == {256: "done", 512: "cancelled", 1024: "cancelled"}


def test_a_kernel_that_does_not_match_is_at_fault(run: Any, worker: Scripted) -> None:
    worker.results = [profile(verified=False)]
    done = run("--json")
    assert (done.status, done.result["status"]) == (1, "mismatch")


def test_a_wrong_result_is_told_where_and_how_much(run: Any, worker: Scripted, cli: Any) -> None:
    worker.results = [Ended("job", "done", to_plain(wrong_profile()), blobs=(b"map.",))]
    told = run("--json").result
    (output,) = told["outputs"]
    assert output["worst"][0] == {"index": [12, 7], "got": 3.5, "expected": 1.25}
    assert (output["mismatched"], output["max_share"], output["signature"]) == (51, 20.0, None)
    assert (told["diagnostics"][0]["message"], told["diagnostics"][0]["line"]) == (WRONG, 12)
    for shown in (run(), cli("runs", "show", told["run"])):
        assert WRONG in shown.stdout
        assert "  [4, 1]  got 0.5  expected 0.0\n" in shown.stdout
    shown = cli("runs", "show", told["run"], "--json").json
    assert shown["run"]["diagnostics"][0]["evidence"]["largest_error"]["index"] == [12, 7]
    assert shown["stored"]["profile"]["outputs"][0]["worst"][1]["got"] == 0.5


def test_several_files_are_measured_by_one_worker(
    run: Any, worker: Scripted, tmp_path: Path
) -> None:
    (tmp_path / "second.py").write_text(DOCUMENT.replace("def kernel", "def second"))
    (tmp_path / "broken.py").write_text("def (:\n")
    done = run("second.py", "broken.py", "--json")
    told = [(result["kernel"], result["status"]) for result in done.json["results"]]
    assert told == [(None, "fault"), ("kernel", "ok"), ("second", "ok")]
    assert len(worker.profiles) == 2


def test_a_document_that_cannot_be_read_has_the_same_keys(
    run: Any, tmp_path: Path, cli: Any
) -> None:
    good = run("--json").result
    (tmp_path / "broken.py").write_text("def (:\n")
    done = cli("profile", "broken.py", "--json")
    assert (done.status, done.result["status"]) == (1, "fault")
    lacking = {"series", "run", "device_info", "log"}
    assert good.keys() - done.result.keys() <= lacking


def test_a_person_reads_times_trust_and_predictions(run: Any, worker: Scripted) -> None:
    values = {REGISTERS: 168.0}
    launch = KernelCounters("main", values)
    counters = CounterReport("Nsight Compute 2025.3.1", (launch,))
    worker.results = [profile(counters=counters, latency=latency(358.66, (TRUST,)))]
    text = run("--counters").stdout
    header, row = text.splitlines()[:2]
    assert header.split()[:4] == ["kernel", "case", "device", "median"]
    assert "NVIDIA H200" in row
    assert "% of matmul" in row
    assert "120 samples by graph replay, cold L2; an empty kernel takes 2.10 µs so." in text
    assert TRUST in text
    assert "predicted" in text


def test_differences_are_those_of_the_prediction(run: Any, worker: Scripted) -> None:
    values = {"launch__grid_size": 6.0, "launch__block_size": 64.0, "dram__bytes_write.sum": 0.0}
    launch = KernelCounters("main", values)
    worker.results = [profile(counters=CounterReport("Nsight Compute 2025.3.1", (launch,)))]
    lines = run("--counters").stdout.splitlines()
    told = {line.split("  ")[0]: line.split("  ")[-1].strip() for line in lines if "  " in line}
    assert told["Blocks"] == "equal"
    assert told["Threads of a block"] == "predicted +100 %"
    assert told["Time of a launch"] == "estimate \N{MINUS SIGN}97 %"


@pytest.mark.gpu
def test_a_real_gpu_is_measured(cli_process: Any, kernels: Path) -> None:
    done = cli_process("profile", kernels / "softmax.py", "--case", "short", "--json")
    assert done.status == 0, done.stdout + done.stderr
    assert done.result["latency"]["median_us"] > 0
