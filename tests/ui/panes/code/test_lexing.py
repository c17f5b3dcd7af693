from __future__ import annotations

import pytest

from workbench.session.code_inputs import Language
from workbench.ui.editor.lexing import ROOT, Kind, State
from workbench.ui.panes.code.lexing import lexer_of


def coloured(language: Language, line: str, state: State = ROOT) -> dict[str, Kind]:
    """The coloured pieces of a line, but for operators."""
    lexed = lexer_of(language).lex(line, state)
    pieces = {line[start : start + length]: kind for start, length, kind in lexed.spans}
    return {text: kind for text, kind in pieces.items() if kind is not Kind.OPERATOR}


def test_cuda() -> None:
    line = 'extern "C" __global__ void main_kernel(half_t* A) { tl::gemm_ss<64>(0x1f, .5f); // go'
    assert coloured(Language.SOURCE, line) == {
        "extern": Kind.KEYWORD,
        '"C"': Kind.STRING,
        "__global__": Kind.KEYWORD,
        "void": Kind.BUILTIN,
        "main_kernel": Kind.FUNCTION,
        "half_t": Kind.BUILTIN,
        "tl": Kind.BUILTIN,
        "gemm_ss": Kind.FUNCTION,
        "64": Kind.NUMBER,
        "0x1f": Kind.NUMBER,
        ".5f": Kind.NUMBER,
        "// go": Kind.COMMENT,
    }


def test_preprocessor() -> None:
    assert coloured(Language.SOURCE, "#include <tl_templates/cuda/gemm.h>") == {
        "#include": Kind.KEYWORD,
        "<tl_templates/cuda/gemm.h>": Kind.STRING,
    }


def test_a_number_within_a_name_is_none() -> None:
    assert coloured(Language.SOURCE, "A_local_1 = B2;") == {}


def test_ptx() -> None:
    assert coloured(Language.PTX, "\t@%p18 ld.global.nc.v4.b32 \t%r1, [%rd2+16];") == {
        "@%p18": Kind.KEYWORD,
        "ld.global.nc.v4.b32": Kind.FUNCTION,
        "16": Kind.NUMBER,
    }
    assert coloured(Language.PTX, "\tmov.u32 %r1, %tid.x;") == {
        "mov.u32": Kind.FUNCTION,
        "%tid.x": Kind.BUILTIN,
    }
    assert coloured(Language.PTX, "\t.param .align 128 .b8 p[128],") == {
        ".param": Kind.KEYWORD,
        ".align": Kind.KEYWORD,
        ".b8": Kind.KEYWORD,
        "128": Kind.NUMBER,
    }
    assert coloured(Language.PTX, "$L__BB0_18:") == {"$L__BB0_18:": Kind.BUILTIN}
    assert coloured(Language.PTX, "\tmov.f32 %f1, 0f3F800000;")["0f3F800000"] is Kind.NUMBER


def test_sass() -> None:
    line = "        /*0060*/               @!P1 LDC.64 R2, c[0x0][0x28] ;  /* 0x00000a */"
    assert coloured(Language.SASS, line) == {
        "/*0060*/": Kind.COMMENT,
        "@!P1": Kind.KEYWORD,
        "LDC.64": Kind.FUNCTION,
        "c[0x0][0x28]": Kind.NUMBER,
        "/* 0x00000a */": Kind.COMMENT,
    }
    assert coloured(Language.SASS, ".L_x_50:") == {".L_x_50:": Kind.BUILTIN}
    assert coloured(Language.SASS, "\t.align\t128") == {
        "\t.align": Kind.KEYWORD,
        "128": Kind.NUMBER,
    }


def test_the_ir_is_python_with_its_two_modules() -> None:
    found = coloured(Language.TIR, "        A = T.match_buffer(a, (1024,))")
    assert (found["T"], found["match_buffer"]) == (Kind.BUILTIN, Kind.FUNCTION)
    assert coloured(Language.TIR, "@I.ir_module")["ir_module"] is Kind.FUNCTION


@pytest.mark.parametrize("language", [Language.SOURCE, Language.PTX, Language.SASS])
def test_a_comment_goes_on_over_lines(language: Language) -> None:
    lexer = lexer_of(language)
    opened = lexer.lex("x /* begins", ROOT)
    assert lexer.is_inside_string(opened.end_state)
    within = lexer.lex("within", opened.end_state)
    assert (within.spans[0].kind, within.end_state) == (Kind.COMMENT, opened.end_state)
    closed = lexer.lex("ends */ y", within.end_state)
    assert (closed.spans[0][:2], closed.end_state) == ((0, 7), ROOT)


def test_the_state_within_a_comment_is_found_in_the_text() -> None:
    lexer, text = lexer_of(Language.SOURCE), "a /* b\nc */\nd"
    states = [lexer.is_inside_string(lexer.state_at(text, at)) for at in (0, 7, 12)]
    assert states == [False, True, False]


def test_brackets_in_comments_and_strings_are_no_code() -> None:
    lexed = lexer_of(Language.SOURCE).lex('f(")"); // (', ROOT)
    assert lexed.code == 'f("""); ' + " " * 4


def test_spans_do_not_overlap() -> None:
    lexed = lexer_of(Language.SASS).lex('  /*0010*/  @P0 BRA `(.L_x_1) ; // "x" 12', ROOT)
    ends = [span.start + span.length for span in lexed.spans]
    assert all(end <= span.start for end, span in zip(ends, lexed.spans[1:], strict=False))
