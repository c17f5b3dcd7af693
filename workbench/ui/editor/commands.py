"""The table of what the editor does on command: names for menus and help, and their keys."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workbench.ui.editor import edits, line_edits

if TYPE_CHECKING:
    from workbench.ui.editor.editor import CodeEditor


@dataclass(frozen=True)
class Command:
    """A command by its stable name; `run` returns False where a key should do its usual thing."""

    name: str
    title: str
    keys: tuple[str, ...]
    run: Callable[[CodeEditor], object]


COMMANDS = (
    Command("find", "Find", ("Ctrl+F",), lambda e: e.open_find()),
    Command("replace", "Replace", ("Ctrl+H",), lambda e: e.open_find(with_replace=True)),
    Command("find-next", "Find next", ("F3",), lambda e: e.search.go_next()),
    Command("find-previous", "Find previous", ("Shift+F3",), lambda e: e.search.go_previous()),
    Command("go-to-line", "Go to line", ("Ctrl+G",), lambda e: e.open_go_to_line()),
    Command("next-problem", "Next problem", ("F8",), lambda e: e.next_problem()),
    Command("previous-problem", "Previous problem", ("Shift+F8",), lambda e: e.previous_problem()),
    Command("quick-fix", "Quick fix", ("Ctrl+.", "Alt+Return"), lambda e: e.request_fixes()),
    Command("complete", "Complete", ("Ctrl+Space",), lambda e: e.complete_now()),
    Command(
        "new-line",
        "New line",
        ("Return", "Enter", "Shift+Return", "Shift+Enter"),
        lambda e: e.view.edit(edits.insert_new_line),
    ),
    Command("indent", "Indent", ("Tab",), lambda e: e.view.edit(line_edits.indent)),
    Command(
        "dedent", "Dedent", ("Shift+Tab", "Shift+Backtab"), lambda e: e.view.edit(line_edits.dedent)
    ),
    Command(
        "backspace", "Delete backwards", ("Backspace",), lambda e: e.view.edit(edits.backspace)
    ),
    Command("home", "To the start of the line", ("Home",), lambda e: e.view.go_home(select=False)),
    Command(
        "select-home",
        "Select to the start of the line",
        ("Shift+Home",),
        lambda e: e.view.go_home(select=True),
    ),
    Command(
        "toggle-comment", "Comment", ("Ctrl+/",), lambda e: e.view.edit(line_edits.toggle_comments)
    ),
    Command(
        "duplicate",
        "Duplicate lines",
        ("Ctrl+D",),
        lambda e: e.view.edit(line_edits.duplicate_lines),
    ),
    Command(
        "move-up", "Move lines up", ("Alt+Up",), lambda e: e.view.edit(line_edits.move_lines_up)
    ),
    Command(
        "move-down",
        "Move lines down",
        ("Alt+Down",),
        lambda e: e.view.edit(line_edits.move_lines_down),
    ),
    Command("fold", "Fold", ("Ctrl+Shift+[", "Ctrl+{"), lambda e: e.fold()),
    Command("unfold", "Unfold", ("Ctrl+Shift+]", "Ctrl+}"), lambda e: e.unfold()),
    Command("fold-all", "Fold all", ("Ctrl+Alt+[",), lambda e: e.buffer.folds.fold_all()),
    Command("unfold-all", "Unfold all", ("Ctrl+Alt+]",), lambda e: e.buffer.folds.unfold_all()),
    Command("zoom-in", "Larger code", ("Ctrl++", "Ctrl+="), lambda e: e.view.zoom(1)),
    Command("zoom-out", "Smaller code", ("Ctrl+-",), lambda e: e.view.zoom(-1)),
    Command("zoom-reset", "Usual size of code", ("Ctrl+0",), lambda e: e.view.reset_zoom()),
    Command("close-bar", "Close the bar", ("Esc",), lambda e: e.close_bars()),
)
BY_NAME = {command.name: command for command in COMMANDS}
