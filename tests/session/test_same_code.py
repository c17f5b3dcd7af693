"""Texts that are the same program, whatever is said of it."""

from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest

from workbench.core.history import History
from workbench.core.runs import Run, RunKind, RunStatus, blob_hash
from workbench.session.same_code import code_hash, texts_of_code

TEXT = '"""Not measured."""\n\n\ndef kernel(M=8):\n    """Doubles."""\n    return 2 * M\n'


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Not measured.", "Performance: 3 µs."),
        ("    return", "    # twice\n    return"),
        ('    """Doubles."""\n', ""),
        ("2 * M", "2*M"),
    ],
)
def test_what_is_said_of_a_program_does_not_change_it(before: str, after: str) -> None:
    assert code_hash(TEXT.replace(before, after)) == code_hash(TEXT) is not None


@pytest.mark.parametrize(("before", "after"), [("M=8", "M=16"), ("2 * M", "M * 2")])
def test_another_value_or_order_is_another_program(before: str, after: str) -> None:
    assert code_hash(TEXT.replace(before, after)) != code_hash(TEXT)


def test_a_half_typed_text_is_no_program() -> None:
    assert code_hash("def kernel(") is None
    assert code_hash("x = '\0'") is None


def test_stored_texts_of_a_program_are_found(tmp_path: Path) -> None:
    texts = [TEXT, TEXT.replace("Not measured.", "3 µs"), TEXT.replace("8", "9")]
    names = [blob_hash(text.encode()) for text in texts]
    when = datetime(2026, 11, 30, tzinfo=timezone.utc)
    with History(tmp_path / "history.sqlite") as history:
        for name, text in zip(names, texts, strict=True):
            run = Run(f"run-{name[:8]}", when, RunKind.COMPILE, RunStatus.DONE, text_blob=name)
            history.add(run, [text.encode()])
        assert texts_of_code(history, TEXT, [*names, None, "0" * 64]) == set(names[:2])
        assert texts_of_code(history, "def kernel(", names) == set()
