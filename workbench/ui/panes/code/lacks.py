"""What stands in the place of a text that is not there: why, and the action that helps."""

from __future__ import annotations

import enum
import re
from dataclasses import dataclass

from workbench.session.code_inputs import State
from workbench.session.code_view import Content

_COMMAND = re.compile(r"\b(?:pip|apt-get) install [^,;]*")
_ICONS = {
    State.LOADING: "clock",
    State.ABSENT: "code",
    State.MISSING: "info",
    State.FAILED: "error",
}


class Help(enum.Enum):
    """What a button offers; its text."""

    MAKE = "Make it"
    RECORD = "Record passes"
    COPY = "Copy the command"


@dataclass(frozen=True)
class Lack:
    """`command` is what is copied where `offer` is COPY."""

    icon: str
    text: str
    offer: Help | None = None
    command: str = ""


NOTHING = Lack(
    "code", "Compile a kernel to read its IR, its generated source and its machine code here."
)


def lack_of(content: Content, has_passes: bool) -> Lack:
    """Why a text is not there, and what helps; `has_passes` where its passes are recorded."""
    text = f"{content.sentence}\n\n{content.cure}".strip()
    command = _COMMAND.search(content.cure)
    copied = command[0].rstrip(" .") if command is not None else ""
    offers = {
        State.ABSENT: Help.MAKE,
        State.MISSING: Help.COPY if copied else None,
        State.FAILED: None if has_passes else Help.RECORD,
    }
    return Lack(_ICONS[content.state], text, offers.get(content.state), copied)
