"""Whole documents with one kind of mistake in unlike forms, and right ones that look like it."""

import re
from pathlib import Path

import pytest

from workbench.core.diagnostics import Severity

_FORMS = Path(__file__).resolve().parents[2] / "data" / "forms"
_FAULTY = sorted((_FORMS / "faulty").glob("*.py"))
_RIGHT = sorted((_FORMS / "right").glob("*.py"))
_TARGETS = ("a100", "h100")
# What any kernel may be advised besides.
_INCIDENTAL = {"missing-swizzle-l2"}


def _marked(source: str) -> set[tuple[str, int]]:
    """The codes and lines of the comments `# <- code`."""
    return {
        (code, number)
        for number, line in enumerate(source.split("\n"), 1)
        if (match := re.search(r"# <- (.*)", line))
        for code in match.group(1).split()
    }


def _found(path, linted):
    text = path.read_text(encoding="utf-8")
    return linted(text, () if "/// workbench" in text else _TARGETS, path=path)


@pytest.mark.parametrize("path", _FAULTY, ids=lambda path: path.stem)
def test_mistake_is_found_at_its_line_and_nothing_else(path, linted):
    wanted = _marked(path.read_text(encoding="utf-8"))
    found = _found(path, linted)
    assert wanted
    assert wanted <= {(d.code, d.range.line) for d in found}
    others = [d for d in found if d.severity is not Severity.INFO]
    assert {d.code for d in others} <= {code for code, _ in wanted} | _INCIDENTAL


@pytest.mark.parametrize("path", _RIGHT, ids=lambda path: path.stem)
def test_right_kernel_that_looks_like_a_mistake_is_clean(path, linted):
    assert [d for d in _found(path, linted) if d.severity is not Severity.INFO] == []


def test_mistake_in_a_macro_names_the_calls_of_it(linted):
    path = _FORMS / "faulty" / "attention_scores_never_cleared.py"
    lines = path.read_text(encoding="utf-8").split("\n")
    (found,) = (d for d in _found(path, linted) if d.code == "gemm-uninitialized-accumulator")
    (call,) = found.related
    assert lines[call.range.line - 1].strip() == "scores(q, k, s)"


def test_there_are_forms_of_both_sorts():
    assert len(_FAULTY) >= 39
    assert len(_RIGHT) >= 7
