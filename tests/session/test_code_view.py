from __future__ import annotations

from workbench.core.jobs import CompileResult, Failure, PassesResult, PassRecord, Resources
from workbench.core.targets.table import load_targets
from workbench.session.code_comparisons import (
    ALONE,
    BEFORE,
    PINNED,
    Against,
    Comparison,
    choices,
    left_place,
    needed,
)
from workbench.session.code_inputs import (
    CodeInputs,
    Language,
    Stage,
    State,
    TargetCode,
    comparison_key,
    target_code,
)
from workbench.session.code_passes import PassTrace, step
from workbench.session.code_sentences import comparison_sentence
from workbench.session.code_view import CodeView, Place, names_of
from workbench.session.text_differences import compare

NEEDS_NVCC = "nvcc 13.0.88 has no sm_70 (it begins at sm_75): set CUDA_HOME to a CUDA 12 toolkit"
GOOD = CompileResult(
    None,
    emitted={"tir": "a\nb\n", "lowered": "c\n", "host": "", "ptx": "ret;\n"},
    grid=(8, 16, 1),
    block=(128, 1, 1),
    resources=Resources(registers=240, spill_bytes=0),
)


def view(**results: CompileResult | None) -> CodeView:
    targets = tuple(
        TargetCode(name, name.upper(), mark, result)
        for mark, (name, result) in enumerate(results.items())
    )
    return CodeView(CodeInputs("kernels/gemm.py", targets))


def shown(code: CodeView, stage: Stage, target: str = "h100") -> tuple[State, str, str]:
    content = code.content(Place(target, stage))
    assert content is not None
    return content.state, content.sentence, content.cure


def record(index: int, name: str, before: int, after: int | None, **more: object) -> PassRecord:
    return PassRecord(
        index, name, before != after and after is not None, before, after, 0.25, **more
    )  # type: ignore[arg-type]


TRACE = PassTrace(
    PassesResult(
        None,
        (
            record(0, "tl.Simplify", 0, 0),
            record(1, "tirx.BindTarget", 0, 1),
            record(2, "tl.Simplify", 1, 2, depth=1),
            record(3, "tl.Filter", 1, 2, side="device"),
        ),
    ),
    (b"a\nb\n", b"a\nb\nc\n", b"b\nd\n"),
)


def test_a_text_that_was_emitted_is_ready_with_its_facts() -> None:
    state, sentence, _ = shown(view(h100=GOOD), Stage.PTX)
    assert state is State.READY
    assert sentence == "PTX for H100: 1 line, 240 registers a thread, no spills."


def test_the_launch_is_told_with_the_lowered_text() -> None:
    _, sentence, _ = shown(view(h100=GOOD), Stage.LOWERED)
    assert sentence == "Lowered IR for H100: 1 line, grid 8 × 16, 128 threads."


def test_an_empty_text_is_ready_and_said_to_be_empty() -> None:
    assert shown(view(h100=GOOD), Stage.HOST)[:2] == (State.READY, "Host IR for H100: empty.")


def test_what_is_missing_has_its_reason_and_its_cure() -> None:
    result = CompileResult(None, missing={"sass": NEEDS_NVCC})
    state, sentence, cure = shown(view(v100=result), Stage.SASS, "v100")
    assert state is State.MISSING
    assert sentence == "No SASS for V100: nvcc 13.0.88 has no sm_70 (it begins at sm_75)."
    assert cure == "Set CUDA_HOME to a CUDA 12 toolkit."


def test_a_machine_code_that_is_missing_counts_for_both_its_stages() -> None:
    code = view(v100=CompileResult(None, missing={"machine code": NEEDS_NVCC}))
    states = [shown(code, stage, "v100")[0] for stage in (Stage.PTX, Stage.SASS, Stage.TIR)]
    assert states == [State.MISSING, State.MISSING, State.ABSENT]


def test_a_failure_is_told_where_its_text_is_not_there() -> None:
    failure = Failure("kernel", "no layout for C_local.")
    code = view(cpu=CompileResult(failure, emitted={"tir": "a"}))
    state, sentence, _ = shown(code, Stage.LOWERED, "cpu")
    assert (state, sentence) == (State.FAILED, "No Lowered IR for CPU: no layout for C_local.")
    assert shown(code, Stage.TIR, "cpu")[0] is State.READY


