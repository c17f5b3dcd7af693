"""The one table of what can be done: it feeds menus, tool bar, palette, shortcuts and help."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from PySide6.QtCore import QObject
from PySide6.QtGui import QAction, QKeySequence

from workbench.ui.theme.icons import Icons


@dataclass(frozen=True)
class ActionRecord:
    """One action: `id` names it in code and settings; `menu` is the menu that it stands in.

    `keys` are Qt's portable names of shortcuts. A record with `separator` begins a new group.
    """

    id: str
    title: str
    menu: str
    keys: tuple[str, ...] = ()
    icon: str | None = None
    tip: str = ""
    separator: bool = False
    checkable: bool = False
    needs_document: bool = False


def _record(id: str, title: str, menu: str, *keys: str, **more: object) -> ActionRecord:  # noqa: A002 - the field's name
    return ActionRecord(id, title, menu, keys, **more)  # type: ignore[arg-type]


_HELP_TIP = "The page about the name or the problem at the cursor"

ACTIONS: tuple[ActionRecord, ...] = (
    _record(
        "new-kernel",
        "New Kernel from Pattern…",
        "File",
        "Ctrl+N",
        icon="file-plus",
        tip="Make a kernel from a pattern: in one sentence, or choice by choice",
    ),
    _record(
        "change-pattern",
        "Change in the Wizard…",
        "File",
        icon="pencil",
        tip="Choose anew what this generated kernel was made from, and see what that changes",
        needs_document=True,
    ),
    _record(
        "port-pattern",
        "Port to Another Target…",
        "File",
        icon="target",
        tip="A variant of this generated kernel with the choices for another target",
        needs_document=True,
    ),
    _record("open", "Open File…", "File", "Ctrl+O", icon="open", separator=True),
    _record("open-folder", "Open Folder…", "File", "Ctrl+K", icon="folder"),
    _record("quick-open", "Go to File…", "File", "Ctrl+P", icon="search"),
    _record(
        "import-runs",
        "Import Runs…",
        "File",
        icon="download",
        tip="Archives of runs, and Nsight Compute's reports and tables",
        separator=True,
    ),
    _record("save", "Save", "File", "Ctrl+S", icon="save", needs_document=True, separator=True),
    _record("save-as", "Save As…", "File", "Ctrl+Shift+S", needs_document=True),
    _record("close", "Close File", "File", "Ctrl+W", needs_document=True),
    _record("quit", "Quit", "File", "Ctrl+Q", separator=True),
    _record("undo", "Undo", "Edit", "Ctrl+Z", icon="undo", needs_document=True),
    _record("redo", "Redo", "Edit", "Ctrl+Shift+Z", icon="redo", needs_document=True),
    _record("find", "Find…", "Edit", "Ctrl+F", icon="search", needs_document=True, separator=True),
    _record("replace", "Replace…", "Edit", "Ctrl+H", needs_document=True),
    _record("go-to-line", "Go to Line…", "Edit", "Ctrl+G", needs_document=True),
    _record(
        "back",
        "Back",
        "Edit",
        "Alt+Left",
        tip="To what was selected before, in a lens or its line",
        separator=True,
    ),
    _record("forward", "Forward", "Edit", "Alt+Right"),
    _record("definition", "Go to Definition", "Edit", "F12", needs_document=True),
    _record(
        "linked-code",
        "Show Linked Code",
        "Edit",
        "Ctrl+F10",
        icon="link",
        tip="What this line became in the IR, the source, PTX and SASS",
        needs_document=True,
    ),
    _record(
        "quick-fix",
        "Quick Fix…",
        "Edit",
        "Ctrl+.",
        "Alt+Return",
        icon="bulb",
        tip="What can be done about the problems of this line",
        needs_document=True,
    ),
    _record(
        "show-hover",
        "What Is at the Cursor",
        "Edit",
        "Ctrl+I",
        icon="info",
        tip="Show the problems and the buffer at the cursor",
        needs_document=True,
    ),
    _record("comment", "Comment Lines", "Edit", "Ctrl+/", needs_document=True, separator=True),
    _record("duplicate", "Duplicate Lines", "Edit", "Ctrl+D", needs_document=True),
    _record("move-up", "Move Lines Up", "Edit", "Alt+Up", needs_document=True),
    _record("move-down", "Move Lines Down", "Edit", "Alt+Down", needs_document=True),
    _record("fold", "Fold", "Edit", "Ctrl+Shift+[", needs_document=True, separator=True),
    _record("unfold", "Unfold", "Edit", "Ctrl+Shift+]", needs_document=True),
    _record("split", "Split Editor", "View", "Ctrl+\\", icon="split", needs_document=True),
    _record("design", "Design", "View", "Ctrl+1", separator=True),
    _record("debug", "Debug", "View", "Ctrl+2"),
    _record("profile", "Profile", "View", "Ctrl+3"),
    _record("reset-layout", "Reset the Layout", "View"),
    _record("theme-system", "Theme of the System", "View", separator=True, checkable=True),
    _record("theme-light", "Light Theme", "View", checkable=True),
    _record("theme-dark", "Dark Theme", "View", checkable=True),
    _record("zoom-in", "Larger Text", "View", "Ctrl++", "Ctrl+=", separator=True),
    _record("zoom-out", "Smaller Text", "View", "Ctrl+-"),
    _record("zoom-reset", "Usual Text Size", "View", "Ctrl+0"),
    _record(
        "inlay-hints",
        "Shapes and Sizes in the Text",
        "View",
        tip="Write shape, scope and bytes behind the lines of buffers",
        checkable=True,
        separator=True,
    ),
    _record("hints", "Hints…", "View", tip="Which kinds of hints are told, and which are not"),
    _record(
        "compile",
        "Compile",
        "Run",
        "Ctrl+Return",
        icon="play",
        tip="Compile for every chosen target",
        needs_document=True,
    ),
    _record(
        "verify",
        "Verify",
        "Run",
        "F5",
        icon="check",
        tip="Run the kernel in the chosen place and compare with the reference",
        needs_document=True,
    ),
    _record(
        "verify-sample",
        "Verify a Sample of Blocks",
        "Run",
        "Ctrl+F5",
        tip="Run 64 blocks in the simulator and compare what is theirs, for real sizes",
        needs_document=True,
    ),
    _record(
        "analyze",
        "Analyze",
        "Run",
        "F7",
        icon="memory",
        tip="Compute occupancy, bank conflicts and time from the machine code, without a GPU",
        needs_document=True,
    ),
    _record(
        "measure",
        "Profile",
        "Run",
        "F6",
        icon="clock",
        tip="Measure on a GPU: time and spread, the share of what the device can do, counters",
        needs_document=True,
    ),
    _record(
        "measure-cases",
        "Profile All Cases",
        "Run",
        "Ctrl+F6",
        tip="Measure every case of the kernel and draw the series of shapes",
        needs_document=True,
    ),
    _record(
        "compare",
        "Compare",
        "Run",
        "Ctrl+F8",
        icon="compare",
        tip="Runs side by side: the ones that are selected, else the last or the newest",
        separator=True,
    ),
    _record(
        "charts",
        "Charts of Runs",
        "Run",
        "Ctrl+Shift+F8",
        icon="chart",
        tip="Latency, throughput, roofline, occupancy, traffic, stalls and conflicts of runs",
    ),
    _record(
        "sweep",
        "Sweep",
        "Run",
        "Ctrl+F9",
        icon="grid",
        tip="Find the fastest configuration: rules, compile, estimate, measure, confirm",
    ),
    _record("verify-where", "Where to Verify…", "Run", "Alt+F5", needs_document=True),
    _record("profile-where", "Where to Profile…", "Run", "Alt+F6", needs_document=True),
    _record(
        "hosts",
        "Hosts…",
        "Run",
        icon="server",
        tip="Machines that kernels run on: add, test and change them",
    ),
    _record(
        "portability",
        "Check Portability",
        "Run",
        "Ctrl+F7",
        icon="target",
        tip="Lower for every architecture and tell on which the kernel can run, and why not",
        needs_document=True,
    ),
    _record(
        "bug-bundle",
        "Suspect the Compiler…",
        "Run",
        icon="bug",
        tip="Look whether the kernel is right and the compiler is not, and write a bug bundle",
        needs_document=True,
    ),
    _record(
        "export-kernel",
        "Export the Kernel…",
        "Run",
        icon="upload",
        tip="Write source, machine code, launch and test into a folder that needs no workbench",
        needs_document=True,
    ),
    _record(
        "run-script",
        "Run as a Script",
        "Run",
        tip="Execute the file as it is, its kernels in the simulator",
        needs_document=True,
        separator=True,
    ),
    _record(
        "find-cases",
        "Find Cases in the Script",
        "Run",
        tip="Note which kernels the script builds with which arguments; nothing is computed",
        needs_document=True,
    ),
    _record("write-cases", "Write Found Cases into the File", "Run", needs_document=True),
    _record("cancel", "Cancel", "Run", "Shift+F5", icon="stop", tip="End the jobs that run"),
    _record("live", "Lower While Typing", "Run", separator=True, checkable=True),
    _record("next-problem", "Next Problem", "Run", "F8", needs_document=True, separator=True),
    _record("previous-problem", "Previous Problem", "Run", "Shift+F8", needs_document=True),
    _record("trust", "Trust This Folder…", "Run", icon="shield", separator=True),
    _record("reference", "Help at the Cursor", "Help", "F1", icon="help", tip=_HELP_TIP),
    _record("reference-search", "Search the Reference…", "Help", "Shift+F1", icon="book"),
    _record("welcome", "Welcome Page", "Help", separator=True),
    _record("palette", "Search Actions…", "Help", "Ctrl+Shift+P", icon="search"),
    _record("keys", "Keyboard Shortcuts", "Help", icon="help"),
    _record("report", "Report a Problem…", "Help", icon="bug"),
    _record("about", "About", "Help"),
)
MENUS = tuple(dict.fromkeys(record.menu for record in ACTIONS))
#: Keys that the editor itself answers while it has the focus; a window shortcut would take them.
EDITOR_KEYS = frozenset({"comment", "duplicate", "move-up", "move-down", "zoom-reset", "undo"})
EDITOR_OWN = EDITOR_KEYS | {"quick-fix", "redo", "find", "replace", "go-to-line", "fold", "unfold"}


class Actions:
    """The Qt actions of the table, each connected to the handler of its id."""

    def __init__(
        self, owner: QObject, icons: Icons, handlers: Mapping[str, Callable[[], object]]
    ) -> None:
        self._actions: dict[str, QAction] = {}
        for record in ACTIONS:
            self._actions[record.id] = _action(record, owner, icons, handlers[record.id])

    def __getitem__(self, name: str) -> QAction:
        return self._actions[name]

    def __iter__(self) -> Iterator[tuple[ActionRecord, QAction]]:
        return ((record, self._actions[record.id]) for record in ACTIONS)

    def set_document_open(self, is_open: bool) -> None:
        """Allow what needs a document, or not."""
        for record, action in self:
            if record.needs_document:
                action.setEnabled(is_open)


def _action(
    record: ActionRecord, owner: QObject, icons: Icons, handler: Callable[[], object]
) -> QAction:
    action = QAction(record.title, owner)
    action.setObjectName(record.id)
    action.setShortcuts([QKeySequence(keys) for keys in record.keys])
    shown = ", ".join(
        k.toString(QKeySequence.SequenceFormat.NativeText) for k in action.shortcuts()
    )
    action.setToolTip(f"{record.tip or record.title}{f' ({shown})' if shown else ''}")
    action.setCheckable(record.checkable)
    if record.icon is not None:
        icons.assign(action, record.icon, "fg2")
    action.triggered.connect(lambda *_: handler())
    return action
