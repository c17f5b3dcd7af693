"""What patterns generate lowers for its targets, has nothing to be warned of, and is right.

Three samples of each pattern are in the suite, mostly such as TileLang lowers soon: products by
one warp (Ampere, Ada) take it several times as long as those by a warpgroup (Hopper). All of them,
with machine code, are thorough.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from generated_kernels import generated
from pattern_samples import QUICK, SAMPLES
from pattern_samples.sample import Sample

from workbench.core.documents.reading import parse_document

Cli = Callable[..., Any]
# A small case is smaller than any GPU: that it leaves most of one idle is no fault.
OF_SMALL_CASES = {"grid-too-small"}


def written(sample: Sample, folder: Path) -> tuple[Path, list[str]]:
    """The generated document, and the names of its cases for the simulator."""
    made = generated(sample.pattern, sample.targets, **sample.values)
    path = folder / f"{sample.name}.py"
    path.write_text(made.text, encoding="utf-8")
    metadata = parse_document(made.text).metadata
    assert metadata is not None
    return path, [case.name for case in metadata.cases if case.name != made.real_case]


def require_clean(cli: Cli, sample: Sample, path: Path, case: str, until: str) -> None:
    unused = {"unused-buffer"} if sample.unfinished else set()
    expected = {*OF_SMALL_CASES, *sample.accepted, *unused}
    found = cli("check", path, "--case", case, "--until", until, "--json").json
    assert found["status"] == "ok", found["error"]
    told = [
        d for d in found["diagnostics"] if d["severity"] != "info" and d["code"] not in expected
    ]
    assert told == []


def require_right(cli: Cli, path: Path, case: str) -> None:
    results = cli("verify", path, "--case", case, "--json").json["results"]
    assert [result["status"] for result in results] == ["pass"], results[0]["error"]
    noticed = [d for d in results[0]["diagnostics"] if d["severity"] != "info"]
    assert noticed == []


@pytest.mark.parametrize("sample", QUICK, ids=lambda sample: sample.name)
def test_a_kernel_with_tails_is_clean_and_right(cli: Cli, tmp_path: Path, sample: Sample) -> None:
    path, cases = written(sample, tmp_path)
    require_clean(cli, sample, path, cases[0], "lower")
    require_right(cli, path, cases[0])


@pytest.mark.thorough
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_small_case_is_clean_and_right(cli: Cli, tmp_path: Path, sample: Sample) -> None:
    path, cases = written(sample, tmp_path)
    for case in cases:
        require_clean(cli, sample, path, case, "analysis")
        require_right(cli, path, case)


@pytest.mark.thorough
@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_case_that_was_asked_for_compiles(cli: Cli, tmp_path: Path, sample: Sample) -> None:
    made = generated(sample.pattern, sample.targets, **sample.values)
    path, _ = written(sample, tmp_path)
    results = cli("compile", path, "--case", made.real_case, "--json").json["results"]
    assert [result["error"] for result in results] == [None] * len(results)
