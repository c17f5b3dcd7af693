"""The same statement in every text of a kernel: rows by the document's line, with their figures."""

from __future__ import annotations

import collections
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property

from workbench.core.analysis.shared_sites import SharedKind, SharedSite
from workbench.core.figures import number
from workbench.core.linked_code import NO_LINE, STAGES, UNKNOWN_LIVE, LinkedResult
from workbench.session.lenses.subject import LensSubject, LensTarget

PYTHON = "python"
TITLES = {
    PYTHON: "Python",
    "tir": "Tile IR",
    "lowered": "Lowered IR",
    "source": "Source",
    "ptx": "PTX",
    "sass": "SASS",
}
HUES = 6
_ROWS = {"ptx": "rows of PTX", "sass": "SASS instructions"}
# What an instruction does to shared memory, by its opcode in PTX and in SASS.
_KINDS = (
    (re.compile(r"ldmatrix|LDSM\b"), SharedKind.LDMATRIX),
    (re.compile(r"stmatrix|STSM\b"), SharedKind.STMATRIX),
    (re.compile(r"ldu?\.(?:volatile\.)?shared|LDS\b"), SharedKind.LOAD),
    (re.compile(r"st\.(?:volatile\.)?shared|STS\b"), SharedKind.STORE),
    (re.compile(r"cp\.async\.c[ag]\.shared|LDGSTS\b"), SharedKind.ASYNC_COPY),
    (re.compile(r"(?:atom|red)\.shared|ATOMS\b|REDS\b"), SharedKind.INTEGER_ATOMIC),
)
_INSTRUCTION = re.compile(r"^\s*(/\*[0-9a-f]+\*/)\s+")  # of SASS, which is set far apart
_OPCODE = re.compile(r"^\s*(?:/\*[0-9a-f]+\*/\s*)?(?:@!?[\w%]+\s+)?([\w.:]+)")


@dataclass(frozen=True)
class Cost:
    """What a row's accesses to shared memory cost: `text` in the margin, `tip` in words."""

    text: str
    tip: str


@dataclass(frozen=True)
class LinkedColumn:
    """One text: its rows, the document's line of each (0: none), and figures of some rows.

    `live` are the registers live at a row, `costs` what it costs in shared memory; `peak` is the
    row where most are live. `missing` says why there is no text.
    """

    stage: str
    rows: tuple[str, ...] = ()
    lines: tuple[int, ...] = ()
    live: Mapping[int, int] = field(default_factory=dict)
    costs: Mapping[int, Cost] = field(default_factory=dict)
    peak: int | None = None
    missing: str = ""

    @property
    def title(self) -> str:
        """What it is called."""
        return TITLES[self.stage]

    @cached_property
    def partners(self) -> Mapping[int, tuple[int, ...]]:
        """The rows of each line."""
        found: dict[int, list[int]] = {}
        for row, line in enumerate(self.lines):
            if line != NO_LINE:
                found.setdefault(line, []).append(row)
        return {line: tuple(rows) for line, rows in found.items()}

    @cached_property
    def longest(self) -> int:
        """The characters of the longest row."""
        return max(map(len, self.rows), default=0)


@dataclass(frozen=True)
class LinkedPicture:
    """The columns by stage, the hue of each line that came to something, and the conclusion.

    `peak_line` is the document's line at which most registers are live.
    """

    columns: Mapping[str, LinkedColumn]
    hues: Mapping[int, int]
    conclusion: str
    peak_line: int | None = None

    def column(self, stage: str) -> LinkedColumn:
        """The column of a stage, one that says why it lacks where there is none."""
        return self.columns.get(stage) or LinkedColumn(stage, missing="it was not made")

    def counts(self, line: int) -> Mapping[str, int]:
        """How many rows a line has in each text after the document."""
        return {
            stage: len(column.partners.get(line, ()))
            for stage, column in self.columns.items()
            if stage != PYTHON and column.rows
        }


def linked_picture(subject: LensSubject, target: LensTarget) -> LinkedPicture | None:
    """The texts that were made for a target; None where there are none."""
    linked = target.linked
    if linked is None or linked.result is None or not linked.result.texts:
        return None
    result = linked.result
    sites = _sites(target)
    made = {stage: _column(stage, result, sites) for stage in STAGES}
    hues = _hues(made.values())
    best = _best(made)
    peak = _peak_line(made["sass"])
    columns = {PYTHON: _python(linked.text, made["sass"], hues), **made}
    return LinkedPicture(columns, hues, _conclusion(target, made, best, peak), peak)


def _best(columns: Mapping[str, LinkedColumn]) -> str:
    """The text nearest to the machine that tells its lines; of none the last that there is."""
    there = [stage for stage in STAGES if columns[stage].rows]
    return next((stage for stage in reversed(there) if columns[stage].partners), there[-1])


