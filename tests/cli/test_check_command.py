from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from faulty_kernels import FAULTY

from workbench.core.data_files import find_data

TEXT = FAULTY["never cleared (eager)"]
NEEDY = """import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[1])
def double(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(1, threads=128):
            for i in T.Parallel(N):
                B[i] = A[i] * 2

    return main
"""


@pytest.fixture
def document(tmp_path: Path) -> Path:
    file = tmp_path / "mine.py"
    file.write_bytes(TEXT.encode())
    return file


def test_lint_gives_the_form_that_scripts_rely_on(cli: Any, document: Path) -> None:
    done = cli("check", document, "--until", "lint", "--target", "h100", "--json")
    (found,) = done.json["diagnostics"]
    assert done.status == 1
    assert done.json["schema"] == 1
    assert (found["code"], found["stage"]) == ("gemm-uninitialized-accumulator", "lint")
    assert found["line"] == TEXT[: TEXT.index("# <-")].count("\n") + 1
    assert found["fixes"][0]["edits"][0]["text"].startswith("TL.clear(acc)")


def test_fix_mends_the_file_and_says_what_it_changed(cli: Any, document: Path) -> None:
    done = cli("check", document, "--until", "lint", "--fix", "--json")
    assert done.status == 0
    assert [entry["code"] for entry in done.json["fixed"]] == ["gemm-uninitialized-accumulator"]
    assert "+        TL.clear(acc)" in done.json["change"]
    assert done.json["diagnostics"] == []
    assert b"TL.clear(acc)" in document.read_bytes()


def test_the_list_names_the_fixes_and_which_are_made(cli: Any, document: Path) -> None:
    printed = cli("check", document, "--until", "lint").stdout.splitlines()
    place = next(n for n, line in enumerate(printed) if "gemm-uninitialized" in line)
    assert printed[place + 1] == "      fix: Clear acc first (made by --fix)"


@pytest.mark.parametrize(
    "words", [("--kernel", "mine"), ("--case", "large"), ("--set", "Q=3")], ids=lambda w: w[0]
)
def test_a_name_that_the_document_lacks_is_refused_at_every_stage(
    cli: Any, document: Path, words: tuple[str, str]
) -> None:
    done = cli("check", document, "--until", "lint", *words)
    assert done.status == 2
    assert done.stdout == ""
    assert words[1].partition("=")[0] in done.stderr


def test_a_kernel_without_arguments_is_told_to_be_unlowered(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "open.py"
    file.write_text(NEEDY)
    done = cli("check", file)
    assert (done.status, done.stdout.count("only the source was looked at: ")) == (0, 1)
    assert "--set N=..." in done.stdout
    (reason,) = cli("check", file, "--json").json["skipped"]
    assert reason in done.stdout


def test_without_fix_the_file_stays_as_it_was(cli: Any, document: Path) -> None:
    cli("check", document, "--until", "lint")
    assert document.read_bytes() == TEXT.encode()


def test_syntax_error_is_told_once(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("def broken(:\n")
    done = cli("check", file, "--json")
    assert [d["code"] for d in done.json["diagnostics"]] == ["python-error"]
    assert done.status == 1


def test_healthy_kernel_passes_all_stages(cli: Any, kernels: Path) -> None:
    done = cli("check", kernels / "elementwise_add.py", "--set", "M=64", "--set", "N=64", "--json")
    assert [d for d in done.json["diagnostics"] if d["severity"] != "info"] == []
    assert (done.json["status"], done.status) == ("ok", 0)


def test_a_guideline_is_left_out_on_request(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "serial.py"
    file.write_text(TEXT.replace("Pipelined(", "serial(").replace(", num_stages=3", ""))
    told = cli("check", file, "--until", "lint", "--json").json["diagnostics"]
    words = ("--without", "missing-pipelining")
    left = cli("check", file, "--until", "lint", *words, "--json").json["diagnostics"]
    codes, rest = {d["code"] for d in told}, {d["code"] for d in left}
    assert codes - rest == {"missing-pipelining"}


def test_a_mistake_cannot_be_left_out(cli: Any, document: Path) -> None:
    done = cli("check", document, "--without", "gemm-uninitialized-accumulator")
    assert done.status == 2
    assert "missing-pipelining" in done.stderr


def test_a_symptom_leads_to_its_cause_from_the_source_alone(cli: Any, document: Path) -> None:
    words = ("--symptom", "it gives garbage", "--until", "lint")
    told = cli("check", document, *words, "--json").json["symptom"]
    assert told["id"] == "wrong-results"
    (cause,) = [c for c in told["causes"] if c["verdict"] == "applies"]
    line = TEXT[: TEXT.index("# <-")].count("\n") + 1
    assert (cause["code"], cause["lines"]) == ("gemm-uninitialized-accumulator", [line])
    assert "block-race" in {c["code"] for c in told["causes"] if c["verdict"] == "not checked"}
    text = cli("check", document, *words).stdout
    assert "applies: Accumulator never cleared" in text
    assert "not checked, only the source was looked at:" in text


def test_the_source_is_enough_for_rules_of_the_lint_stage(cli: Any) -> None:
    words = ("--symptom", "it gives garbage", "--until", "lint", "--json")
    causes = cli("check", find_data("kernels") / "gemm.py", *words).json["symptom"]["causes"]
    verdicts = {c["code"]: c["verdict"] for c in causes}
    assert verdicts["gemm-uninitialized-accumulator"] == "ruled out"
    assert verdicts["block-race"] == "not checked"


def test_words_that_fit_no_symptom_name_those_that_there_are(cli: Any, document: Path) -> None:
    done = cli("check", document, "--symptom", "qwertz")
    assert done.status == 2
    assert "low-occupancy" in done.stderr


def test_a_loop_of_a_name_that_nobody_knows_is_not_called_serial(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "slip.py"
    file.write_text(TEXT.replace("Pipelined(", "pipelined("))
    told = cli("check", file, "--until", "lint", "--json").json["diagnostics"]
    assert "missing-pipelining" not in {d["code"] for d in told}
