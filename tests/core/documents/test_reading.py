"""Files that cannot be documents, each with its message, and encodings that can."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from workbench.core.documents.listing import kernel_listing
from workbench.core.documents.model import DocumentError
from workbench.core.documents.reading import MAX_DOCUMENT_BYTES, parse_document, read_document


def message_for(path: Path) -> str:
    with pytest.raises(DocumentError) as caught:
        read_document(path)
    return str(caught.value)


def test_a_missing_file_suggests_the_nearest(tmp_path: Path) -> None:
    (tmp_path / "matmul.py").write_text("")
    message = message_for(tmp_path / "matmull.py")
    assert message == f"{tmp_path}/matmull.py does not exist. Did you mean {tmp_path}/matmul.py?"


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    assert f"no folder {tmp_path}/sub" in message_for(tmp_path / "sub" / "a.py")


def test_a_file_used_as_a_folder_is_said(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("")
    assert "cannot be read" in message_for(tmp_path / "a.py" / "b.py")


def test_a_folder_names_its_files(tmp_path: Path) -> None:
    assert "no Python file" in message_for(tmp_path)
    for name in "gfedcba":
        (tmp_path / f"{name}.py").write_text("")
    assert "a.py, b.py, c.py, d.py, e.py and 2 more" in message_for(tmp_path)


def test_a_binary_is_called_one(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"\x7fELF\x02\x01\x01\x00\x00")
    assert "is a binary file" in message_for(path)


def test_a_large_file_is_refused_with_its_size(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"x = 1\n" * (10 * 2**20 // 6))
    assert "has 10.0 MiB; a kernel document has at most 4 MiB" in message_for(path)


def test_a_file_of_just_the_limit_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(b"#" * MAX_DOCUMENT_BYTES)
    assert read_document(path).kernels == ()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (b"x = 1\ny = '\xe9'\n", "is not utf-8 at line 2 (byte 0xe9)"),
        (b"# \xe9\n", "is not utf-8 at line 1 (byte 0xe9)"),
        (b"# coding: klingon\n", "unknown encoding"),
        (b"# coding: hex\n", "not a text encoding"),
        ("x = 1\n".encode("utf-16"), "is UTF-16 or UTF-32"),
        (b"\xef\xbb\xbf# coding: latin-1\n", "encoding problem"),
    ],
)
def test_an_undecodable_file_says_where_and_what_next(
    tmp_path: Path, source: bytes, message: str
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(source)
    assert message in message_for(path)
    assert "Save it as UTF-8" in message_for(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_a_pipe_is_refused_without_waiting_on_it(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "a.py")
    assert "not a file but a device or pipe" in message_for(tmp_path / "a.py")


def test_a_path_that_cannot_be_is_said() -> None:
    assert "cannot be read" in message_for(Path("a\0b.py"))
    assert "cannot be read" in message_for(Path("a" * 5000))


@pytest.mark.parametrize("source", [b"", b"\n  \n", b"\xef\xbb\xbf"])
def test_an_empty_file_is_a_diagnostic(tmp_path: Path, source: bytes) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(source)
    (diagnostic,) = read_document(path).diagnostics
    assert (diagnostic.code, diagnostic.message) == ("no-kernel-found", "The file is empty.")


@pytest.mark.parametrize(
    ("source", "text"),
    [
        (b"\xef\xbb\xbfx = '\xc3\xa9'\r\n", "x = 'é'\r\n"),
        (b"# coding: latin-1\nx = '\xe9'", "# coding: latin-1\nx = 'é'"),
        (b"# coding: latin-1\rx = '\xe9'\r", "# coding: latin-1\rx = 'é'\r"),
        (b"#!p\n# vim: fileencoding=cp1252\n# \x80\n", "#!p\n# vim: fileencoding=cp1252\n# €\n"),
    ],
)
def test_a_text_keeps_its_line_ends_and_is_decoded_as_declared(
    tmp_path: Path, source: bytes, text: str
) -> None:
    path = tmp_path / "a.py"
    path.write_bytes(source)
    document = read_document(path)
    assert document.text == text
    assert [d.code for d in document.diagnostics] == ["no-kernel-found"]


def test_a_document_is_never_executed(tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    path = tmp_path / "a.py"
    path.write_text(
        "import tilelang\nimport tilelang.language as T\n"
        f"open({str(trace)!r}, 'w')\n"
        f"@tilelang.jit(out_idx=[open({str(trace)!r}, 'w')])\n"
        f"def f(a=open({str(trace)!r}, 'w')):\n    return g()\n"
    )
    listing = kernel_listing(read_document(path))
    assert [entry["kernel"] for entry in listing["kernels"]] == ["f"]
    assert not trace.exists()


@pytest.mark.parametrize(
    ("source", "line"),
    [("x = (\n\n", 1), ("\nif x\n", 2), ("x = 1\n  y = 2\n", 2), ("a\0b", 1), ("'''\n\n", 1)],
)
def test_a_syntax_error_is_a_diagnostic_at_its_line(source: str, line: int) -> None:
    (diagnostic,) = parse_document(source).diagnostics
    assert diagnostic.range is not None
    assert (diagnostic.code, diagnostic.range.line) == ("python-error", line)


def test_a_doubtful_escape_warns_nobody(recwarn: pytest.WarningsRecorder) -> None:
    parse_document("x = '\\d'\n")
    assert list(recwarn) == []


def test_functions_and_main_are_noted() -> None:
    document = parse_document("def a(): ...\nif True:\n    def main(): ...\n")
    assert document.functions == ("a", "main")
    assert document.has_main


def test_a_file_with_a_main_may_have_its_kernels_elsewhere() -> None:
    (diagnostic,) = parse_document("from k import f\ndef main():\n    f()\n").diagnostics
    assert (diagnostic.code, diagnostic.severity.value) == ("no-kernel-found", "info")
