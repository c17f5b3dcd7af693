"""What a finished run of compute-sanitizer says of a kernel, and why where it says nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from workbench.core.jobs import KernelChoice, Source, VerifyRequest
from workbench.core.profiles import DeviceInfo
from workbench.engine.device import sanitizing
from workbench.engine.device.launching import REFUSED, About
from workbench.engine.device.ncu_process import Finished

DATA = Path(__file__).parents[2] / "data" / "sanitizer"
ABOUT = About(DeviceInfo("NVIDIA H200"), ("main_kernel",), "", {"25": 22, "20": 19, "21": 21})
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"


def recorded(tool: str) -> str:
    return (DATA / f"{tool}.txt").read_text("utf-8")


def test_findings_are_on_lines_though_the_process_failed() -> None:
    found = sanitizing.read("memcheck", recorded("memcheck"), Finished(6, "Traceback"), ABOUT, 17)
    assert found.sentence == "memcheck found errors on line 22"
    assert [d.range.line for d in found.diagnostics if d.range] == [22]


def test_findings_in_kernels_of_torch_are_not_the_documents() -> None:
    text = recorded("racecheck").replace("main_kernel", "vectorized_elementwise_kernel")
    found = sanitizing.read("racecheck", text, Finished(0, ""), ABOUT, 17)
    assert found.sentence == "racecheck found nothing in a launch"
    assert not found.diagnostics


def test_a_clean_report_is_said_in_a_sentence() -> None:
    found = sanitizing.read("initcheck", CLEAN, Finished(0, ""), ABOUT, 17)
    assert found.sentence == "initcheck found nothing in a launch"


@pytest.mark.parametrize(
    ("report", "done", "about", "said"),
    [
        ("", Finished(REFUSED, "raw\nno GPU here: look"), None, "saw no launch: no GPU here: look"),
        (
            "========= COMPUTE-SANITIZER\n========= Error: Device not supported\n",
            Finished(1, ""),
            ABOUT,
            "did not come to its end: Error: Device not supported",
        ),
        ("", Finished(-9, ""), ABOUT, "did not come to its end: no report"),
        ("", Finished(None, ""), ABOUT, "was ended after 300 s"),
    ],
)
def test_a_run_that_says_nothing_says_why(
    report: str, done: Finished, about: About | None, said: str
) -> None:
    found = sanitizing.read("memcheck", report, done, about, 17)
    assert said in found.sentence
    assert not found.diagnostics


def test_a_machine_without_the_program_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sanitizing, "find_tool", lambda name: None)
    source = Source("kernel.py", "", ".", trusted=True)
    request = VerifyRequest(source, KernelChoice("kernel", "lazy"), {}, None, "local")
    assert "comes with the CUDA toolkit" in sanitizing.sanitize(request, "memcheck").sentence
    assert "has no leaks" in sanitizing.sanitize(request, "leaks").sentence