def test_a_text_that_was_asked_for_is_loading_until_it_is_there() -> None:
    inputs = view(h100=GOOD).inputs
    asked = frozenset({("h100", Stage.SASS), ("h100", Stage.PTX)})
    code = CodeView(inputs, {}, asked)
    assert [shown(code, s)[0] for s in (Stage.SASS, Stage.PTX)] == [State.LOADING, State.READY]


def test_a_target_without_a_result_says_so() -> None:
    state, sentence, cure = shown(view(h100=None), Stage.TIR)
    assert (state, cure) == (State.ABSENT, "Compile to read its Tile IR.")
    assert sentence == "Nothing was compiled for H100 yet."


def test_a_file_is_named_after_document_target_and_stage() -> None:
    table = load_targets()
    targets = tuple(target_code(table.resolve(n), 0, GOOD) for n in ("mi300x", "h200:sm_80"))
    code = CodeView(CodeInputs("kernels/gemm.py", targets))
    names = [
        content.file_name
        for target, stage in (("mi300x", Stage.SOURCE), ("h200:sm_80", Stage.PTX))
        if (content := code.content(Place(target, stage)))
    ]
    assert names == ["gemm.mi300x.hip", "gemm.h200-sm_80.ptx"]


def test_a_place_whose_target_is_gone_has_no_content() -> None:
    code = CodeView(view(h100=GOOD).inputs, {"h100": TRACE})
    assert code.content(Place("a100", Stage.TIR)) is None
    assert code.content(Place("h100", pass_index=9)) is None


def test_a_pass_has_its_text_and_what_it_was_given() -> None:
    code = CodeView(view(h100=GOOD).inputs, {"h100": TRACE})
    after, before = (code.content(Place("h100", None, 1, before)) for before in (False, True))
    assert after is not None
    assert before is not None
    assert (before.text, after.text) == ("a\nb\n", "a\nb\nc\n")
    assert after.sentence == (
        "BindTarget changes the kernel: 1 line new, 0 gone, 250 ms, on the module."
    )


def test_a_failed_pass_shows_why_and_what_it_was_given() -> None:
    result = PassesResult(Failure("kernel", "no layout"), (record(0, "tl.Layout", 0, None),))
    trace = PassTrace(result, (b"a",))
    code = CodeView(view(cpu=GOOD).inputs, {"cpu": trace})
    content = code.content(Place("cpu", None, 0))
    assert content is not None
    assert (content.text, content.fault) == ("a", "no layout")
    assert content.title == "Before 1 Layout for CPU"
    assert left_place(code, content.place, BEFORE, None) is None
    assert [row.index for row in trace.shown(only_changes=True)] == [0]


def test_only_changes_leaves_out_what_changed_nothing() -> None:
    assert [row.number for row in TRACE.shown(only_changes=True)] == [2, 3, 4]
    assert len(TRACE.shown(only_changes=False)) == 4


def test_the_time_of_an_inner_pass_is_in_the_outer_ones() -> None:
    assert TRACE.seconds == 0.75


def test_steps_go_to_the_next_row_also_from_one_that_is_filtered_out() -> None:
    rows = TRACE.shown(only_changes=True)
    assert [step(rows, at, 1) for at in (None, 0, 1, 3)] == [1, 1, 2, 3]
    assert [step(rows, at, -1) for at in (None, 0, 1, 3)] == [3, 1, 1, 2]
    assert step((), 0, 1) is None


def test_a_pass_is_compared_with_what_it_was_given() -> None:
    code = CodeView(view(h100=GOOD).inputs, {"h100": TRACE})
    place = Place("h100", pass_index=1)
    assert left_place(code, place, BEFORE, None) == Place("h100", None, 1, before=True)
    assert left_place(code, Place("h100", Stage.TIR), BEFORE, None) is None
    assert left_place(code, place, ALONE, None) is None


