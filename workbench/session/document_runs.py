"""Which runs may be of a file though they are of another path, and how they are offered to it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from workbench.core.history import FileIdentity, History, RunFilter
from workbench.core.runs import LOCAL_HOST, Run, blob_hash
from workbench.session.recording.begun_runs import relative_path

_MOST_NAMED = 2
_UNSAVED = "an unsaved document"


@dataclass(frozen=True)
class Offer:
    """The runs that are not of `file` and may be: how many, of which so many ran its text.

    `paths` and `hosts` are where they come from, those of most runs first; a run of this machine
    names no host.
    """

    file: FileIdentity
    runs: int = 0
    of_text: int = 0
    paths: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """The offer in words; "" without any run."""
        if not self.runs:
            return ""
        hosts = f" from {_listed(self.hosts, 'machines')}" if self.hosts else ""
        who = f"{counted(self.runs)}{hosts} may be of {self.file.name}"
        return f"{who}: {self._texts}, in {_listed(self.paths, 'other files')}."

    @property
    def _texts(self) -> str:
        """How many ran the text as it is."""
        other = self.runs - self.of_text
        if self.of_text and other:
            return f"{self.of_text:,} ran its text, {other:,} another one"
        who = "it" if self.runs == 1 else "all"
        return f"{who} ran {'another' if other else 'its'} text"


def identity_of(path: Path, text: str, kernels: Iterable[str], workspace: Path) -> FileIdentity:
    """What runs of a file with this text are known by."""
    written = relative_path(path, workspace) or path.name
    return FileIdentity(written, text_hash(text), tuple(dict.fromkeys(kernels)))


def text_hash(text: str) -> str:
    """The hash under which a run stores a text."""
    return blob_hash(text.encode("utf-8", "surrogatepass"))


def offer_of(history: History, file: FileIdentity) -> Offer:
    """The runs that may be of a file. Raises HistoryError."""
    sources = history.sources(RunFilter(offered=file), file.text)
    return Offer(
        file,
        sum(each.runs for each in sources),
        sum(each.runs for each in sources if each.of_text),
        tuple(dict.fromkeys(each.document or _UNSAVED for each in sources)),
        tuple(dict.fromkeys(s.host for s in sources if s.host not in (None, LOCAL_HOST))),
    )


def ran_text(run: Run, text: str) -> bool | None:
    """Whether a run ran the text with this hash; None where it stores none."""
    return None if run.text_blob is None else run.text_blob == text


def counted(runs: int) -> str:
    """A number of runs in words."""
    return f"{runs:,} run{'' if runs == 1 else 's'}"


def _listed(names: tuple[str, ...], what: str) -> str:
    """A few names, or how many there are."""
    return " and ".join(names) if len(names) <= _MOST_NAMED else f"{len(names)} {what}"