def _column(
    stage: str, result: LinkedResult, sites: Mapping[tuple[int, SharedKind], SharedSite]
) -> LinkedColumn:
    text = result.text(stage)
    if text is None:
        return LinkedColumn(stage, missing=result.missing.get(stage, "it was not made"))
    rows = tuple(map(_set_close if stage == "sass" else str, text.text.splitlines()))
    live = {row: count for row, count in enumerate(text.live) if count != UNKNOWN_LIVE}
    costs = dict(_costs(rows, text.lines, sites)) if stage in _ROWS else {}
    peak = max(live, key=lambda row: live[row], default=None)
    return LinkedColumn(stage, rows, text.lines, live, costs, peak)


def _set_close(row: str) -> str:
    """A row of SASS without the blanks before and after its address."""
    found = _INSTRUCTION.match(row)
    return f"{found[1]} {row[found.end() :]}" if found is not None else row


def _python(text: str, sass: LinkedColumn, hues: Mapping[int, int]) -> LinkedColumn:
    """The document, each of whose lines is its own partner where it came to something."""
    rows = tuple(text.splitlines())
    lines = tuple(line if line in hues else NO_LINE for line in range(1, len(rows) + 1))
    live = {
        line - 1: max(sass.live[row] for row in rows_of if row in sass.live)
        for line, rows_of in sass.partners.items()
        if line <= len(rows) and any(row in sass.live for row in rows_of)
    }
    peak = max(live, key=lambda row: live[row], default=None)
    return LinkedColumn(PYTHON, rows, lines, live, {}, peak)


def _hues(columns: Iterable[LinkedColumn]) -> dict[int, int]:
    """A hue of the set for each line, so that neighbours differ and an edit changes few."""
    lines = sorted({line for column in columns for line in column.partners})
    return {line: place % HUES for place, line in enumerate(lines)}


def _sites(target: LensTarget) -> dict[tuple[int, SharedKind], SharedSite]:
    """The worst site of each line and kind whose conflicts are known."""
    shared = target.kernel.shared if target.kernel is not None and not target.stale else None
    found: dict[tuple[int, SharedKind], SharedSite] = {}
    for site in shared.sites if shared is not None else ():
        if site.line is None or site.ways is None:
            continue
        known = found.get((site.line, site.kind))
        if known is None or (known.ways or 0) < site.ways:
            found[site.line, site.kind] = site
    return found


def _costs(
    rows: Iterable[str],
    lines: Iterable[int],
    sites: Mapping[tuple[int, SharedKind], SharedSite],
) -> Iterable[tuple[int, Cost]]:
    known = {line for line, _ in sites}
    for place, (row, line) in enumerate(zip(rows, lines, strict=True)):
        kind = _kind(row) if line in known else None
        site = sites.get((line, kind)) if kind is not None else None
        if site is not None and site.conflicts:
            yield place, _cost(site)


def _kind(row: str) -> SharedKind | None:
    opcode = _OPCODE.match(row)
    if opcode is None:
        return None
    return next((kind for pattern, kind in _KINDS if pattern.match(opcode[1])), None)


def _cost(site: SharedSite) -> Cost:
    tip = f"Bank conflicts of the {site.kind.value} instructions of line {site.line}: "
    tip += f"{number(site.conflicts or 0)} of {number(site.wavefronts or 0)} wavefronts, "
    return Cost(f"{site.ways}×", f"{tip}up to {site.ways} in place of 1.")


def _untold(columns: Mapping[str, LinkedColumn]) -> str:
    """Which texts there are whose rows tell no line."""
    names = [each.title for each in columns.values() if each.rows and not each.partners]
    return f" No row of {' and '.join(names)} tells its line." if names else ""


def _peak_line(sass: LinkedColumn) -> int | None:
    if sass.peak is None:
        return None
    by_line = {
        line: max(sass.live.get(row, 0) for row in rows) for line, rows in sass.partners.items()
    }
    return max(by_line, key=lambda line: by_line[line], default=None)


def _conclusion(
    target: LensTarget, columns: Mapping[str, LinkedColumn], best: str, peak: int | None
) -> str:
    column = columns[best]
    counted = collections.Counter({line: len(rows) for line, rows in column.partners.items()})
    what = _ROWS.get(best, f"rows of {column.title}")
    if not counted:
        return f"No row of {column.title} for {target.label} tells the line that it came from."
    line, count = min(counted.items(), key=lambda item: (-item[1], item[0]))
    total = len(column.live) or sum(1 for row in column.rows if row.strip())
    others = sum(1 for each in counted.values() if each == count) - 1
    alike = f"as many as from {others} other line{'s' * (others != 1)}"
    text = (
        f"{number(count)} of {number(total)} {what} for {target.label} "
        f"{'comes' if count == 1 else 'come'} from line {line}, "
        f"{alike if others else 'more than from any other'}"
    )
    if peak is None:
        return text + "." + _untold(columns)
    sass = columns["sass"]
    most = max(sass.live.get(row, 0) for row in sass.partners[peak])
    over = sass.live[sass.peak] if sass.peak is not None else most
    text += f"; most registers are live at line {peak}: {most}"
    return text + ("." if over <= most else f" ({over} at code of no line).")
