from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtTest import QAbstractItemModelTester, QTest

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Severity, TextRange
from workbench.core.doctor.symptoms_table import SYMPTOMS
from workbench.core.reference.library import HOME, Library
from workbench.core.reference.model import PageKind
from workbench.session.problems import Problem
from workbench.ui.docks import DOCK_TITLES
from workbench.ui.panes.reference import ReferencePane
from workbench.ui.panes.reference.dress import NO_LIGATURE
from workbench.ui.panes.reference.findings import findings_of_code
from workbench.ui.panes.reference.rows import HeadingRow, PageRow, contents, found
from workbench.ui.theme.icons import Icons
from workbench.ui.theme.theme import Theme

NARROW, WIDE = (480, 640), (1100, 640)


@pytest.fixture
def pane(qtbot: Any, theme: Theme, icons: Icons, library: Library) -> ReferencePane:
    made = ReferencePane(theme, icons)
    qtbot.addWidget(made)
    made.resize(*NARROW)
    made.set_library(library)
    made.show()
    qtbot.waitExposed(made)
    return made


def shown(pane: ReferencePane) -> str:
    return pane.view.toPlainText().replace(NO_LIGATURE, "")


def titles(pane: ReferencePane) -> list[str]:
    return [row.title for row in pane.result_list.rows if isinstance(row, PageRow)]


def test_it_begins_with_the_first_page(pane: ReferencePane) -> None:
    assert pane.slug == HOME
    assert "Find a fault" in shown(pane)


def test_a_page_shows_what_it_holds_as_text(pane: ReferencePane) -> None:
    assert pane.open_page("T.gemm")
    text = shown(pane)
    assert "Multiplies <tiles>." in text
    assert "T.gemm(a: list[int] | None = None) -> int" in text
    assert "list[int] | None = None" in text
    assert "Source: tilelang/gemm.py:7" in text


def test_a_page_that_is_not_there_changes_nothing(pane: ReferencePane) -> None:
    assert not pane.open_page("no_such_name")
    assert pane.slug == HOME


def test_links_lead_on_and_back_and_forward_lead_through(pane: ReferencePane) -> None:
    pane.view.follow("page:guide/stages")
    pane.view.follow("page:guide/slow")
    pane.back()
    assert pane.slug == "guide/stages"
    pane.back()
    assert pane.slug == HOME
    pane.forward()
    assert pane.slug == "guide/stages"
    assert pane.view.page is not None
    assert pane.view.page.slug == "guide/stages"


def test_alt_arrows_go_back_and_forward(pane: ReferencePane) -> None:
    pane.open_page("guide/stages")
    QTest.keyClick(pane, Qt.Key.Key_Left, Qt.KeyboardModifier.AltModifier)
    assert pane.slug == HOME
    QTest.keyClick(pane, Qt.Key.Key_Right, Qt.KeyboardModifier.AltModifier)
    assert pane.slug == "guide/stages"


def test_a_search_lists_what_fits_and_enter_opens_it(pane: ReferencePane, qtbot: Any) -> None:
    pane.focus_search()
    qtbot.keyClicks(pane.header._search, "bank conf")
    assert pane.result_list.isVisible()
    assert not pane.view.isVisible()
    assert titles(pane)[0] == "Bank conflicts"
    QTest.keyClick(pane.header._search, Qt.Key.Key_Down)
    QTest.keyClick(pane.header._search, Qt.Key.Key_Up)
    QTest.keyClick(pane.header._search, Qt.Key.Key_Return)
    assert pane.slug == "symptoms/bank-conflicts"
    assert pane.view.isVisible()


def test_a_search_without_a_hit_says_so_and_leads_back(pane: ReferencePane) -> None:
    pane.search("zzqqxx")
    assert pane._side.currentWidget() is pane._empty
    assert "zzqqxx" in pane._empty.sentence
    pane._empty.action_triggered.emit()
    assert pane.header.query == ""
    assert pane.view.isVisible()


def test_wide_it_shows_list_and_page_side_by_side(pane: ReferencePane) -> None:
    assert not pane.result_list.isVisible()
    pane.resize(*WIDE)
    assert pane.result_list.isVisible()
    assert pane.view.isVisible()


def test_headings_of_the_contents_open_and_close(pane: ReferencePane, library: Library) -> None:
    pane.resize(*WIDE)
    assert "T.gemm" not in titles(pane)
    pane.result_list.heading_toggled.emit(PageKind.API)
    assert "T.gemm" in titles(pane)
    pane.result_list.heading_toggled.emit(PageKind.API)
    assert "T.gemm" not in titles(pane)


def test_code_is_copied_as_it_is(pane: ReferencePane) -> None:
    pane.open_page("T.gemm")
    pane.view.follow("copy:0")
    assert QGuiApplication.clipboard().text() == "T.gemm(a: list[int] | None = None) -> int"


def test_selected_text_is_copied_without_our_marks(pane: ReferencePane) -> None:
    pane.open_page("T.gemm")
    pane.view.selectAll()
    pane.view.copy()
    copied = QGuiApplication.clipboard().text()
    assert "-> int" in copied
    assert NO_LIGATURE not in copied


