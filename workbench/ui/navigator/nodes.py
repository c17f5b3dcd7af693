"""What the navigator shows, as frozen nodes made from files, library and runs."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path

from workbench.core.runs import Run
from workbench.session.place_choices import HostGlance
from workbench.ui.panes.runs.wording import (
    KIND_WORDS,
    STATUS_LOOKS,
    arguments_text,
    conclusion,
    when,
)
from workbench.ui.widgets.severity import SeverityLook


class NodeKind(enum.Enum):
    """What a node is, which decides what a click on it does."""

    SECTION = "section"
    FOLDER = "folder"
    FILE = "file"
    LIBRARY = "library"
    PATTERN = "pattern"
    RUN = "run"
    HOST = "host"
    HINT = "hint"
    ACTION = "action"


@dataclass(frozen=True)
class Node:
    """One row; `payload` is a path, the id of a run or pattern, or a host's name, `look` its mark.

    `note` are words at the right, `detail` a second line below.
    """

    kind: NodeKind
    key: str
    text: str
    icon: str | None = None
    payload: str = ""
    tip: str = ""
    note: str = ""
    detail: str = ""
    look: SeverityLook | None = None
    children: tuple[Node, ...] = ()


@dataclass(frozen=True)
class LibraryEntry:
    """A shipped kernel; `tip` says in a sentence what it computes."""

    title: str
    path: Path
    tip: str = ""


WORKSPACE, LIBRARY, RUNS, HOSTS = "workspace", "library", "runs", "hosts"
PATTERNS = "patterns"
OPEN_FOLDER, ADD_HOST, NEW_KERNEL = "open-folder", "add-host", "new-kernel"
_HOST_LOOKS = {
    None: SeverityLook("server", "fg3", "Not tested yet"),
    True: SeverityLook("check", "good", "Ready"),
    False: SeverityLook("error", "error", "Not reached"),
}
_NO_GPU = SeverityLook("warning", "warn", "Without a GPU")


def workspace_section(root: Path | None, files: Sequence[Path], searching: bool = False) -> Node:
    """The kernels found, in their folders; a folder that holds one folder alone is one row."""
    if root is None:
        children: tuple[Node, ...] = (_action(OPEN_FOLDER, "Open a folder…", "folder"),)
        return Node(NodeKind.SECTION, WORKSPACE, "Workspace", children=children)
    children = _tree(root, [path.relative_to(root).parts for path in files], ())
    if not children:
        text = "Looking for kernels…" if searching else "No kernels in this folder"
        children = (_hint("no-kernels", text),)
    name = f"Workspace · {root.name or root}"
    tip = f"The kernels in this folder and below it:\n{root}"
    return Node(NodeKind.SECTION, WORKSPACE, name, tip=tip, children=children)


def library_section(entries: Iterable[LibraryEntry]) -> Node:
    """The shipped kernels."""
    children = tuple(
        Node(
            NodeKind.LIBRARY,
            f"library:{entry.path}",
            entry.title,
            "lock",
            str(entry.path),
            f"{entry.tip or entry.title}\nShipped: opens as a copy",
        )
        for entry in entries
    )
    return Node(NodeKind.SECTION, LIBRARY, "Library", children=children)


@dataclass(frozen=True)
class PatternEntry:
    """A pattern; `tip` says in a sentence what it computes."""

    id: str
    title: str
    tip: str


def patterns_section(entries: Iterable[PatternEntry]) -> Node:
    """What kernels can be made from, and the way in by a sentence."""
    first = _action(NEW_KERNEL, "New kernel…", "file-plus")
    patterns = (
        Node(
            NodeKind.PATTERN,
            f"pattern:{entry.id}",
            entry.title,
            "grid",
            entry.id,
            f"{entry.title}\n{entry.tip}",
        )
        for entry in entries
    )
    return Node(NodeKind.SECTION, PATTERNS, "Patterns", children=(first, *patterns))


def runs_section(runs: Iterable[Run], now: datetime) -> Node:
    """The newest runs, as they were given."""
    children = tuple(_run(run, now) for run in runs)
    hint = (_hint("no-runs", "No runs yet"),)
    return Node(NodeKind.SECTION, RUNS, "Recent runs", children=children or hint)


def hosts_section(hosts: Iterable[HostGlance]) -> Node:
    """The machines that kernels can run on beside this one, and the way to a further one."""
    children = tuple(_host(each) for each in hosts)
    add = _action(ADD_HOST, "Add a host…", "plus")
    return Node(NodeKind.SECTION, HOSTS, "Hosts", children=(*children, add))


def _host(glance: HostGlance) -> Node:
    look = _HOST_LOOKS[glance.reached]
    if glance.reached and glance.no_gpu:
        look = _NO_GPU
    what = ", ".join(dict.fromkeys(glance.gpus or ()))
    detail = what or glance.reason or glance.no_gpu or look.word.lower()
    name = glance.host.name
    tip = f"{name}: {detail}\n{glance.host.command_line}"
    return Node(NodeKind.HOST, f"host:{name}", name, look.icon, name, tip, detail=detail, look=look)


def _tree(root: Path, files: Sequence[tuple[str, ...]], at: tuple[str, ...]) -> tuple[Node, ...]:
    """Folders first, then files, each in the order given; `files` are parts below `at`."""
    folders: dict[str, list[tuple[str, ...]]] = {}
    here: list[str] = []
    for parts in files:
        if len(parts) == 1:
            here.append(parts[0])
        else:
            folders.setdefault(parts[0], []).append(parts[1:])
    nodes = [_folder(root, (*at, name), inside) for name, inside in folders.items()]
    return (*nodes, *(_file(root.joinpath(*at, name)) for name in here))


def _folder(root: Path, at: tuple[str, ...], files: list[tuple[str, ...]]) -> Node:
    name = at[-1]
    while (only := _only_folder(files)) is not None:
        name, at = f"{name}/{only}", (*at, only)
        files = [parts[1:] for parts in files]
    path = root.joinpath(*at)
    children = _tree(root, files, at)
    return Node(
        NodeKind.FOLDER, f"folder:{path}", name, "folder", str(path), str(path), children=children
    )


def _only_folder(files: Sequence[tuple[str, ...]]) -> str | None:
    """The one folder that all of these lie in."""
    names = {parts[0] if len(parts) > 1 else "" for parts in files}
    return names.pop() or None if len(names) == 1 else None


def _file(path: Path) -> Node:
    return Node(NodeKind.FILE, f"file:{path}", path.name, "file", str(path), str(path))


def _run(run: Run, now: datetime) -> Node:
    """Line one says what was run, line two what was done with it, for what, and how long ago."""
    look = STATUS_LOOKS[run.status]
    kind, created = KIND_WORDS[run.kind], when(run.created, now.date())
    subject = " · ".join(part for part in (run.kernel, run.case_title()) if part) or "a kernel"
    detail = " · ".join(part for part in (kind, run.target, ago(run.created, now)) if part)
    head = f"{kind}, {look.word.lower()}: {subject} for {run.target}, {created}"
    tip = "\n".join(part for part in (head, arguments_text(run), conclusion(run)) if part)
    return Node(
        NodeKind.RUN, f"run:{run.id}", subject, look.icon, run.id, tip, detail=detail, look=look
    )


def ago(created: datetime, now: datetime) -> str:
    """How long ago something was: "just now", "2 min ago", "3 h ago", and from a day on its day."""
    passed = now - created
    if passed < timedelta(minutes=1):
        return "just now"
    if passed < timedelta(hours=1):
        return f"{passed // timedelta(minutes=1)} min ago"
    if passed < timedelta(days=1):
        return f"{passed // timedelta(hours=1)} h ago"
    local = created.astimezone()
    day = f"{local.day} {local:%b}"
    return day if local.year == now.astimezone().year else f"{day} {local.year}"


def _hint(key: str, text: str) -> Node:
    return Node(NodeKind.HINT, key, text)


def _action(key: str, text: str, icon: str) -> Node:
    return Node(NodeKind.ACTION, key, text, icon)
