from __future__ import annotations

from datetime import datetime, timezone
from pathlib import Path

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel, QPushButton
from pytestqt.qtbot import QtBot

from workbench.ui.report_dialog import ErrorReport, ReportDialog
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

REPORT = ErrorReport(
    "KeyError: 'lane'",
    "Traceback:\n  File \"jobs.py\", line 12\nKeyError: 'lane'\n",
    "14:03:22  worker    ready\n",
    {"tilelang": "0.1.15"},
    datetime(2026, 11, 29, 14, 3, tzinfo=timezone.utc),
)


def build(
    theme: Theme, icons: Icons, qtbot: QtBot, path: Path | None = None, report: ErrorReport = REPORT
) -> ReportDialog:
    dialog = ReportDialog(
        theme, icons, report, choose_path=lambda *_: "" if path is None else str(path)
    )
    qtbot.addWidget(dialog)
    return dialog


def press(dialog: ReportDialog, text: str) -> None:
    next(b for b in dialog.findChildren(QPushButton) if b.text() == text).click()


def said(dialog: ReportDialog) -> str:
    return " ".join(label.text() for label in dialog.findChildren(QLabel))


def test_the_stack_is_shown_first(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    assert build(theme, icons, qtbot).shown == REPORT.details.rstrip()


def test_the_log_is_a_switch_away(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    dialog = build(theme, icons, qtbot)
    dialog._switch.button("log").click()
    assert dialog.shown == "14:03:22  worker    ready"


def test_without_a_stack_the_log_is_shown(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    report = ErrorReport("A problem that I saw", log="line\n")
    assert build(theme, icons, qtbot, report=report).shown == "line"


def test_the_whole_report_is_copied(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    dialog = build(theme, icons, qtbot)
    press(dialog, "Copy report")
    assert QGuiApplication.clipboard().text() == REPORT.markdown()
    assert "Copied." in said(dialog)


def test_the_whole_report_is_saved(
    theme: Theme, icons: Icons, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = build(theme, icons, qtbot, tmp_path / "report.md")
    press(dialog, "Save report…")
    assert (tmp_path / "report.md").read_text(encoding="utf-8") == REPORT.markdown()


def test_a_place_that_cannot_be_written_is_told(
    theme: Theme, icons: Icons, qtbot: QtBot, tmp_path: Path
) -> None:
    dialog = build(theme, icons, qtbot, tmp_path / "gone" / "report.md")
    press(dialog, "Save report…")
    assert "Not saved: No such file or directory." in said(dialog)


def test_no_place_saves_nothing(theme: Theme, icons: Icons, qtbot: QtBot) -> None:
    dialog = build(theme, icons, qtbot)
    before = said(dialog)
    press(dialog, "Save report…")
    assert said(dialog) == before


@pytest.mark.parametrize(
    "part",
    ["# KeyError: 'lane'", "- tilelang 0.1.15", "## Stack", "line 12", "## Log", "worker    ready"],
)
def test_the_report_holds(part: str) -> None:
    assert part in REPORT.markdown()


def test_the_report_leaves_out_what_it_does_not_have() -> None:
    assert ErrorReport("Odd").markdown() == "# Odd\n"


def test_a_log_with_fences_stays_in_its_block() -> None:
    text = ErrorReport("Odd", log="```\ncode\n```").markdown()
    assert text.count("````\n") == 2