def test_an_example_and_a_source_are_asked_for(pane: ReferencePane, qtbot: Any) -> None:
    pane.open_page("examples/gemm")
    page = pane.view.page
    assert page is not None
    with qtbot.waitSignal(pane.example_requested) as asked:
        pane.view.follow(f"open:{page.opens}")
    assert asked.args == [page.opens]
    with qtbot.waitSignal(pane.source_requested) as source:
        pane.view.follow("source:7:/packages/gemm.py")
    assert source.args == ["/packages/gemm.py", 7]


def test_a_symptom_leads_to_the_panel_that_shows_it(pane: ReferencePane, qtbot: Any) -> None:
    pane.open_page("symptoms/wrong-results")
    assert 'href="panel:verification"' in pane.view.toHtml()
    with qtbot.waitSignal(pane.panel_requested) as asked:
        pane.view.follow("panel:verification")
    assert asked.args == ["verification"]


def test_panels_of_symptoms_are_in_the_window(pane: ReferencePane) -> None:
    panels = {step.panel for symptom in SYMPTOMS for step in symptom.confirm if step.panel}
    assert panels <= DOCK_TITLES.keys()


def test_what_the_kernel_has_leads_to_its_line_and_fix(pane: ReferencePane, qtbot: Any) -> None:
    fix = Fix("Pad it", (Edit(TextRange(1, 1, 1, 1), ""),))
    where = TextRange(12)
    found = Diagnostic("bank-conflict", Severity.WARNING, "2-way conflict", where, fixes=(fix,))
    problem = Problem(found, "k.py")
    pane.open_page("bank-conflict")
    pane.set_findings("rules/bank-conflict", findings_of_code("bank-conflict", [problem]))
    assert "This kernel has it at 1 place." in shown(pane)
    with qtbot.waitSignal(pane.line_requested) as line:
        pane.view.follow("line:12")
    assert line.args == [12]
    with qtbot.waitSignal(pane.fix_requested) as wanted:
        pane.view.follow("fix:0")
    assert wanted.args == [problem, fix]


def test_findings_of_another_page_are_not_shown(pane: ReferencePane) -> None:
    found = Diagnostic("bank-conflict", Severity.WARNING, "2-way conflict", TextRange(12))
    pane.open_page("register-spill")
    findings = findings_of_code("bank-conflict", [Problem(found, "k.py")])
    pane.set_findings("rules/bank-conflict", findings)
    assert "2-way" not in shown(pane)


def test_it_says_that_names_are_read_and_why_they_are_not(pane: ReferencePane, qtbot: Any) -> None:
    pane.set_names_state("The names are being read.", is_reading=True, has_failed=False)
    assert pane.header.notice == "The names are being read."
    assert not pane.header._retry.isVisible()
    pane.set_names_state("No worker.", is_reading=False, has_failed=True)
    assert pane.header.notice == "No worker."
    with qtbot.waitSignal(pane.retry_requested):
        pane.header._retry.click()
    pane.set_names_state("643 names", is_reading=False, has_failed=False)
    assert pane.header.notice == ""


def test_names_that_come_later_keep_the_page(pane: ReferencePane, library: Library) -> None:
    pane.open_page("guide/stages")
    pane.set_library(library)
    assert pane.slug == "guide/stages"


def test_its_state_is_brought_back(
    pane: ReferencePane, qtbot: Any, theme: Theme, icons: Icons, library: Library
) -> None:
    pane.open_page("hardware/hopper")
    other = ReferencePane(theme, icons)
    qtbot.addWidget(other)
    other.restore(pane.state())
    other.set_library(library)
    assert other.slug == "hardware/hopper"
    other.restore({"version": 2, "page": "guide/slow"})
    assert other.slug == "hardware/hopper"


def test_another_theme_writes_the_page_in_its_colours(pane: ReferencePane, theme: Theme) -> None:
    pane.open_page("T.gemm")
    before = pane.view.toHtml()
    theme.set_choice("light")
    after = pane.view.toHtml()
    assert theme.palette.syntax_function.lower() in after.lower()
    assert before != after


def test_its_list_is_a_sound_model(pane: ReferencePane, library: Library) -> None:
    fatal = QAbstractItemModelTester.FailureReportingMode.Fatal
    QAbstractItemModelTester(pane.result_list.model(), fatal)
    pane.search("gemm")
    pane.search("")


def test_groups_come_in_the_order_of_their_best_page(library: Library) -> None:
    headings = [row for row in found(library, "T.gemm") if isinstance(row, HeadingRow)]
    assert headings[0].kind is PageKind.API
    closed = contents(library, ())
    assert all(isinstance(row, HeadingRow) and not row.is_open for row in closed)


@pytest.mark.parametrize("width", [420, 480, 720, 1100])
def test_no_page_is_wider_than_the_pane(pane: ReferencePane, library: Library, width: int) -> None:
    """Beside code, which is wrapped, tables are what could be."""
    pane.resize(width, 640)
    for page in library.pages:
        if page.kind in (PageKind.GUIDE, PageKind.SYMPTOM, PageKind.RULE):
            pane.open_page(page.slug)
            assert pane.view.horizontalScrollBar().maximum() == 0, page.slug
