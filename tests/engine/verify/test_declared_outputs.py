from __future__ import annotations

from typing import Any

import pytest

from workbench.core.jobs import KernelChoice, Source, VerifyRequest, VerifyResult
from workbench.core.targets.table import load_targets
from workbench.engine.faults import DocumentFaultError
from workbench.engine.simulator import Parameter
from workbench.engine.verify.declared_outputs import (
    MISUSE,
    Signature,
    check_outputs,
    check_reference,
    out_idx_line,
)
from workbench.engine.verify.job import verify

PATH = "/somewhere/add.py"
TEXT = """\
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[2],
)
def add(N=64):
    @T.prim_func
    def main(
        A: T.Tensor((N,), "float32"), B: T.Tensor((N,), "float32"), C: T.Tensor((N,), "float32")
    ):
        with T.Kernel(1, threads=64) as bx:
            for i in T.Parallel(N):
                C[i] = A[i] + B[i]

    return main


def ref_program(A, B):
    return A + B
"""
OUT_IDX_LINE, REFERENCE_LINE = 6, 20


def parameter(name: str, mode: str) -> Parameter:
    return Parameter(name, "float32", (64,), True, "r" in mode, "w" in mode)


def signature(modes: str, declared: tuple[int, ...] | None) -> Signature:
    """A kernel of A, B, C..., with "r", "w", "rw" or "-" for each of them."""
    named = zip("ABCD", modes.split(), strict=False)
    parameters = tuple(parameter(name, mode) for name, mode in named)
    return Signature(Source(PATH, TEXT, "/somewhere", True), "add", parameters, declared)


def ref_program(A: Any, B: Any) -> Any:  # noqa: N803 - as TileLang's examples write it
    return A + B


def run(text: str) -> VerifyResult:
    choice = KernelChoice("add", "lazy", {"N": 64}, 8)
    target = load_targets().resolve("a100").to_json()
    request = VerifyRequest(Source(PATH, text, "/somewhere", True), choice, target, "ref_program")
    return verify(request, lambda text, fraction: None)[0]


def test_an_input_named_as_the_output_is_told_with_what_should_stand_there() -> None:
    with pytest.raises(DocumentFaultError) as raised:
        check_outputs(signature("r r w", (0,)), ref_program)
    assert str(raised.value) == (
        "out_idx=[0] names A, which the kernel only reads, and not C, which it writes; "
        "ref_program takes 2 (A, B). Write out_idx=[2]"
    )
    assert (raised.value.line, raised.value.code) == (OUT_IDX_LINE, MISUSE)


def test_every_input_named_is_told_and_the_outputs_named_stay() -> None:
    with pytest.raises(DocumentFaultError, match=r"names A, B, .*Write out_idx=\[2, 3\]"):
        check_outputs(signature("r r w w", (0, 1, 3)), None)


def test_an_input_named_where_the_rest_is_updated_in_place_needs_no_out_idx() -> None:
    with pytest.raises(DocumentFaultError, match="Leave out_idx away"):
        check_outputs(signature("rw r", (1,)), None)


@pytest.mark.parametrize(
    ("modes", "declared"),
    [
        ("r r w", (2,)),
        ("r r w", None),
        ("r rw", (1,)),  # what is cleared and then added to
        ("rw -", (1,)),  # nobody writes the output: the comparison shows that
        ("r w w", (1,)),  # the caller may give another output
    ],
)
def test_what_is_written_may_be_named(modes: str, declared: tuple[int, ...] | None) -> None:
    check_outputs(signature(modes, declared), ref_program)


def test_a_reference_that_takes_the_inputs_is_good() -> None:
    check_reference(signature("r r w", (2,)), ref_program, (0, 1))
    check_reference(signature("r r w", (2,)), lambda *inputs: None, (0, 1))
    check_reference(signature("r r w", (2,)), max, (0, 1))  # a built-in tells no signature


def test_an_output_that_out_idx_leaves_out_is_named_before_the_reference() -> None:
    with pytest.raises(
        DocumentFaultError, match=r"out_idx=\[3\] does not name C, so the kernel"
    ) as e:
        check_reference(signature("r r w w", (3,)), ref_program, (0, 1, 2))
    assert (e.value.line, e.value.code) == (OUT_IDX_LINE, MISUSE)
    assert "3 inputs (A, B, C); ref_program takes 2 (A, B). Write out_idx=[2, 3]" in str(e.value)


def test_a_reference_with_too_few_parameters_is_told_with_the_inputs() -> None:
    with pytest.raises(DocumentFaultError) as raised:
        check_reference(signature("r r r w", (3,)), ref_program, (0, 1, 2))
    assert str(raised.value) == (
        "the kernel has 3 inputs (A, B, C); ref_program takes 2 (A, B). "
        "Give it a parameter for each input"
    )
    assert raised.value.code is None


def test_the_line_is_that_of_the_last_definition() -> None:
    assert out_idx_line(TEXT, "add") == OUT_IDX_LINE
    assert out_idx_line("mul = tilelang.jit(out_idx=[0])(build)\n", "mul") == 1
    assert out_idx_line("import tilelang\n@tilelang.jit\ndef add(A): ...\n", "add") is None


def test_a_verification_tells_the_misuse_at_the_decorator() -> None:
    result = run(TEXT.replace("[2]", "[0]"))
    assert result.failure is not None
    assert result.failure.message.startswith("out_idx=[0] names A, which the kernel only reads")
    assert result.failure.line == OUT_IDX_LINE
    (diagnostic,) = result.diagnostics
    assert (diagnostic.code, diagnostic.range and diagnostic.range.line) == (MISUSE, OUT_IDX_LINE)


def test_a_verification_tells_a_short_reference_at_its_line() -> None:
    result = run(TEXT.replace("def ref_program(A, B)", "def ref_program(A)"))
    assert result.failure is not None
    assert result.failure.message.startswith("the kernel has 2 inputs (A, B); ref_program takes 1")
    assert result.failure.line == REFERENCE_LINE


def test_a_verification_with_the_right_index_passes() -> None:
    assert [seed.passed for seed in run(TEXT).seeds] == [True]


def test_made_inputs_of_another_dtype_are_told_at_make_inputs() -> None:
    made = "\n\ndef make_inputs(N):\n    return torch.ones(N), torch.ones(N).half()\n"
    result = run(TEXT + made + "\n\nimport torch\n")
    assert result.failure is not None
    assert result.failure.message.startswith("make_inputs gives B a tensor of float16")
    assert result.failure.line == len(TEXT.splitlines()) + 3
    assert [d.code for d in result.diagnostics] == ["inputs-error"]
