from __future__ import annotations

from pathlib import Path

import pytest

from workbench.ui.editor.lexing import ROOT, Kind, LineLexer, State, open_string

ROOT_FOLDER = Path(__file__).resolve().parents[3]
lexer = LineLexer()


def kinds(line: str, state: State = ROOT) -> dict[str, Kind]:
    lexed = lexer.lex(line, state)
    return {line[span.start : span.start + span.length]: span.kind for span in lexed.spans}


def state_after(*lines: str) -> State:
    state = ROOT
    for line in lines:
        state = lexer.lex(line, state).end_state
    return state


def test_names_of_the_dialect_are_functions_and_its_alias_a_builtin() -> None:
    found = kinds("y = T.copy(A)")
    assert found["T"] is Kind.BUILTIN
    assert found["copy"] is Kind.FUNCTION


def test_a_chain_of_the_dialect_is_coloured_to_its_end() -> None:
    found = kinds("p = T.GemmWarpPolicy.FullRow")
    assert found["GemmWarpPolicy"] is found["FullRow"] is Kind.FUNCTION


def test_an_attribute_named_t_is_no_dialect() -> None:
    assert "T" not in kinds("y = x.T.shape")


def test_a_decorator_of_the_dialect_is_coloured() -> None:
    found = kinds("@T.prim_func")
    assert found["@T"] is Kind.BUILTIN
    assert found["prim_func"] is Kind.FUNCTION


@pytest.mark.parametrize(
    ("line", "word", "kind"),
    [
        ("for i in range(3):", "for", Kind.KEYWORD),
        ("for i in range(3):", "range", Kind.BUILTIN),
        ("for i in range(3):", "3", Kind.NUMBER),
        ("x = 'a'  # why", "'a'", Kind.STRING),
        ("x = 'a'  # why", "# why", Kind.COMMENT),
        ("def main(a):", "main", Kind.FUNCTION),
    ],
)
def test_python_is_coloured(line: str, word: str, kind: Kind) -> None:
    assert kinds(line)[word] is kind


def test_a_string_in_triple_quotes_goes_on_below() -> None:
    state = state_after('x = """one')
    assert lexer.is_inside_string(state)
    assert kinds("for two", state) == {"for two": Kind.STRING}
    assert state_after('x = """one', 'end"""') == ROOT


@pytest.mark.parametrize("line", ['x = "open', 'x = f"{open', "x = f'open {"])
def test_an_unclosed_short_string_ends_with_its_line(line: str) -> None:
    assert state_after(line) == ROOT


def test_a_backslash_carries_a_short_string_on() -> None:
    assert lexer.is_inside_string(state_after('x = "open\\'))


def test_code_hides_brackets_in_strings_and_comments() -> None:
    assert lexer.lex("f('(', x)  # ]", ROOT).code == 'f(""", x)     '


def test_columns_beyond_the_limit_stay_plain() -> None:
    lexed = lexer.lex("1 " * 10_000, ROOT)
    assert max(span.start for span in lexed.spans) < 4000
    assert len(lexed.code) == 20_000


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ('x = """\n|', '"""'),
        ("x = rb'''\nab\n|", "rb'''"),
        ('x = """\n"""\n|', None),
        ('# """\n|', None),
        ("x = \"'''\"\n|", None),
        ('x = """\\"""\n|"""', '"""'),
        ("|", None),
    ],
)
def test_the_open_string_at_a_position_is_found(text: str, opening: str | None) -> None:
    assert open_string(text.replace("|", ""), text.index("|")) == opening


def test_the_guessed_state_is_the_exact_one_on_every_line_of_the_kernels() -> None:
    for path in sorted((ROOT_FOLDER / "kernels").glob("*.py")):
        text, state, position = path.read_text(encoding="utf-8"), ROOT, 0
        for line in text.split("\n"):
            assert lexer.state_at(text, position) == state, f"{path.name}: {line}"
            state = lexer.lex(line, state).end_state
            position += len(line) + 1
