"""What to list of the history, and the SQL for it."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from workbench.core.runs import RunKind, RunStatus, microseconds


@dataclass(frozen=True)
class FileIdentity:
    """What runs of a file are known by: its path as runs write it, its text's hash, its kernels."""

    path: str
    text: str
    kernels: tuple[str, ...] = ()

    @property
    def name(self) -> str:
        """The path without its folders."""
        return self.path.rsplit("/", 1)[-1]


@dataclass(frozen=True)
class RunSource:
    """Runs of one path and host: whether they ran the text in question, and how many they are."""

    document: str | None
    host: str | None
    of_text: bool
    runs: int


@dataclass(frozen=True)
class RunFilter:
    """Which runs: those that agree with every field that is not None.

    `since` is inclusive, `until` is not. `search` are words, each of which must be somewhere in
    what a run is called, was asked for, or ran on, in its tags or its note; case does not count.
    A word with "=" is an argument with its whole value; one that ends with it, with any.
    `document` is the file that a run is of, by its path or since it was attached. `offered` are the
    runs that are not of a file and may be: those that ran its text, and those of its kernels from a
    file of its name or one that had its text.
    """

    kernel: str | None = None
    document: str | None = None
    target: str | None = None
    kind: RunKind | None = None
    status: RunStatus | None = None
    since: datetime | None = None
    tag: str | None = None
    until: datetime | None = None
    host: str | None = None
    pinned: bool | None = None
    search: str | None = None
    offered: FileIdentity | None = None

    def where(self) -> tuple[str, list[Any]]:
        """Return the SQL condition over `runs`, and its values."""
        asked, facts = self._asked(), self._asked_of_facts()
        conditions = [condition for condition, _ in asked]
        if facts:
            told = " AND ".join(condition for condition, _ in facts)
            conditions.append(f"EXISTS (SELECT 1 FROM run_facts WHERE run_id = runs.id AND {told})")
        return " AND ".join(conditions) or "TRUE", _values([*asked, *facts])

    def where_joined(self) -> tuple[str, list[Any]]:
        """Return the condition over `run_facts` joined with `runs`, and its values."""
        every = [*self._asked_of_facts(), *self._asked()]
        condition = " AND ".join(condition for condition, _ in every) or "TRUE"
        return condition, _values(every)

    @property
    def is_quick(self) -> bool:
        """Whether an index gives the first runs at once, however many there are."""
        asked = [condition.partition(" ")[0] for condition, _ in self._asked()]
        return not self._asked_of_facts() and len(asked) <= 1 and "id" not in asked

    @property
    def is_of_facts(self) -> bool:
        """Whether `run_facts` decides, not an index: by words, or by nothing but host or pin."""
        return bool(search_words(self.search) or (self._asked_of_facts() and not self._asked()))

    def _asked(self) -> list[tuple[str, Any]]:
        values: dict[str, Any] = {
            "kernel = ?": indexed(self.kernel),
            "id IN (SELECT run_id FROM run_documents WHERE document = ?)": indexed(self.document),
            "target = ?": indexed(self.target),
            "kind = ?": self.kind and self.kind.value,
            "status = ?": self.status and self.status.value,
            "created_us >= ?": self.since and microseconds(self.since),
            "created_us < ?": self.until and microseconds(self.until),
            "id IN (SELECT run_id FROM run_tags WHERE tag = ?)": indexed(self.tag),
        }
        asked = [(condition, value) for condition, value in values.items() if value is not None]
        return asked if self.offered is None else [*asked, _offered(self.offered)]

    def _asked_of_facts(self) -> list[tuple[str, Any]]:
        return [
            *((f"{name} = ?", value) for name, value in self._facts() if value is not None),
            *(_word_condition(word) for word in search_words(self.search)),
        ]

    def _facts(self) -> tuple[tuple[str, Any], ...]:
        return ("host", indexed(self.host)), ("pinned", self.pinned)


def _values(conditions: list[tuple[str, Any]]) -> list[Any]:
    """The values of conditions, of which one may have several."""
    return [
        each
        for _, value in conditions
        for each in (value if isinstance(value, tuple) else (value,))
    ]


def _offered(file: FileIdentity) -> tuple[str, tuple[Any, ...]]:
    """The condition of the runs that may be of a file, and its values."""
    path, name = indexed(file.path), f"/{indexed(file.name)}"
    of_text = "SELECT run_id FROM run_blobs WHERE hash = ?"
    kernels = ", ".join("?" * len(file.kernels))
    condition = (
        "id NOT IN (SELECT run_id FROM run_documents WHERE document = ?) "
        f"AND (id IN ({of_text}) OR (kernel IN ({kernels}) AND (substr('/' || document, ?) = ? "
        f"OR document IN (SELECT document FROM runs WHERE id IN ({of_text})))))"
    )
    named = (*map(indexed, file.kernels), -len(name), name)
    return condition, (path, file.text, *named, file.text)


@dataclass(frozen=True)
class FilterChoices:
    """What runs of a history can be filtered by: the values that they have."""

    kernels: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    hosts: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()


def search_words(text: str | None) -> tuple[str, ...]:
    """The words of a search as they are looked for, each once."""
    return tuple(dict.fromkeys((indexed(text) or "").lower().split()))


def _word_condition(word: str) -> tuple[str, str]:
    """The SQL condition of a word, and its value: "m=1" is neither of "m=16" nor of "block_m=1"."""
    name, sign, value = word.partition("=")
    if not (name and sign):
        return "instr(words, ?)", word
    end = " " if value else ""
    return "instr(' ' || replace(words, char(10), ' ') || ' ', ?)", f" {word}{end}"


def indexed(text: str | None) -> str | None:
    """Return `text` as a filter column holds it.

    A file name that is no UTF-8 has lone surrogates in Python, which SQLite's texts cannot hold.
    """
    return text and text.encode("utf-8", "backslashreplace").decode("utf-8")