def test_a_pass_of_another_target_is_the_same_one_of_its_name() -> None:
    other = PassTrace(
        PassesResult(None, (record(0, "tl.Simplify", 0, 0), record(1, "tl.Simplify", 0, 0))),
        (b"a",),
    )
    code = CodeView(view(h100=GOOD, a100=GOOD).inputs, {"h100": TRACE, "a100": other})
    against = Comparison(Against.TARGET, "a100")
    assert left_place(code, Place("h100", None, 2), against, None) == Place("a100", None, 1)
    assert left_place(code, Place("h100", None, 3), against, None) is None


def test_a_stage_is_compared_with_another_target_stage_or_pinned_text() -> None:
    code = view(h100=GOOD, a100=GOOD)
    place, pinned = Place("h100", Stage.PTX), Place("a100", Stage.TIR)
    comparisons = (
        Comparison(Against.TARGET, "a100"),
        Comparison(Against.STAGE, "tir"),
        PINNED,
    )
    found = [left_place(code, place, comparison, pinned) for comparison in comparisons]
    assert found == [Place("a100", Stage.PTX), Place("h100", Stage.TIR), pinned]
    assert left_place(code, pinned, PINNED, pinned) is None


def test_choices_name_what_can_be_compared() -> None:
    code = CodeView(view(h100=GOOD, a100=GOOD).inputs, {"h100": TRACE})
    titles = [c.title for c in choices(code, Place("h100", None, 1), Place("a100", Stage.TIR))]
    assert titles == ["Nothing", "The text before this pass", "A100", "Pinned: Tile IR for A100"]
    stages = [c.title for c in choices(code, Place("h100", Stage.PTX), None)]
    assert stages == ["Nothing", "A100", "Tile IR", "Lowered IR", "Host IR", "Source", "SASS"]


def test_what_a_comparison_still_needs_is_asked_for_once_it_can_be_had() -> None:
    failed = CompileResult(Failure("kernel", "x"))
    code = view(h100=GOOD, a100=failed, cpu=None)
    places = tuple(Place(name, Stage.SASS) for name in ("h100", "a100", "cpu", "gone"))
    assert needed(code, (*places, None)) == (("h100", Stage.SASS),)


def test_a_comparison_leaves_out_numbers_of_registers_and_labels() -> None:
    ptx, sass = comparison_key(Language.PTX), comparison_key(Language.SASS)
    assert ptx("\t@%p18 bra \t$L__BB0_18;") == ptx("\t@%p2 bra \t$L__BB0_3;")
    assert ptx("add.s32 %r1, %r2, 64;") != ptx("add.s32 %r1, %r2, 32;")
    assert ptx("mov.u32 %r1, %r2;") != ptx("mov.u32 %r1, %f2;")
    line = "        /*00{}*/               @P{} BRA `(.L_x_{}) ;"
    assert sass(line.format("60", 1, 1)) == sass(line.format("f0", 2, 33))
    assert sass("LDC R1, c[0x0][0x28] ;") != sass("LDC R1, c[0x0][0x20] ;")


def test_a_comparison_of_ir_leaves_out_the_indentation() -> None:
    key = comparison_key(Language.TIR)
    assert key("        T.writes()") == key("T.writes()")


def test_two_texts_are_named_with_what_they_have_in_common_said_once() -> None:
    code = view(h100=GOOD, a100=GOOD)
    places = (("h100", Stage.PTX), ("a100", Stage.PTX), ("h100", Stage.TIR), ("a100", Stage.TIR))
    ptx, other, tir, other_tir = (code.content(Place(*place)) for place in places)
    assert ptx and other and tir and other_tir  # noqa: PT018 - all are there
    assert names_of(other, ptx) == "PTX for H100 against A100"
    assert names_of(tir, ptx) == "PTX against Tile IR for H100"
    assert names_of(other_tir, ptx) == "PTX for H100 against Tile IR for A100"


def test_a_comparison_is_told_in_one_sentence() -> None:
    found = compare(["a", "b"], ["a", "c", "d"])
    assert comparison_sentence("X against Y", found, Language.TIR) == (
        "X against Y: 2 lines new, 1 gone in 1 place, indentation aside."
    )
    same = compare(["a"], ["a"])
    assert comparison_sentence("X against Y", same, Language.SASS) == (
        "X against Y: no difference, addresses and numbers of registers aside."
    )
