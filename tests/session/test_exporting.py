from __future__ import annotations

import json
from pathlib import Path

import pytest
from exported_kernels import DYNAMIC, SHIPPED, item_of

from workbench.core.exporting.facts import CaseRecord
from workbench.core.exporting.launch_json import FORMAT
from workbench.core.jobs import Failure
from workbench.core.targets.table import load_targets
from workbench.session.exporting import (
    FolderError,
    _cases,
    check_folder,
    export_of,
    export_request,
    write_export,
)
from workbench.session.requests import source_of
from workbench.wire.events import Ended

LAUNCH = json.dumps({"format": FORMAT, "version": 1, "files": {"ptx": "kernel.ptx"}}).encode()


def cases(path: Path, target: str, **args: int) -> tuple[CaseRecord, ...]:
    item = item_of(path, target, args)
    return _cases(item.document, item.selection, load_targets())


def test_a_folder_with_other_files_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(FolderError, match="holds no earlier export"):
        write_export(tmp_path, {"launch.json": LAUNCH})
    assert [path.name for path in tmp_path.iterdir()] == ["thesis.txt"]
    write_export(tmp_path, {"launch.json": LAUNCH}, force=True)
    assert (tmp_path / "thesis.txt").read_text() == "mine"


def test_an_earlier_export_is_replaced_and_what_it_alone_had_goes(tmp_path: Path) -> None:
    write_export(tmp_path / "new", {"launch.json": LAUNCH, "kernel.ptx": b"old", "README.md": b""})
    (tmp_path / "new" / "notes.txt").write_text("mine")
    write_export(tmp_path / "new", {"launch.json": b"{}", "README.md": b"new"})
    assert not (tmp_path / "new" / "kernel.ptx").exists()
    assert (tmp_path / "new" / "README.md").read_bytes() == b"new"
    assert (tmp_path / "new" / "notes.txt").read_text() == "mine"


def test_an_earlier_export_cannot_name_files_elsewhere(tmp_path: Path) -> None:
    outside = tmp_path / "outside.txt"
    outside.write_text("mine")
    folder = tmp_path / "export"
    launch = {"format": FORMAT, "version": 1, "files": {"ptx": "../outside.txt"}}
    write_export(folder, {"launch.json": json.dumps(launch).encode()})
    write_export(folder, {"launch.json": LAUNCH})
    assert outside.read_text() == "mine"


def test_another_launch_json_is_no_export(tmp_path: Path) -> None:
    (tmp_path / "launch.json").write_text('{"version": 1}')
    with pytest.raises(FolderError):
        check_folder(tmp_path, force=False)
    (tmp_path / "launch.json").write_text("not JSON")
    with pytest.raises(FolderError):
        check_folder(tmp_path, force=False)


def test_a_file_in_the_folders_place_is_named(tmp_path: Path) -> None:
    path = tmp_path / "taken"
    path.write_text("")
    with pytest.raises(FolderError, match="is a file"):
        check_folder(path, force=False)


def test_the_test_has_every_case_and_whose_gpus_it_is_for() -> None:
    found = cases(SHIPPED / "gemm.py", "h200")
    assert [(c.selection.case.name, c.vendors) for c in found] == [
        ("square", ("nvidia",)),
        ("ragged", ("nvidia",)),
        ("mi300x", ("amd",)),
    ]


def test_arguments_that_no_case_has_come_first() -> None:
    found = cases(SHIPPED / "gemm.py", "h200", block_M=64)
    assert found[0].selection.case.name == "square, as exported"
    assert found[0].selection.args["block_M"] == 64
    assert len(found) == 4


def test_a_job_that_was_lost_gives_no_files() -> None:
    item = item_of(DYNAMIC, "h200")
    lost = export_of(
        item, Ended("j", "lost", failure=Failure("environment", "gone")), load_targets()
    )
    assert lost.failure == Failure("environment", "gone")
    assert not lost.files


def test_the_request_names_the_reference() -> None:
    item = item_of(DYNAMIC, "h200")
    request = export_request(item, source_of(item.document, Path("/documents"), True))
    assert request.reference == "ref_program"
    assert request.target["code_arch"] == "sm_90a"
