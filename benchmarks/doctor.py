"""Prints what the kernel doctor finds in kernels with known mistakes, and what it alarms falsely.

    python benchmarks/doctor.py [FOLDER] [--stage simulate] [--only 72 ...] [--all]

FOLDER holds the faults and `expect.toml` (default: ../shared/faults); the shipped kernels and, if
they lie beside it, measured kernels with their counters (../oracle) are checked too. Each file goes
through `check` with one warm worker. The end is the time of lint over a dense file of 500 lines,
whose goal is 50 ms. Status 1: something was missed, or alarmed falsely.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import tomllib

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from workbench.cli.check_command import Found, check  # noqa: E402 - the path comes first
from workbench.cli.main import build_parser  # noqa: E402
from workbench.core.diagnostics import Diagnostic, Severity  # noqa: E402
from workbench.core.doctor.lint import lint, subjects_of  # noqa: E402
from workbench.core.doctor.merging import line_of  # noqa: E402
from workbench.core.documents.reading import parse_document, read_document  # noqa: E402
from workbench.core.targets.table import load_targets  # noqa: E402
from workbench.session.batch import BatchWorker  # noqa: E402

FAULTS = ROOT.parent / "shared" / "faults"
STAGES = ("lint", "lower", "resources", "analysis", "simulate")
NEAR = 1  # lines: a stage may name the first or the last of a statement
NOISE = 0.02  # of the wavefronts: below this a counter of conflicts shows none
LINT_LINES, LINT_RUNS, GOAL_MS = 500, 9, 50.0


@dataclass(frozen=True)
class Expected:
    """A finding that there has to be; `only_on` are the targets that it concerns, if not all."""

    code: str
    line: int
    only_on: tuple[str, ...] = ()


@dataclass(frozen=True)
class Subject:
    """A file with what has to be found in it and what may not; `banned` "*" is everything else.

    Stages after `last_stage` have nothing to do with it.
    """

    path: Path
    group: str
    expected: tuple[Expected, ...] = ()
    banned: tuple[str, ...] = ()
    case: str | None = None
    last_stage: str = STAGES[-1]


@dataclass(frozen=True)
class Judged:
    """What was found in a file, what was missed, and what should not have been said."""

    subject: Subject
    found: tuple[Diagnostic, ...]
    missed: tuple[Expected, ...]
    alarms: tuple[Diagnostic, ...]
    seconds: float
    trouble: str | None = None

    @property
    def good(self) -> bool:
        """Whether all is as expected."""
        return not self.missed and not self.alarms and self.trouble is None


@dataclass
class Corpus:
    """The files to check, and the hints that are true of a healthy kernel as well."""

    subjects: list[Subject] = field(default_factory=list)
    incidental: tuple[str, ...] = ()


def read_corpus(folder: Path, stage: str) -> Corpus:
    """Faults, controls, measured kernels and shipped ones, as far as they are there.

    Of what later stages than `stage` find nothing is expected.
    """
    corpus = Corpus()
    if (folder / "expect.toml").is_file():
        table = tomllib.loads((folder / "expect.toml").read_text())
        corpus.incidental = tuple(table["incidental"])
        corpus.subjects += [_fault(folder, each, stage) for each in table["fault"]]
        corpus.subjects += [_control(folder, each) for each in table["control"]]
    corpus.subjects += _measured(folder.parent / "oracle", stage)
    shipped = sorted((ROOT / "kernels").glob("*.py"))
    corpus.subjects += [Subject(path, "shipped", (), ("*",), "all") for path in shipped]
    return corpus


def _fault(folder: Path, entry: dict[str, Any], stage: str) -> Subject:
    only_on = tuple(entry.get("only_on", ()))
    reached = STAGES.index(stage)
    entries = [entry, *entry.get("also", ())]
    found = [each for each in entries if STAGES.index(each["stage"]) <= reached]
    expected = [
        Expected(each["code"], each["line"], only_on if each is entry else ()) for each in found
    ]
    return Subject(folder / entry["file"], "fault", tuple(expected))


def _control(folder: Path, entry: dict[str, Any]) -> Subject:
    group = "twin" if "fixes" in entry else "healthy"
    return Subject(folder / entry["file"], group, (), tuple(entry["must_not"]))


def _measured(folder: Path, stage: str) -> Iterator[Subject]:
    """Kernels with counters: a bank conflict has to be told exactly where they show some."""
    file = folder / "h200-kernel-counters.json"
    if not file.is_file():
        return
    for name, counters in json.loads(file.read_text())["kernels"].items():
        conflicts = sum(counters["conflicts"].values())
        wavefronts = sum(counters["wavefronts"].values())
        has = stage != "lint" and conflicts > NOISE * wavefronts
        expected = (Expected("bank-conflict", 0),) if has else ()
        banned = () if has else ("bank-conflict",)
        path = folder / "kernels" / f"{name}.py"
        yield Subject(path, "measured", expected, banned, last_stage="analysis")


def judged(subject: Subject, found: Found, incidental: Sequence[str], seconds: float) -> Judged:
    """What a check found against what it had to find. A line of 0 stands for any line."""
    missed = tuple(e for e in subject.expected if not any(_is(d, e) for d in found.told))
    alarms = tuple(d for d in found.told if _is_banned(d, subject, incidental))
    trouble = found.failure.message if found.failure is not None else None
    return Judged(subject, found.told, missed, alarms, seconds, trouble)


def _is(diagnostic: Diagnostic, expected: Expected) -> bool:
    line = line_of(diagnostic)
    near = not expected.line or (line is not None and abs(line - expected.line) <= NEAR)
    targets = set(expected.only_on)
    return diagnostic.code == expected.code and near and (set(diagnostic.targets) == targets)


def _is_banned(diagnostic: Diagnostic, subject: Subject, incidental: Sequence[str]) -> bool:
    if "*" in subject.banned:
        return diagnostic.severity is not Severity.INFO or diagnostic.code not in incidental
    return diagnostic.code in subject.banned


def checked(corpus: Corpus, stage: str) -> Iterator[Judged]:
    """Every file in turn, with one worker for all."""
    table, parser = load_targets(), build_parser()
    with tempfile.TemporaryDirectory(prefix="doctor-") as workspace, BatchWorker() as worker:
        for subject in corpus.subjects:
            until = min(stage, subject.last_stage, key=STAGES.index)
            words = ["check", str(subject.path), "--until", until, "--workspace", workspace]
            case = ["--case", subject.case] if subject.case is not None else []
            options = parser.parse_args([*words, *case, "--json"])
            begun = time.perf_counter()
            found = check(read_document(subject.path), options, table, worker)
            yield judged(subject, found, corpus.incidental, time.perf_counter() - begun)


def lint_milliseconds() -> float:
    """The median processor time of lint over the shipped kernels, repeated to 500 lines of code."""
    document = parse_document(_dense(LINT_LINES))
    table = load_targets()
    targets = {name: table.resolve(name) for name in table.names()}
    subjects = subjects_of(document, targets, [targets["h100"], targets["a100"]])
    times = []
    for _ in range(LINT_RUNS):
        begun = time.process_time()
        lint(document, subjects)
        times.append(time.process_time() - begun)
    return statistics.median(times) * 1000


def _dense(lines: int) -> str:
    """Kernels one after the other, without comments, blank lines and references."""
    text = (ROOT / "kernels" / "gemm.py").read_text()
    kernel = [line for line in text.splitlines() if line.strip() and not line.startswith("#")]
    head = [line for line in kernel if line.startswith(("import", "from"))]
    body = [line for line in kernel if line not in head]
    dense = list(head)
    while len(dense) < lines:
        number = len(dense)
        dense += [line.replace("def ", f"def k{number}_", 1) for line in body]
    return "\n".join(dense[:lines])


def main() -> int:
    """Check everything, print the table, and say whether all is as it should be."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", nargs="?", type=Path, default=FAULTS)
    parser.add_argument("--stage", choices=STAGES, default=STAGES[-1])
    parser.add_argument("--only", nargs="*", default=[], help="parts of the files' names")
    parser.add_argument("--all", action="store_true", help="print what is right and clean too")
    options = parser.parse_args()
    corpus = read_corpus(options.folder, options.stage)
    if options.only:
        corpus.subjects = [s for s in corpus.subjects if _matches(s.path.name, options.only)]
    results = []
    for each in checked(corpus, options.stage):
        results.append(each)
        _print(each, options.all)
    _print_totals(results)
    milliseconds = lint_milliseconds()
    print(f"lint of {LINT_LINES} dense lines: {milliseconds:.0f} ms (goal {GOAL_MS:.0f} ms)")
    return int(not all(each.good for each in results) or milliseconds > GOAL_MS)


