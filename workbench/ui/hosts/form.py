"""The form of one host: name, command, Python and environment, with examples to begin from."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from dataclasses import dataclass

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QHBoxLayout, QLineEdit, QVBoxLayout, QWidget

from workbench.core.hosts import Host, HostError, make_host
from workbench.ui.theme.fonts import TextRole
from workbench.ui.theme.icons import Icons
from workbench.ui.widgets.buttons import flush_link
from workbench.ui.widgets.labels import set_look, text_label


@dataclass(frozen=True)
class Example:
    """A way to reach a machine: `command` and `python` as they would be typed."""

    title: str
    name: str
    command: str
    python: str
    tip: str


EXAMPLES = (
    Example("ssh", "gpu1", "ssh gpu1", "python3", "Any name that ssh knows, by your own keys"),
    Example("docker", "box", "docker exec -i box", "python3", "A container that runs"),
    Example("srun", "cluster", "srun --gres=gpu:1 --unbuffered", "python3", "A job of Slurm"),
    Example("kubectl", "pod", "kubectl exec -i pod --", "python3", "A pod that runs"),
    Example(
        "Python here", "venv", "", "/path/to/venv/bin/python", "Another Python of this machine"
    ),
)
_LABELS = {
    "name": ("Name", "gpu1", "What the host is called in menus and on the command line"),
    "command": ("Command", "ssh gpu1", "What starts a process there; words that follow are run"),
    "python": ("Python", "python3", "A Python with torch and tilelang on the far side"),
    "environment": ("Environment", "CUDA_VISIBLE_DEVICES=0", "NAME=value, separated by spaces"),
}
_NOTE = (
    "Nothing has to be installed there but Python 3.10, torch and tilelang: the worker's code "
    "comes along. Keys and passwords are the command's business."
)


class HostForm(QWidget):
    """Tells what is typed as a `Host`; it saves nothing."""

    #: Something was typed.
    changed = Signal()

    def __init__(self, icons: Icons, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self._icons = icons
        self._fields = {key: self._field(key) for key in _LABELS}
        self._examples = [self._example(each) for each in EXAMPLES]
        self._said = text_label(icons.theme, "", TextRole.LABEL, "fg3")
        self._said.setWordWrap(True)
        self._lay_out()
        self._tell()

    @property
    def refusal(self) -> str:
        """Why what is typed is no host, in a sentence; empty where it is one."""
        try:
            self.host()
        except HostError as error:
            return str(error)
        return ""

    @property
    def is_empty(self) -> bool:
        """Whether nothing was typed yet."""
        return not any(field.text().strip() for field in self._fields.values())

    def field(self, key: str) -> QLineEdit:
        """The field of "name", "command", "python" or "environment"."""
        return self._fields[key]

    def host(self) -> Host:
        """The host that is typed. Raises HostError."""
        text = {key: field.text().strip() for key, field in self._fields.items()}
        if not text["name"]:
            raise HostError("A host needs a name, such as gpu1.")
        environment = _variables(text["environment"])
        return make_host(text["name"], text["command"], text["python"], environment=environment)

    def show_host(self, host: Host | None) -> None:
        """Show a host, or an empty form for a new one."""
        texts = {"name": "", "command": "", "python": "", "environment": ""}
        if host is not None:
            texts = {
                "name": host.name,
                "command": shlex.join(host.command),
                "python": host.python,
                "environment": _line(host.environment),
            }
        self._row.setVisible(host is None)
        is_here = host is not None and not host.command
        shown = "none: this machine" if is_here else _LABELS["command"][1]
        self._fields["command"].setPlaceholderText(shown)
        for key, field in self._fields.items():
            was_blocked = field.blockSignals(True)
            field.setText(texts[key])
            field.blockSignals(was_blocked)
        self._tell()

    def take_example(self, example: Example) -> None:
        """Begin from an example; a name that is typed stays."""
        if not self._fields["name"].text().strip():
            self._fields["name"].setText(example.name)
        self._fields["command"].setText(example.command)
        self._fields["python"].setText(example.python)
        self._fields["command"].setFocus()

    def _field(self, key: str) -> QLineEdit:
        title, placeholder, tip = _LABELS[key]
        field = QLineEdit()
        field.setPlaceholderText(placeholder)
        field.setAccessibleName(title)
        field.setToolTip(tip)
        if key != "name":
            field.setFont(self._icons.theme.fonts.monospace(12))
        field.textChanged.connect(self._on_field_changed)
        return field

    def _example(self, example: Example) -> QWidget:
        link = flush_link(self._icons, example.title)
        shown = example.command or example.python
        link.setToolTip(f"{example.tip}:\n{shown}")
        link.setAccessibleName(f"Example: {example.title}")
        link.clicked.connect(lambda: self.take_example(example))
        return link

    def _lay_out(self) -> None:
        theme = self._icons.theme
        grid = QGridLayout()
        grid.setHorizontalSpacing(12)
        grid.setVerticalSpacing(8)
        for row, (key, field) in enumerate(self._fields.items()):
            label = text_label(theme, _LABELS[key][0], TextRole.LABEL, "fg2")
            label.setBuddy(field)
            grid.addWidget(label, row, 0)
            grid.addWidget(field, row, 1)
        self._row = QWidget()
        examples = QHBoxLayout(self._row)
        examples.setContentsMargins(0, 0, 0, 0)
        examples.setSpacing(14)
        examples.addWidget(text_label(theme, "Begin from", TextRole.LABEL, "fg3"))
        for link in self._examples:
            examples.addWidget(link)
        examples.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 0, 0, 0)
        column.setSpacing(10)
        column.addWidget(self._row)
        column.addLayout(grid)
        column.addWidget(self._said)

    def _on_field_changed(self) -> None:
        self._tell()
        self.changed.emit()

    def _tell(self) -> None:
        refusal = "" if self.is_empty else self.refusal
        self._said.setText(refusal or _NOTE)
        set_look(self._said, "tone", "warn" if refusal else "fg3")


def _variables(line: str) -> dict[str, str]:
    """The variables of "NAME=value NAME=value". Raises HostError."""
    try:
        words = shlex.split(line)
    except ValueError as error:
        raise HostError(f"The environment cannot be read: {error}.") from None
    found = {}
    for word in words:
        name, equals, value = word.partition("=")
        if not equals:
            raise HostError(f"The environment has {word!r}: write NAME=value.")
        found[name] = value
    return found


def _line(environment: Mapping[str, str]) -> str:
    return " ".join(shlex.quote(f"{name}={value}") for name, value in environment.items())
