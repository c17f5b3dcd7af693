from __future__ import annotations

from pathlib import Path

from workbench.core.documents.reading import parse_document
from workbench.session.cases import with_saved_case
from workbench.session.open_document import OpenDocument

TEXT = """# /// workbench
# [[case]]
# name = "small" # kept
# args = { M = 16 }
# targets = ["a100"]
# [[case]]
# name = "large"
# args = { M = 4096 }
# ///
import tilelang


@tilelang.jit
def kernel(M=8, block=32):
    return None
"""


def opened(text: str) -> OpenDocument:
    document = OpenDocument.of(text, Path("/w/kernel.py"), "kernel.py")
    document.targets = ("a100",)
    return document


def saved(document: OpenDocument) -> str:
    return with_saved_case(document.text.encode(), document).decode()


def test_the_arguments_in_force_become_the_cases() -> None:
    document = opened(TEXT)
    document.overrides["block"] = 64
    assert saved(document) == TEXT.replace("{ M = 16 }", "{ M = 16, block = 64}")


def test_the_targets_in_view_become_the_cases() -> None:
    document = opened(TEXT)
    document.targets = ("h100", "a100")
    assert saved(document) == TEXT.replace('["a100"]', '["h100", "a100"]')


def test_a_document_without_a_block_gets_one_and_keeps_the_rest() -> None:
    text = "import tilelang\n\n\n@tilelang.jit\ndef kernel(M=8):\n    return None\n"
    document = opened(text)
    document.overrides["M"] = 32
    written = saved(document)
    (case,) = parse_document(written).metadata.cases  # type: ignore[union-attr]
    assert written.endswith(text)
    assert (case.name, case.args, case.targets) == ("default", {"M": 32}, ("a100",))


def test_nothing_changed_changes_no_byte() -> None:
    assert saved(opened(TEXT)) == TEXT
