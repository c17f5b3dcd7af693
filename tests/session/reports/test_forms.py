"""The other forms of a report, and the file that it is written to."""

from __future__ import annotations

import csv
import io
import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

from workbench.session.comparison_desk import Loaded
from workbench.session.reports.differences import text_differences
from workbench.session.reports.markdown import report_markdown
from workbench.session.reports.model import About
from workbench.session.reports.writing import FORMS, ReportError, Themes, report_text, write_report


def test_markdown_takes_no_text_for_markup(loaded: Loaded, about: About) -> None:
    text = report_markdown(loaded, about)
    assert text.splitlines()[2].startswith("**Run B is fastest, 2 × as fast as A.")
    prose = re.sub(r"^(`{3,})diff\n.*?^\1$", "", text, flags=re.DOTALL | re.MULTILINE)
    assert prose != text  # there is a block of code, where signs mean themselves
    assert "<script" not in prose
    assert "\x1b" not in text
    table = [line for line in text.splitlines() if line.startswith("|")]
    assert {len(re.findall(r"(?<!\\)\|", line)) for line in table} == {4, 5}


def test_a_text_with_fences_stays_in_its_block(loaded: Loaded, about: About) -> None:
    texts = (loaded.texts[0], "````\nout\n````\n")
    text = report_markdown(replace(loaded, texts=texts), about)
    assert "\n`````diff\n" in text
    assert "\n`````\n" in text


def test_json_has_every_number_and_is_strict(loaded: Loaded, about: About, themes: Themes) -> None:
    found = json.loads(report_text(loaded, about, ".json", themes))
    assert (found["format"], found["version"]) == ("tilelang-workbench-report", 1)
    assert [run["id"] for run in found["runs"]] == ["run0", "run1"]
    (latency,) = [chart for chart in found["charts"] if chart["key"] == "latency"]
    value = latency["columns"].index("value")
    assert [row[value] for row in latency["rows"]] == [20.0, 10.0, 21.0, 11.0]
    assert found["texts"][0]["added"] == 1


def test_csv_has_a_line_a_metric(loaded: Loaded, about: About, themes: Themes) -> None:
    head, *rows = csv.reader(io.StringIO(report_text(loaded, about, ".csv", themes)))
    assert head[:3] == ["metric", "source", "unit"]
    assert ["time_us", "measured", "us", "20.0", "10.0"] in [row[:5] for row in rows]


def test_a_text_that_is_not_kept_is_said(loaded: Loaded) -> None:
    (found,) = text_differences(replace(loaded, texts=(loaded.texts[0], None)))
    assert found.reason == "The text of B is not kept."


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_written(
    loaded: Loaded, about: About, themes: Themes, tmp_path: Path, form: str
) -> None:
    path = tmp_path / "new" / f"report{form.upper()}"
    write_report(path, loaded, about, themes)
    assert path.read_text("utf-8").strip()


def test_what_cannot_be_written_is_said(
    loaded: Loaded, about: About, themes: Themes, tmp_path: Path
) -> None:
    with pytest.raises(ReportError, match=r"may end in \.html, \.md, \.csv, \.json"):
        write_report(tmp_path / "report.pdf", loaded, about, themes)
    (tmp_path / "file").write_text("")
    with pytest.raises(ReportError, match="cannot write"):
        write_report(tmp_path / "file" / "report.html", loaded, about, themes)
