from __future__ import annotations

import io
import json
import zipfile
from dataclasses import replace

import pytest

from workbench.core.bug_bundle.contents import BundleFacts, bundle_files, zipped
from workbench.core.bug_bundle.privacy import leaks, scrubbed
from workbench.core.bug_bundle.suspicion import Suspicion, SuspicionKind
from workbench.core.diagnostics import Diagnostic, Severity, TextRange
from workbench.core.jobs import PassRecord
from workbench.core.targets.table import load_targets

SUSPICION = Suspicion(
    SuspicionKind.INTERNAL, "A check inside the compiler fails", "It fails.", True, "Downcast", 16
)
HOME = "/home/lovelace"
FACTS = BundleFacts(
    SUSPICION,
    text="# the kernel\n",
    kernel="prefix",
    args={"N": 1024, "tile": (16, 32)},
    smallest={"N": 128, "tile": (16, 32)},
    target=load_targets().resolve("sm_80"),
    versions={"tilelang": "0.1.15"},
    simulated="agree",
    emitted={"tir": "tile program", "ptx": "ptx text", "sass": "left out"},
    passes=(
        PassRecord(0, "tl.Simplify", False, 0, 0, 0.1),
        PassRecord(1, "tl.LayoutInference", True, 0, 1, 0.1),
        PassRecord(2, "tl.Inject/Pipeline", False, 1, None, 0.1),
    ),
    blobs=(b"before", b"after"),
    raw=f'File "{HOME}/secret/kernel.py", line 16',
    diagnostics=(Diagnostic("lower-error", Severity.ERROR, f"in {HOME}/x.py", TextRange(16)),),
    modules={"helpers.py": "# helpers\n"},
    places={f"{HOME}/secret": "<folder>", "lovelace": "<user>"},
)


def test_a_bundle_has_everything_that_a_report_needs() -> None:
    files = bundle_files(FACTS)
    assert next(iter(files)) == "README.md"
    assert set(files) == {
        "README.md", "reproduce.py", "kernel.py", "helpers.py", "error.txt", "findings.json",
        "versions.json", "ir/tile.tir", "kernel.ptx", "ir/passes/001-tl.LayoutInference.tir",
        "ir/passes/002-tl.Inject-Pipeline-FAILED-on-this.tir",
    }  # fmt: skip
    assert files["ir/passes/001-tl.LayoutInference.tir"] == "after"
    versions = json.loads(files["versions.json"])
    assert versions["smallest_args"] == {"N": 128, "tile": [16, 32]}
    assert versions["lowering"] == {"kind": "cuda", "arch": "sm_80"}


def test_the_readme_tells_how_sure_how_to_and_with_what() -> None:
    readme = bundle_files(FACTS)["README.md"]
    for words in (
        "Suspicion: strong",
        "Line 16 of `kernel.py`",
        "python reproduce.py",
        '"N": 128',
        '"N": 1024',
        "tilelang 0.1.15",
        "not run on one",
    ):
        assert words in readme, words
    weak = replace(FACTS, suspicion=replace(SUSPICION, strong=False))
    assert "Suspicion: possible" in bundle_files(weak)["README.md"]


def test_nothing_in_a_bundle_is_a_person_s_own() -> None:
    content = "".join(bundle_files(FACTS).values())
    assert leaks(content, (HOME, "lovelace", "secret")) == ()
    assert '"<folder>/kernel.py", line 16' in content


def test_homes_are_taken_out_whoever_they_belong_to() -> None:
    text = r"/home/ada/x.py C:\Users\Ada\y.py /Users/ada/z.py /usr/lib/python3"
    assert scrubbed(text, {}) == r"~/x.py ~\y.py ~/z.py /usr/lib/python3"


def test_the_tile_program_is_there_where_nothing_was_emitted() -> None:
    files = bundle_files(replace(FACTS, emitted={}))
    assert files["ir/tile.tir"] == "before"


@pytest.mark.parametrize("kind", list(SuspicionKind))
def test_every_script_is_python_of_the_standard_library_tilelang_and_torch(
    kind: SuspicionKind,
) -> None:
    facts = replace(FACTS, suspicion=replace(SUSPICION, kind=kind), reference="ref_program")
    script = bundle_files(facts)["reproduce.py"]
    compile(script, "reproduce.py", "exec")
    assert "workbench" not in script


def test_the_zip_is_the_same_for_the_same_content() -> None:
    files = bundle_files(FACTS)
    content = zipped(files)
    assert content == zipped(files)
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        assert archive.testzip() is None
        assert archive.namelist() == list(files)
