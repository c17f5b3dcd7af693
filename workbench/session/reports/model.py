"""What every form of a report says of itself, and what of texts is common to all forms."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from workbench.core.runs import Run
from workbench.session.comparison_desk import Loaded

#: What neither XML nor a terminal may hold: control characters, halves of pairs, no characters.
_UNFIT = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f\ud800-\udfff\ufffe\uffff]")
_UNNAMED = "Runs side by side"


@dataclass(frozen=True)
class About:
    """Which report it is: its name, when it was made, and by which version of the workbench."""

    name: str
    made: datetime
    version: str

    @property
    def title(self) -> str:
        """What stands above it."""
        return self.name or _UNNAMED


def cleaned(text: str) -> str:
    """The text with a sign in place of each character that a file of text may not hold."""
    return _UNFIT.sub("\N{REPLACEMENT CHARACTER}", text)


@dataclass(frozen=True)
class Fact:
    """One thing that is known of the runs, by column; "" where a run does not say."""

    name: str
    values: tuple[str, ...]


def run_facts(loaded: Loaded) -> tuple[Fact, ...]:
    """All that was asked for and what became of it, a row each; rows without a value left out."""
    columns = [_facts(run) for run in loaded.found.runs]
    names = dict.fromkeys(name for each in columns for name in each)
    rows = (Fact(name, tuple(each.get(name) or "" for each in columns)) for name in names)
    return tuple(row for row in rows if any(row.values))


def _facts(run: Run) -> dict[str, str | None]:
    pairs = ("arguments", run.args), ("versions", run.versions)
    listed = {name: ", ".join(f"{k} = {v}" for k, v in found.items()) for name, found in pairs}
    return {
        "run": run.id,
        "made": f"{run.created.astimezone():%Y-%m-%d %H:%M:%S %z}",
        "kind": run.kind.value.replace("_", " "),
        "ended": run.status.value,
        "kernel": run.kernel,
        "document": run.document,
        "case": run.case,
        "arguments": listed["arguments"],
        "target": run.target,
        "host": run.host,
        "device": run.device,
        "versions": listed["versions"],
        "text": run.text_blob and run.text_blob[:12],
        "tags": " ".join(run.tags),
        "note": run.note,
        "error": run.error,
        "imported from": run.origin,
    }
