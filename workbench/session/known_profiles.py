"""The profile in the history that tells most of a file's kernel, for a view that has none yet."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date

from workbench.core.history import FileIdentity, History, RunFilter
from workbench.core.runs import LOCAL_HOST, Run, RunKind, RunStatus
from workbench.session.document_runs import ran_text
from workbench.session.history_pages import HistoryPages
from workbench.session.jobs import Post
from workbench.session.profile.subject import KnownProfile
from workbench.session.profile.words import time_text
from workbench.session.profile_runs import has_profile
from workbench.session.same_code import texts_of_code
from workbench.session.signal import Signal

_LOOKED_AT = 10  # of the newest runs of a file, and of those that may be of it
_TIME = "time_us"


class KnownProfiles:
    """Looks for the profile of one file and kernel at a time; `changed` tells of an answer."""

    def __init__(
        self, history: Callable[[], History], post: Post, failed: Callable[[str], object]
    ) -> None:
        self.changed: Signal[[]] = Signal()
        self._pages = HistoryPages(history, post, failed)
        self._asked: tuple[FileIdentity, str] | None = None
        self._found: KnownProfile | None = None
        self._is_of = ("", "")

    def of(self, file: FileIdentity, kernel: str, text: str) -> KnownProfile | None:
        """What is known by now; asks the history where another file or text is meant.

        What was found of the file stays until the answer for its new text is there.
        """
        if self._is_of != (file.path, kernel):
            self._is_of, self._found = (file.path, kernel), None
        if self._asked != (file, kernel):
            self._asked = (file, kernel)
            self._pages.forget()
            self._pages.ask(lambda own: known_profile(own, file, kernel, text), self._take)
        return self._found

    def forget(self) -> None:
        """Ask anew when asked: there are other runs."""
        self._asked = None

    def close(self) -> None:
        """Wait for what is being read."""
        self._pages.close()

    def _take(self, found: KnownProfile | None) -> None:
        if found != self._found:
            self._found = found
            self.changed.emit()


def known_profile(
    history: History, file: FileIdentity, kernel: str, text: str
) -> KnownProfile | None:
    """The newest profile of the file's text, else its code, else of the file, else one offered."""
    asked = RunFilter(kernel=kernel, kind=RunKind.PROFILE, status=RunStatus.DONE)
    runs = [
        run
        for where in (replace(asked, document=file.path), replace(asked, offered=file))
        for run in history.list(where, limit=_LOOKED_AT).runs
        if has_profile(run)
    ]
    if not runs:
        return None
    codes = texts_of_code(history, text, [run.text_blob for run in runs])
    best = min(runs, key=lambda run: (not ran_text(run, file.text), run.text_blob not in codes))
    told = sentence_of(best, file, date.today(), best.text_blob in codes)
    return KnownProfile(best.id, told)


def sentence_of(run: Run, file: FileIdentity, today: date, same_code: bool = False) -> str:
    """What was measured, where and when, and of which text."""
    time = run.metrics.get(_TIME)
    known = time.value if time is not None else None
    what = "no time" if known is None else time_text(known)
    host = None if run.host in (None, LOCAL_HOST) else run.host
    where = "".join(f" {word} {name}" for word, name in (("on", run.device), ("of", host)) if name)
    local = run.created.astimezone()
    day = "today" if local.date() == today else f"{local.day} {local:%b %Y}"
    case = f" for {run.case}" if run.case is not None else ""
    return f"Measured {day}{where}: {what}{case}, {_text(run, file, same_code)}."


def _text(run: Run, file: FileIdentity, same_code: bool) -> str:
    """Which text it was, and whose where the run is not of this file."""
    other = "of this code" if same_code else "of another text"
    words = {True: "of this very text", False: other, None: "of a text that is lost"}
    path = "" if file.path in run.documents or run.document is None else f" ({run.document})"
    return f"{words[ran_text(run, file.text)]}{path}"
