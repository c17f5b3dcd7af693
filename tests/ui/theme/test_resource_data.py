from __future__ import annotations

from PySide6.QtCore import QFile, QIODevice

from workbench.ui.theme.resource_data import register_files


def read(path: str) -> bytes:
    file = QFile(path)
    assert file.open(QIODevice.OpenModeFlag.ReadOnly), path
    return bytes(file.readAll().data())


def test_qt_reads_every_file_that_was_registered() -> None:
    files = {f"name-{number}.txt": f"content {number}".encode() * number for number in range(40)}
    folder = register_files("test-many", files)
    assert {name: read(f"{folder}/{name}") for name in files} == files


def test_qt_finds_no_other_file() -> None:
    folder = register_files("test-one", {"here.txt": b"x"})
    assert not QFile.exists(f"{folder}/there.txt")
