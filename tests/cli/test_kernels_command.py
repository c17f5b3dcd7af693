from __future__ import annotations

from pathlib import Path
from typing import Any


def test_the_shipped_kernels_are_listed_with_their_cases(cli: Any, kernels: Path) -> None:
    done = cli("kernels", kernels, "--json")
    names = {Path(k["file"]).name: [c["name"] for c in k["cases"]] for k in done.json["kernels"]}
    assert done.status == 0
    assert names["softmax.py"] == ["rows", "short"]
    assert done.json["schema"] == 1


def test_a_document_with_a_side_effect_leaves_no_trace(cli: Any, tmp_path: Path) -> None:
    trace, file = tmp_path / "trace", tmp_path / "document.py"
    file.write_text(f"import tilelang\nopen({str(trace)!r}, 'w')\n@tilelang.jit\ndef k(A): ...\n")
    before = set(tmp_path.iterdir())
    assert cli("kernels", file, "--json").json["kernels"][0]["kernel"] == "k"
    assert set(tmp_path.iterdir()) == before


def test_a_syntax_error_is_a_diagnostic_and_status_1(cli: Any, tmp_path: Path) -> None:
    file = tmp_path / "broken.py"
    file.write_text("x = 1\ndef broken(:\n")
    done = cli("kernels", file, "--json")
    assert done.status == 1
    (diagnostic,) = done.json["diagnostics"]
    assert (diagnostic["code"], diagnostic["line"]) == ("python-error", 2)


def test_a_file_that_is_not_there_is_named_with_the_nearest(cli: Any, kernels: Path) -> None:
    done = cli("kernels", kernels / "gmm.py")
    assert (done.status, done.stdout) == (2, "")
    assert "gemm.py" in done.stderr


def test_an_early_error_has_the_key_of_a_good_end(cli: Any, kernels: Path) -> None:
    done = cli("kernels", kernels / "gmm.py", "--json")
    assert (done.status, done.json["kernels"], done.json["status"]) == (2, [], "error")
    assert "results" not in done.json
    assert "gemm.py" in done.json["error"]["message"]


def test_the_help_tells_the_exit_statuses(cli: Any) -> None:
    for words in (("--help",), ("compile", "--help")):
        done = cli(*words)
        assert done.status == 0
        assert "1  the document is at fault" in done.stdout
        assert "no reference" in done.stdout
