"""`new` lists and shows patterns, writes documents, and never writes over a person's work."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

Cli = Callable[..., Any]


def test_the_list_names_each_pattern(cli: Cli) -> None:
    rows = cli("new", "--list", "--json").json["patterns"]
    assert {"scaffold", "gemm", "elementwise"} <= {row["id"] for row in rows}


def test_a_pattern_shows_its_fields_with_help(cli: Cli) -> None:
    fields = {f["name"]: f for f in cli("new", "--show", "gemm", "--json").json["fields"]}
    assert fields["num_stages"]["step"] == "pipeline"
    assert all(field["help"] for field in fields.values())
    assert "num_stages" in cli("new", "--show", "gemm").stdout


def test_a_pattern_without_a_file_is_printed(cli: Cli) -> None:
    done = cli("new", "gemm", "--for", "h200")
    assert done.status == 0
    assert done.stdout.startswith("# /// workbench\n")
    assert "block_N=256" in done.stdout


def test_a_sentence_is_written_to_a_file(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    found = cli("new", "FP16 gemm for A100, M=N=K=4096", "-o", path, "--json").json
    assert (found["targets"], found["file"]) == (["a100"], str(path))
    assert path.read_text(encoding="utf-8") == found["text"]
    assert found["reasons"]["num_stages"].startswith("While one tile is multiplied")


def test_what_a_sentence_lacks_is_named(cli: Cli) -> None:
    done = cli("new", "matrix multiplication for A100, M=N=4096")
    assert done.status == 2
    assert "does not say K" in done.stderr
    assert "not used" not in done.stderr
    assert cli("new", "gemm for A100, M=N=4096", "--set", "K=64").status == 0


def test_what_of_a_sentence_was_not_used_is_told(cli: Cli) -> None:
    words = ("new", "gemm for H100 and M3 Max, M=N=K=512, batch 5")
    done = cli(*words)
    assert done.stdout.startswith("# /// workbench\n")
    assert "note: not used of the sentence: “batch 5”" in done.stderr
    assert [note[:8] for note in cli(*words, "--json").json["notes"]] == ["not used", "what is "]


def test_values_that_are_set_stay(cli: Cli) -> None:
    words = ("new", "gemm", "--for", "h200", "--set", "block_M=64", "--set", "dtype=bf16", "--json")
    values = cli(*words).json["values"]
    assert (values["block_M"], values["dtype"]) == (64, "bfloat16")


def test_an_illegal_choice_names_rule_and_nearest(cli: Cli) -> None:
    sets = ("block_M=128", "block_N=256", "block_K=64", "threads=256", "num_stages=4")
    words = [word for text in sets for word in ("--set", text)]
    done = cli("new", "gemm", "--for", "rtx4090", *words)
    assert done.status == 2
    assert "Too much shared memory (RTX 4090)" in done.stderr
    assert "Nearest: num_stages=2" in done.stderr


def test_what_is_illegal_or_missing_is_data_for_scripts(cli: Cli) -> None:
    words = ("--set", "block_M=128", "--set", "block_N=256", "--set", "threads=128", "--json")
    (breach,) = cli("new", "gemm", "--for", "h200", *words).json["breaches"]
    assert breach["rule"] == "registers-would-spill"
    assert {"threads": 256} in breach["nearest"]
    found = cli("new", "gemm for A100, M=N=4096", "--json")
    assert (found.status, found.json["missing"]) == (2, ["K"])


def test_a_value_that_a_field_does_not_take_is_told(cli: Cli) -> None:
    done = cli("new", "gemm", "--set", "block_M=100", "--json")
    assert done.status == 2
    assert done.json["error"]["message"] == (
        "`block_M` is a power of two, not 100; 64 and 128 are near"
    )


def test_an_unknown_pattern_is_told_with_the_nearest(cli: Cli) -> None:
    assert "did you mean `softmax`?" in cli("new", "softmx").stderr


def test_a_file_that_is_there_is_kept(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    cli("new", "gemm", "-o", path)
    done = cli("new", "gemm", "--set", "M=64", "-o", path)
    assert done.status == 2
    assert "edited" not in done.stderr
    assert cli("new", "gemm", "--set", "M=64", "-o", path, "--force").status == 0
    assert "M = 64," in path.read_text(encoding="utf-8")


def test_the_edits_of_a_person_are_shown(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    cli("new", "gemm", "-o", path)
    path.write_text(path.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    done = cli("new", "gemm", "-o", path)
    assert "It was edited since it was generated" in done.stderr
    assert "\n-# mine\n" in done.stderr
    assert path.read_text(encoding="utf-8").endswith("# mine\n")
    assert "\n-# mine\n" in cli("new", "gemm", "-o", path, "--force").stdout


def test_a_file_of_a_person_is_no_generated_one(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    path.write_text("x = 1\n", encoding="utf-8")
    assert "\n-x = 1" in cli("new", "gemm", "-o", path).stderr


def test_a_port_prints_what_differs(cli: Cli, tmp_path: Path) -> None:
    path, other = tmp_path / "mine.py", tmp_path / "other.py"
    cli("new", "gemm", "--for", "h200", "--set", "bias=on", "-o", path)
    done = cli("new", "--port", "mi300x", path, "-o", other)
    assert done.status == 0
    assert "\n-    num_stages=4,\n" in done.stdout
    assert "\n+    num_stages=2,\n" in done.stdout
    assert "Bias_shared" in other.read_text(encoding="utf-8")


def test_a_port_gives_up_what_the_target_cannot(cli: Cli, tmp_path: Path) -> None:
    path = tmp_path / "mine.py"
    cli("new", "gemm", "--for", "h200", "-o", path)
    found = cli("new", "--port", "cpu", path, "--json").json
    assert found["values"]["dtype"] == "float32"
    assert "tilelang.cpu.language" in found["text"]


def test_a_document_that_was_not_generated_cannot_be_ported(cli: Cli, kernels: Path) -> None:
    done = cli("new", "--port", "mi300x", kernels / "gemm.py")
    assert done.status == 2
    assert "was not generated from a pattern" in done.stderr
