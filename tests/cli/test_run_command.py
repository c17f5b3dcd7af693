from __future__ import annotations

from pathlib import Path
from typing import Any

SCRIPT = """
import sys
import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def double(N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32")):
        with T.Kernel(T.ceildiv(N, 64), threads=64) as bx:
            for i in T.Parallel(64):
                B[bx * 64 + i] = A[bx * 64 + i] * 2
    return main


def test_double():
    a = torch.randn(128, device="cuda")
    torch.testing.assert_close(double(128)(a), a * 2)


if __name__ == "__main__":
    print("arguments", sys.argv[1:])
    test_double()
"""


def written(folder: Path, text: str = SCRIPT, name: str = "script.py") -> Path:
    path = folder / name
    path.write_text(text)
    return path


def test_a_good_script_ends_with_0_and_is_in_the_history(cli: Any, tmp_path: Path) -> None:
    (tmp_path / ".git").mkdir()
    done = cli("run", written(tmp_path), "--n", "5", "--json", "--", "--json")
    assert done.status == 0, done.stderr
    found = done.json
    assert (found["schema"], found["status"], found["error"]) == (1, "ok", None)
    assert (found["launches"], found["kernels"][0]["args"]) == (1, {"N": 128})
    assert "arguments ['--n', '5', '--json']" in done.stderr
    listed = cli("runs", "list", "--kind", "script", "--workspace", tmp_path, "--json")
    (run,) = listed.json["runs"]
    assert (run["id"], run["status"], run["kernel"]) == (found["run"], "done", "double")
    assert run["metrics"]["launches"]["value"] == 1
    assert run["document"] == "script.py"


def test_tests_are_counted(cli: Any, tmp_path: Path) -> None:
    text = SCRIPT + "\n\ndef test_wrong():\n    assert double(64)(torch.ones(64)).sum() == 1\n"
    done = cli("run", written(tmp_path, text, "test_double.py"), "--pytest", "--json")
    found = done.json
    assert (done.status, found["status"]) == (1, "failed")
    counts = {name: found["tests"][name] for name in ("passed", "failed", "skipped")}
    assert counts == {"passed": 1, "failed": 1, "skipped": 0}
    assert found["tests"]["each"][1]["line"] == text.splitlines().index("def test_wrong():") + 2


def test_a_script_that_fails_ends_with_1(cli: Any, tmp_path: Path) -> None:
    done = cli("run", written(tmp_path, "import torch\nassert torch.ones(2).sum() == 3\n"))
    assert done.status == 1
    assert "script.py:2: AssertionError" in done.stdout


def test_an_absent_package_is_the_environments_fault(cli: Any, tmp_path: Path) -> None:
    text = "import nobodys_package as n\n\ndef main():\n    n.compute(1)\n\nmain()\n"
    done = cli("run", written(tmp_path, text), "--json")
    assert (done.status, done.json["status"]) == (2, "error")
    assert "nobodys_package is not installed" in done.json["error"]["message"]
    assert done.json["error"]["line"] == 4


def test_a_script_that_is_not_there_is_told(cli: Any, tmp_path: Path) -> None:
    done = cli("run", tmp_path / "none.py", "--json")
    assert (done.status, done.json["status"]) == (2, "error")
    assert (done.json["kernels"], done.json["launches"]) == ([], 0)


def test_an_output_that_is_given_too_is_told_with_what_is_returned(
    cli: Any, tmp_path: Path
) -> None:
    text = SCRIPT.replace("double(128)(a), a * 2", "double(128)(a, a), a * 2")
    done = cli("run", written(tmp_path, text), "--json")
    assert (done.status, done.json["error"]["line"]) == (
        1,
        text[: text.index("(a, a)")].count("\n") + 1,
    )
    assert (
        "It takes A, makes B itself and returns it, because of out_idx=[1]"
        in (done.json["error"]["message"])
    )


def test_an_unknown_target_is_told(cli: Any, tmp_path: Path) -> None:
    done = cli("run", written(tmp_path), "--target", "h299", "--json")
    assert done.status == 2
    assert "h200" in done.json["error"]["message"]


def test_checks_look_at_what_kernels_do(cli: Any, tmp_path: Path) -> None:
    text = SCRIPT.replace("T.ceildiv(N, 64)", "1")
    text = text.replace("double(128)(a), a * 2", "double(128)(a)[:64], a[:64] * 2")
    script = written(tmp_path, text)
    plain, checked = cli("run", script, "--json"), cli("run", script, "--checks", "--json")
    assert (plain.status, plain.json["checks"]) == (0, False)
    assert (checked.status, checked.json["checks"]) == (1, True)
    assert [each["code"] for each in checked.json["diagnostics"]] == ["output-not-covered"]
