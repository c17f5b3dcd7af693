from __future__ import annotations

from pathlib import Path

from workbench.core.documents.reading import parse_document
from workbench.core.jobs import RunScriptResult, ScriptKernel
from workbench.session.recorded_cases import recorded_cases

TEXT = """
import tilelang
import tilelang.language as T

@tilelang.jit(out_idx=[-1])
def add(M, N, block=32, dtype="float32", config=None):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), B: T.Tensor((M, N), dtype)):
        pass
    return main
"""
PATH = Path("/somewhere/script.py")


def recorded(*kernels: ScriptKernel) -> RunScriptResult:
    return RunScriptResult(None, kernels=kernels)


def test_each_set_of_arguments_becomes_a_case_once() -> None:
    document = parse_document(TEXT, PATH)
    first = ScriptKernel("add", str(PATH), 6, {"M": 8, "N": 16, "block": 32, "config": None})
    second = ScriptKernel("add", str(PATH), 6, {"M": 9, "N": 16}, dims={"m": 3})
    cases = recorded_cases(document, recorded(first, first, second))
    assert [case.name for case in cases] == ["recorded-1", "recorded-2"]
    assert cases[0].args == {"M": 8, "N": 16, "block": 32}
    assert (cases[1].dims, cases[1].kernel) == ({"m": 3}, None)


def test_what_a_block_cannot_hold_is_left_out() -> None:
    document = parse_document(TEXT, PATH)
    odd = ScriptKernel("add", str(PATH), 6, {"M": 8, "N": 16, "block": "<x>"}, opaque=("block",))
    (case,) = recorded_cases(document, recorded(odd))
    assert case.args == {"M": 8, "N": 16}


def test_other_files_and_incomplete_arguments_give_no_case() -> None:
    document = parse_document(TEXT, PATH)
    elsewhere = ScriptKernel("add", "/somewhere/other.py", 6, {"M": 8, "N": 16})
    incomplete = ScriptKernel("add", str(PATH), 6, {"M": 8})
    assert recorded_cases(document, recorded(elsewhere, incomplete)) == ()
