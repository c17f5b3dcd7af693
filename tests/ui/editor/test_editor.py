from __future__ import annotations

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from workbench.core.diagnostics import Diagnostic, Fix, Severity, TextRange
from workbench.ui.editor.commands import BY_NAME, COMMANDS
from workbench.ui.editor.cost_strip import LEFT
from workbench.ui.editor.editor import CodeEditor
from workbench.ui.editor.end_notes import Annotations
from workbench.ui.editor.gutter import Gutter
from workbench.ui.editor.line_data import Cost
from workbench.ui.theme.tokens import DARK, LIGHT

CONTROL = Qt.KeyboardModifier.ControlModifier
SHIFT = Qt.KeyboardModifier.ShiftModifier
KERNEL = """\
def main():
    with T.Kernel(1):
        a = 1
        T.copy(A, B)
    return 0
"""


def diagnostic(line: int, column: int = 1, end: int | None = None, **more) -> Diagnostic:
    severity = more.pop("severity", Severity.WARNING)
    message = more.pop("message", f"On line {line}.")
    return Diagnostic("some-code", severity, message, TextRange(line, column, line, end), **more)


def row_top(editor: CodeEditor, line: int) -> int:
    rows = editor.view.rows(0, editor.view.viewport().height())
    return round(next(row.top for row in rows if row.line == line - 1))


def pixels(widget, left: int, top: int, width: int, height: int) -> set[str]:
    """The colours in an area of a widget."""
    image = widget.grab().toImage()
    area = [(x, y) for x in range(left, left + width) for y in range(top, top + height)]
    return {image.pixelColor(x, y).name().upper() for x, y in area}


def has_hue(colours: set[str], hue: str) -> bool:
    """Whether one of the colours is nearly `hue`: edges of glyphs and waves are mixed."""
    wanted = QColor(hue)
    for value in colours:
        colour = QColor(value)
        parts = ("red", "green", "blue")
        if all(abs(getattr(colour, p)() - getattr(wanted, p)()) < 40 for p in parts):
            return True
    return False


def line_pixels(editor: CodeEditor, line: int) -> set[str]:
    viewport = editor.view.viewport()
    return pixels(viewport, 0, row_top(editor, line), viewport.width(), 14)


def test_every_key_has_one_command() -> None:
    keys = [key for command in COMMANDS for key in command.keys]
    assert len(keys) == len(set(keys))


def test_a_command_runs_by_its_name(make_editor, state) -> None:
    editor = make_editor("a|")
    editor.run("toggle-comment")
    assert state(editor) == "# a|"
    with pytest.raises(KeyError):
        editor.run("unheard-of")
    assert BY_NAME["find"].keys == ("Ctrl+F",)


def test_the_cursor_tells_its_place(qtbot, make_editor) -> None:
    editor = make_editor(KERNEL)
    with qtbot.waitSignal(editor.cursor_moved) as moved:
        editor.go_to(3, 9)
    assert moved.args == [3, 9]


def test_a_place_beyond_the_document_is_cut_to_it(make_editor) -> None:
    editor = make_editor("ab\ncd")
    editor.go_to(99, 99)
    assert editor.cursor_place == (2, 3)


def test_go_to_line_takes_line_and_column(make_editor) -> None:
    editor = make_editor(KERNEL)
    QTest.keyClick(editor.view, Qt.Key.Key_G, CONTROL)
    QTest.keyClicks(editor._go_to_bar.field, "3:5")
    QTest.keyClick(editor._go_to_bar.field, Qt.Key.Key_Return)
    assert editor.cursor_place == (3, 5)
    assert not editor._go_to_bar.isVisible()


