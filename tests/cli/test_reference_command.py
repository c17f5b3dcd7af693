from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from workbench.core.user_folders import user_cache_folder

Cli = Callable[..., Any]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TILELANG_WORKBENCH_CACHE", str(tmp_path / "cache"))


def test_a_name_of_tilelang_is_a_page_and_is_kept(cli: Cli) -> None:
    done = cli("reference", "T.gemm")
    assert done.status == 0
    assert done.stdout.startswith("T.gemm (function)\n")
    assert "transpose_B  bool = False" in done.stdout
    assert list((user_cache_folder() / "reference").glob("api-*.json"))
    assert cli("reference", "gemm").stdout == done.stdout


def test_a_code_is_the_page_of_its_rule(cli: Cli) -> None:
    page = cli("reference", "bank-conflict", "--json").json["page"]
    assert page["slug"] == "rules/bank-conflict"
    assert page["kind"] == "rules"


def test_a_slug_is_its_page(cli: Cli) -> None:
    text = cli("reference", "hardware/ampere").stdout
    assert "163 KiB" in text
    assert "[1] NVIDIA" in text


def test_words_are_searched_for(cli: Cli) -> None:
    found = cli("reference", "bank", "conflict", "--json").json
    assert found["page"] is None
    assert found["pages"][0]["slug"] == "symptoms/bank-conflicts"
    assert cli("reference", "bank", "conflict").stdout.startswith(("Guide\n", "Symptoms\n"))


def test_a_search_can_be_asked_for_and_bounded(cli: Cli) -> None:
    found = cli("reference", "T.gemm", "--search", "--limit", "3", "--json").json
    assert found["pages"][0]["slug"] == "api/T.gemm"
    assert len(found["pages"]) == 3


def test_without_words_it_begins_at_the_beginning(cli: Cli) -> None:
    assert cli("reference").stdout.startswith("Reference\n=========")


def test_what_is_not_there_is_said(cli: Cli) -> None:
    done = cli("reference", "zzqqxx")
    assert done.status == 2
    assert "no page about 'zzqqxx'" in done.stderr
    assert cli("reference", "zzqqxx", "--json").json["pages"] == []
