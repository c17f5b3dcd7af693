"""Generated text, byte by byte; a change of a template shows in these files' difference.

With WRITE_GOLDEN=1 in the environment the files are written anew.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from generated_kernels import generated
from pattern_samples import GOLDEN, SAMPLES
from pattern_samples.sample import Sample

from workbench.core.documents.reading import parse_document
from workbench.core.patterns.origin import origin_of

ROOT = Path(__file__).resolve().parents[3]
FOLDER = ROOT / "tests" / "data" / "patterns"


def text_of(sample: Sample) -> str:
    return generated(sample.pattern, sample.targets, **sample.values).text


def path_of(sample: Sample) -> Path:
    if sample.shipped:
        return ROOT / "kernels" / f"{sample.name.removesuffix('-h200').replace('-', '_')}.py"
    return FOLDER / f"{sample.name.replace('-', '_')}.py"


@pytest.mark.parametrize("sample", GOLDEN, ids=lambda sample: sample.name)
def test_the_text_is_the_golden_one(sample: Sample) -> None:
    if os.environ.get("WRITE_GOLDEN"):
        path_of(sample).write_text(text_of(sample), encoding="utf-8")
    assert text_of(sample) == path_of(sample).read_text(encoding="utf-8")


def test_no_golden_file_is_left_over() -> None:
    golden = {path_of(sample) for sample in GOLDEN if not sample.shipped}
    assert set(FOLDER.glob("*.py")) == golden


@pytest.fixture(scope="module")
def folder_of_all(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("generated")
    for sample in SAMPLES:
        (folder / f"{sample.name}.py").write_text(text_of(sample), encoding="utf-8")
    return folder


def ruff(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "ruff", *options, "--config", str(ROOT / "pyproject.toml")]
    return subprocess.run(
        [*command, str(folder)], capture_output=True, text=True, check=False, cwd=folder
    )


def test_all_text_is_as_ruff_formats_it(folder_of_all: Path) -> None:
    done = ruff(folder_of_all, "format", "--diff")
    assert done.returncode == 0, done.stdout


def test_all_text_passes_ruff(folder_of_all: Path) -> None:
    done = ruff(folder_of_all, "check", "--ignore", "D,N,RUF100")
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_document_reads_without_a_word(sample: Sample) -> None:
    document = parse_document(text_of(sample))
    assert document.diagnostics == ()
    assert document.metadata is not None
    assert len(document.metadata.cases) >= 3


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_document_tells_its_values(sample: Sample) -> None:
    made = generated(sample.pattern, sample.targets, **sample.values)
    origin = origin_of(parse_document(made.text))
    assert origin is not None
    assert not origin.is_edited
    kept = {name: value for name, value in made.values.items() if value is not None}
    assert dict(origin.values) == kept