def test_a_wrong_line_is_told_and_the_bar_stays(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.open_go_to_line()
    QTest.keyClicks(editor._go_to_bar.field, "x")
    QTest.keyClick(editor._go_to_bar.field, Qt.Key.Key_Return)
    assert editor._go_to_bar.isVisible()


def test_problems_are_gone_through_in_a_circle(qtbot, make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.set_diagnostics([diagnostic(4, 9), diagnostic(3, 9)])
    places = []
    for _ in range(3):
        with qtbot.waitSignal(editor.problem_reached):
            QTest.keyClick(editor.view, Qt.Key.Key_F8)
        places.append(editor.cursor_place[0])
    QTest.keyClick(editor.view, Qt.Key.Key_F8, SHIFT)
    assert [*places, editor.cursor_place[0]] == [3, 4, 3, 4]


def test_a_problem_is_underlined_in_the_hue_of_its_severity(make_editor) -> None:
    editor = make_editor(KERNEL)
    assert not has_hue(line_pixels(editor, 4), DARK.error)
    editor.set_diagnostics([diagnostic(4, 9, 15, severity=Severity.ERROR)])
    assert has_hue(line_pixels(editor, 4), DARK.error)


def test_a_problem_moves_with_its_text(make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.set_diagnostics([diagnostic(4, 9, 15)])
    QTest.keyClick(editor.view, Qt.Key.Key_Return)
    problem = editor.view.problems.on_line(4)[0]
    assert problem.cursor.selectedText() == "T.copy"


def test_the_tooltip_says_message_and_code(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_diagnostics([diagnostic(4, 9, 15, message="8-way <conflict>.", targets=("h100",))])
    rows = editor.view.rows(0, 400)
    point = QPoint(round(rows[3].column_x(10)), row_top(editor, 4) + 8)
    tip = editor.view.tip(point)
    assert "8-way &lt;conflict&gt;." in tip
    assert "some-code · h100" in tip
    assert editor.view.tip(QPoint(point.x(), row_top(editor, 2) + 8)) == ""


def test_an_empty_range_marks_the_word(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_diagnostics([diagnostic(4, 11, 11)])
    assert editor.view.problems.all()[0].cursor.selectedText() == "copy"


def test_a_range_without_end_goes_to_the_end_of_the_line(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_diagnostics([diagnostic(4)])
    assert editor.view.problems.all()[0].cursor.selectedText() == "T.copy(A, B)"


def test_an_annotation_is_written_on_the_line_of_the_cursor(make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.set_diagnostics([diagnostic(4, 9, 15, fixes=(Fix("pad it", ()),))])
    right = (165, 300)

    def is_annotated() -> bool:
        colours = pixels(editor.view.viewport(), right[0], row_top(editor, 4), right[1], 14)
        return has_hue(colours, DARK.warn)

    assert editor.view.problems.all()[0].annotation == "On line 4 · pad it"
    assert not is_annotated()
    editor.set_annotations(Annotations.ALL)
    assert is_annotated()


def test_hints_are_shown_and_hidden(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_inlay_hints({4: "8 KiB"})
    assert DARK.fg3 in line_pixels(editor, 4)
    editor.show_inlay_hints(False)
    assert DARK.fg3 not in line_pixels(editor, 4)


def test_the_cost_strip_is_there_only_with_costs(make_editor) -> None:
    editor = make_editor(KERNEL)
    assert not editor.view.strip.isVisible()
    editor.set_costs({4: Cost(1.0, "80 wavefronts")}, "wavefronts")
    assert editor.view.strip.isVisible()
    strip = editor.view.strip
    assert DARK.shared in pixels(strip, 0, row_top(editor, 4), strip.width(), 14)
    editor.set_costs({})
    assert not editor.view.strip.isVisible()


def test_a_predicted_cost_is_hatched(make_editor) -> None:
    editor = make_editor(KERNEL)
    strip = editor.view.strip

    def middle() -> set[str]:
        return pixels(strip, 20, row_top(editor, 4) + 7, 30, 1)

    editor.set_costs({4: Cost(1.0, "")})
    assert middle() == {DARK.shared}
    editor.set_costs({4: Cost(1.0, "", predicted=True)})
    assert len(middle()) > 1


def test_a_bar_of_several_parts_keeps_their_hues(make_editor) -> None:
    editor = make_editor(KERNEL)
    strip = editor.view.strip
    editor.set_costs({4: Cost(1.0, "", parts=(("shared", 0.5), ("warn", 0.5)))})
    top = row_top(editor, 4) + 7
    half = LEFT + (strip.width() - 2 * LEFT) // 2
    assert pixels(strip, LEFT + 1, top, half - LEFT - 2, 1) == {DARK.shared}
    assert pixels(strip, half + 1, top, half - LEFT - 2, 1) == {DARK.warn}


def test_what_is_unknown_has_a_dotted_mark_and_no_bar(make_editor) -> None:
    editor = make_editor(KERNEL)
    strip = editor.view.strip
    editor.set_costs({4: Cost(0.0, "unknown: why", is_unknown=True)})
    found = pixels(strip, 1, row_top(editor, 4), strip.width() - 1, 14)
    assert DARK.shared not in found
    assert len(found) > 1
    editor.set_costs({4: Cost(1.0, "", is_unknown=True)})
    assert DARK.shared in pixels(strip, 1, row_top(editor, 4), strip.width() - 1, 14)


def test_costs_of_an_earlier_text_are_grey_and_stay_at_their_lines(make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    strip = editor.view.strip
    editor.set_costs({4: Cost(1.0, "80 wavefronts")}, "wavefronts")
    QTest.keyClick(editor.view, Qt.Key.Key_Return)
    editor.fade_costs()
    assert editor.view.data.costs.keys() == {4}
    found = pixels(strip, 1, row_top(editor, 5), strip.width() - 1, 14)
    assert DARK.shared not in found
    assert DARK.fg4 in found
    assert strip._tip(row_top(editor, 5) + 4) == "Of an earlier text.\n80 wavefronts"
    editor.set_costs({5: Cost(1.0, "80 wavefronts")}, "wavefronts")
    assert DARK.shared in pixels(strip, 1, row_top(editor, 5), strip.width() - 1, 14)


def test_linked_lines_have_their_colour(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_linked_lines({4: QColor("#FF00FF")})
    assert "#FF00FF" in line_pixels(editor, 4)


def test_line_data_follows_edits(make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.set_inlay_hints({4: "8 KiB"})
    QTest.keyClick(editor.view, Qt.Key.Key_Return)
    assert editor.view.data.hints == {4: "8 KiB"}


def test_a_click_on_the_fold_arrow_folds(qtbot, make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    gutter: Gutter = editor.view.gutter
    point = QPoint(gutter.width() - 12, row_top(editor, 2) + 8)
    qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=point)
    assert editor.buffer.folds.folded == {1}
    assert [row.line for row in editor.view.rows(0, 400)] == [0, 1, 4, 5]


def test_a_click_on_the_light_bulb_asks_for_fixes(qtbot, make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.set_diagnostics([diagnostic(4, fixes=(Fix("pad", ()),))])
    gutter = editor.view.gutter
    point = QPoint(gutter.width() - 12, row_top(editor, 4) + 8)
    with qtbot.waitSignal(editor.fixes_requested) as asked:
        qtbot.mouseClick(gutter, Qt.MouseButton.LeftButton, pos=point)
    assert asked.args == [4]


def test_a_click_on_a_line_number_selects_the_line(qtbot, make_editor, state) -> None:
    editor = make_editor("ab\ncd")
    point = QPoint(20, row_top(editor, 2) + 8)
    qtbot.mouseClick(editor.view.gutter, Qt.MouseButton.LeftButton, pos=point)
    assert state(editor) == "ab\n|cd|"


def test_a_click_on_a_folded_line_s_chip_unfolds(qtbot, make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.buffer.folds.toggle(0)
    chip = editor.view.notes.chip(editor.view.rows(0, 400)[0])
    viewport = editor.view.viewport()
    qtbot.mouseClick(viewport, Qt.MouseButton.LeftButton, pos=chip.center().toPoint())
    assert editor.buffer.folds.folded == frozenset()


def test_the_cursor_unfolds_where_it_goes(make_editor) -> None:
    editor = make_editor("|" + KERNEL)
    editor.buffer.folds.toggle(0)
    editor.go_to(3)
    assert editor.buffer.folds.folded == frozenset()


def test_folding_keeps_the_cursor_visible(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.go_to(4, 9)
    editor.run("fold")
    assert editor.buffer.folds.folded == {1}
    assert editor.cursor_place == (2, 1)
    editor.run("unfold")
    assert editor.buffer.folds.folded == frozenset()


def test_down_steps_over_folded_lines(make_editor) -> None:
    editor = make_editor(KERNEL)
    editor.go_to(2)
    editor.buffer.folds.toggle(1)
    QTest.keyClick(editor.view, Qt.Key.Key_Down)
    assert editor.cursor_place[0] == 5
    assert editor.buffer.folds.folded == {1}


def test_the_enclosing_line_sticks_to_the_top(make_editor) -> None:
    body = "".join(f"        a{n} = {n}\n" for n in range(100))
    editor = make_editor(f"def f():\n    with T.Kernel(1):\n{body}")
    assert editor.view.sticky.line is None
    editor.view.verticalScrollBar().setValue(40)
    assert editor.view.sticky.line == 1
    assert editor.view.sticky.isVisible()
    top, below = editor.view.rows(0, 60)[:2]
    assert top.height <= editor.view.sticky.height() <= top.height + 1
    assert editor.view.sticky.height() <= below.top + 1
    QTest.mouseClick(editor.view.sticky, Qt.MouseButton.LeftButton)
    assert editor.cursor_place[0] == 2


def test_the_cursor_is_never_under_the_sticky_line(make_editor) -> None:
    body = "".join(f"    a{n} = {n}\n" for n in range(100))
    editor = make_editor(f"def f():\n{body}")
    editor.go_to(60)
    for _ in range(40):
        QTest.keyClick(editor.view, Qt.Key.Key_Up)
        if editor.view.sticky.isVisible():
            assert editor.view.cursorRect().top() >= editor.view.sticky.height() - 1


def test_the_bracket_at_the_cursor_is_marked(make_editor) -> None:
    editor = make_editor("f|(a)")
    editor.view.settle()
    assert editor.view._brackets.match.partner.column == 3
    assert editor.view._brackets.match.here.column == 1


def wheel(editor: CodeEditor, delta: int) -> None:
    event = QWheelEvent(
        QPointF(50, 50),
        QPointF(50, 50),
        QPoint(),
        QPoint(0, delta),
        Qt.MouseButton.NoButton,
        CONTROL,
        Qt.ScrollPhase.NoScrollPhase,
        False,
    )
    QApplication.sendEvent(editor.view.viewport(), event)


def test_the_wheel_zooms_with_control_and_control_0_resets(qtbot, make_editor) -> None:
    editor = make_editor(KERNEL)
    usual = editor.buffer.code_pixels
    with qtbot.waitSignal(editor.zoomed):
        wheel(editor, 240)
    assert editor.buffer.code_pixels == usual + 2
    assert editor.view.document().defaultFont().pixelSize() == usual + 2
    QTest.keyClick(editor.view, Qt.Key.Key_0, CONTROL)
    assert editor.buffer.code_pixels == usual


def test_a_theme_change_recolours_the_editor(make_editor, theme) -> None:
    editor = make_editor(KERNEL)
    theme.set_choice("light")
    editor.view.viewport().repaint()
    image = editor.view.viewport().grab().toImage()
    assert image.pixelColor(600, 300).name().upper() == LIGHT.bg1


def test_two_editors_show_one_document(qtbot, make_editor, icons) -> None:
    first = make_editor("|" + KERNEL)
    second = CodeEditor(icons, first.buffer)
    qtbot.addWidget(second)
    second.show()
    QTest.keyClicks(first.view, "x = 1")
    QTest.keyClick(first.view, Qt.Key.Key_Return)
    second.go_to(3, 1)
    QTest.keyClicks(second.view, "y")
    assert first.buffer.lines()[0] == "x = 1"
    assert first.buffer.lines()[2] == "y    with T.Kernel(1):"
    assert first.cursor_place == (2, 1)
    second.buffer.folds.toggle(0)
    assert len(first.view.rows(0, 400)) == len(second.view.rows(0, 400))


def test_an_editor_goes_and_its_document_stays(qtbot, make_editor, icons) -> None:
    editor = make_editor("ab")
    other = CodeEditor(icons, editor.buffer)
    other.show()
    other.close()
    other.deleteLater()
    qtbot.wait(20)
    QTest.keyClicks(editor.view, "x")
    assert editor.buffer.text() == "xab"


def test_wrapped_lines_are_one_row(make_editor) -> None:
    editor = make_editor("x = " + "abc " * 100 + "\ny")
    editor.view.set_word_wrap(True)
    first, second = editor.view.rows(0, 400)[:2]
    assert first.height > 2 * first.line_height
    assert second.line == 1
    assert second.top == pytest.approx(first.top + first.height)
