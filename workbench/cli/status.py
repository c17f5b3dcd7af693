"""Exit statuses, and the errors that end a command before it has results."""

from __future__ import annotations

import enum
from collections.abc import Iterable


class ExitStatus(enum.IntEnum):
    """What a command's exit status says."""

    GOOD = 0
    """Done, and good on every requested target."""
    FAULT = 1
    """A kernel is at fault on any of them: does not compile, does not match, over its limit."""
    USAGE = 2
    """The command was used wrongly, or the environment lacks something."""


class UsageError(Exception):
    """A command cannot begin; the message says what is wrong and what to do."""


_OF_STATUS = {
    "ok": ExitStatus.GOOD,
    "pass": ExitStatus.GOOD,
    "sampled-pass": ExitStatus.GOOD,
    "fault": ExitStatus.FAULT,
    "mismatch": ExitStatus.FAULT,
    "error": ExitStatus.USAGE,
}
_RANK = (ExitStatus.GOOD, ExitStatus.USAGE, ExitStatus.FAULT)


def exit_status(statuses: Iterable[str]) -> ExitStatus:
    """The status for several results: a fault counts more than a lack in the environment."""
    return max((_OF_STATUS[s] for s in statuses), key=_RANK.index, default=ExitStatus.USAGE)