def _matches(name: str, parts: Iterable[str]) -> bool:
    return any(part in name for part in parts)


def _print(each: Judged, every: bool) -> None:
    clean = each.good and not each.subject.expected
    if clean and not every:
        return
    name = f"{each.subject.group:9}{each.subject.path.name:42}"
    print(f"{'ok  ' if each.good else 'FAIL'} {name}{each.seconds:6.1f} s", flush=True)
    for expected in each.subject.expected:
        where = "any line" if not expected.line else f"line {expected.line}"
        hits = [d for d in each.found if _is(d, expected)]
        told = f"line {line_of(hits[0])}, {hits[0].stage}" if hits else "MISSED"
        print(f"       {expected.code:34}{where:10} {told}")
    wanted = {expected.code for expected in each.subject.expected}
    for diagnostic in each.found:
        kind = "FALSE" if diagnostic in each.alarms else "also"
        if diagnostic.code in wanted and kind == "also":
            continue
        targets = ",".join(diagnostic.targets)
        head = f"{kind}: {diagnostic.code} {diagnostic.severity.value} line {line_of(diagnostic)}"
        print(f"       {head} {targets} {diagnostic.message[:110]}")
    if each.trouble is not None:
        print(f"       TROUBLE: {each.trouble}")


def _print_totals(results: Sequence[Judged]) -> None:
    for group in dict.fromkeys(each.subject.group for each in results):
        own = [each for each in results if each.subject.group == group]
        wanted = sum(len(each.subject.expected) for each in own)
        missed = sum(len(each.missed) for each in own)
        alarms = sum(len(each.alarms) for each in own)
        seconds = sum(each.seconds for each in own)
        print(
            f"{group:9}{len(own):4} files{wanted - missed:5} of {wanted:3} found"
            f"{alarms:4} false alarms{seconds:8.0f} s"
        )


if __name__ == "__main__":
    sys.exit(main())
