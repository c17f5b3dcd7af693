"""Finds out whether a compiler is suspect of a kernel, and gathers what a report of it needs.

An inquiry is a generator: it yields requests, is sent how each job ended, and returns what it has
come to. So the command line and the window drive the same one, each in its own way.
"""

from __future__ import annotations

import ast
import getpass
import sys
from collections.abc import Generator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.bug_bundle.contents import BundleFacts, bundle_files, zipped
from workbench.core.bug_bundle.shrinking import shrinking
from workbench.core.bug_bundle.suspicion import (
    Evidence,
    Suspicion,
    SuspicionKind,
    is_right,
    kernel_fault,
    suspicions,
)
from workbench.core.doctor.lint import Subject, lint
from workbench.core.jobs import CompileResult, Failure, PassesRequest, PassesResult, VerifyResult
from workbench.core.plain import from_plain
from workbench.core.portability.asks import asks_of
from workbench.session.requests import (
    Item,
    analyze_request,
    choice_of,
    compile_request,
    source_of,
    verify_request,
)
from workbench.session.worker_client import Request
from workbench.wire.events import Ended

SIMULATOR = "simulator"
_EMITTED = ("tir", "lowered", "host", "source")
_OWN_ORDER = ("sync", "mbarrier", "barrier", "async_copy", "tma_", "ptx_", "cp_async", "wait")
_FULL, _LOWERED = 2, 1
_NEEDS_CODE = frozenset({SuspicionKind.REFUSED})


@dataclass(frozen=True)
class Verdict:
    """What an inquiry has come to.

    `fault` is why the kernel itself is wrong. `bundle` is the zip, None where nothing is suspect;
    `smallest` are the arguments in it, `names` the files. `trouble` is what kept it from being
    told.
    """

    suspicions: tuple[Suspicion, ...] = ()
    fault: str | None = None
    trouble: Failure | None = None
    bundle: bytes | None = None
    smallest: Mapping[str, Any] | None = None
    names: tuple[str, ...] = ()

    @property
    def sentence(self) -> str:
        """What it has come to, in a sentence."""
        if self.suspicions:
            sure = "is suspect" if self.suspicions[0].strong else "may be at fault"
            return f"The compiler {sure}: {self.suspicions[0].sentence}"
        if self.trouble is not None:
            return f"It could not be told: {self.trouble.message}"
        if self.fault is not None:
            return f"The kernel itself is at fault: {self.fault.rstrip('.')}."
        return "Nothing points at the compiler: the kernel lowers and its code has no hazard."


Inquiry = Generator[Request, Ended, Verdict]


@dataclass(frozen=True)
class _Inquirer:
    """One kernel on one target, and where it may be run beside the simulator."""

    item: Item
    workspace: Path
    on: str | None

    def run(self) -> Inquiry:
        evidence = yield from self._evidence()
        trouble = _trouble(evidence)
        found = suspicions(evidence)
        if not found:
            return Verdict((), kernel_fault(evidence), trouble)
        smallest = yield from self._smallest(found[0], evidence)
        item = _with_args(self.item, smallest)
        bundle = yield from self._bundle(item, found[0], evidence)
        files = bundle_files(bundle)
        return Verdict(found, None, None, zipped(files), smallest, tuple(files))

    def _evidence(self) -> Generator[Request, Ended, Evidence]:
        item = self.item
        asks = asks_of(item.document.text, item.selection.kernel, item.selection.args)
        subject = Subject(item.selection.kernel, item.selection.args, (item.target,))
        evidence = Evidence(
            lint=lint(item.document, [subject]),
            fits_dialect=asks.dialect in (None, item.target.dialect),
            orders_itself=any(p.name.startswith(_OWN_ORDER) for p in asks.operations),
        )
        if kernel_fault(evidence) is not None or not evidence.fits_dialect:
            return evidence
        simulated = _verified((yield self._verify(SIMULATOR)))
        analysis = _analyzed((yield self._analyze(item, _FULL)))
        evidence = replace(evidence, simulated=simulated, analysis=analysis)
        if self.on is not None and is_right(evidence):
            device = _verified((yield self._verify(self.on)))
            evidence = replace(evidence, device=device)
        return evidence

    def _smallest(
        self, suspicion: Suspicion, evidence: Evidence
    ) -> Generator[Request, Ended, dict[str, Any]]:
        """The smallest arguments that still show the same thing."""
        args = dict(self.item.selection.args)
        if suspicion.kind is SuspicionKind.DEVICE:
            return args
        level = _FULL if suspicion.kind in _NEEDS_CODE else _LOWERED
        search = shrinking(args)
        try:
            candidate = next(search)
            while True:
                ended = yield self._analyze(_with_args(self.item, candidate), level)
                tried = replace(evidence, analysis=_analyzed(ended))
                same = any(
                    (s.kind, s.signature) == (suspicion.kind, suspicion.signature)
                    for s in suspicions(tried)
                )
                candidate = search.send(same)
        except StopIteration as end:
            found: dict[str, Any] = end.value
            return found

    def _bundle(
        self, item: Item, suspicion: Suspicion, evidence: Evidence
    ) -> Generator[Request, Ended, BundleFacts]:
        source = source_of(item.document, self.workspace, True)
        passes = yield PassesRequest(source, choice_of(item.selection), item.target.to_json())
        compiled = _compiled((yield compile_request(item, source, (*_EMITTED, "ptx"))))
        if compiled.failure is not None and not compiled.emitted:
            compiled = _compiled((yield compile_request(item, source, _EMITTED)))
        recorded = _recorded(passes)
        case, kernel = item.selection.case, item.selection.kernel
        analysis = evidence.analysis or AnalyzeResult(None)
        failure = analysis.failure or recorded.failure
        return BundleFacts(
            suspicion=suspicion,
            text=item.document.text,
            kernel=kernel.name,
            args=self.item.selection.args,
            smallest=item.selection.args,
            target=item.target,
            versions=analysis.versions or recorded.versions,
            device=self.on,
            simulated=_simulated(evidence.simulated),
            emitted=compiled.emitted,
            passes=recorded.passes,
            blobs=passes.blobs,
            raw=(failure.raw or failure.message) if failure is not None else None,
            diagnostics=analysis.diagnostics,
            modules=_modules(item),
            reference=item.selection.reference,
            tolerances=(case.rtol or 1e-2, case.atol or 1e-2),
            places=_places(item, self.workspace),
        )

    def _verify(self, on: str) -> Request:
        item = self.item
        source = source_of(item.document, self.workspace, True)
        return verify_request(item, source, on, (item.selection.case.seed,))

    def _analyze(self, item: Item, level: int) -> Request:
        return analyze_request(item, source_of(item.document, self.workspace, True), level)


def inquiry(item: Item, workspace: Path, on: str | None = None) -> Inquiry:
    """The inquiry about an item; `on` names a device where it is run too ("local", "cpu")."""
    return _Inquirer(item, workspace, on).run()


def _with_args(item: Item, args: Mapping[str, Any]) -> Item:
    return replace(item, selection=replace(item.selection, args=dict(args)))


def _trouble(evidence: Evidence) -> Failure | None:
    """A failure that is nobody's fault but the machine's."""
    results = (evidence.analysis, evidence.simulated, evidence.device)
    failures = (result.failure for result in results if result is not None)
    kinds = ("environment", "internal", "timeout", "memory")
    return next((f for f in failures if f is not None and f.kind in kinds), None)


def _failure(ended: Ended) -> Failure:
    return ended.failure or Failure("environment", f"the job was {ended.outcome}")


def _verified(ended: Ended) -> VerifyResult:
    done = ended.outcome == "done"
    return from_plain(VerifyResult, ended.result) if done else VerifyResult(_failure(ended))


def _analyzed(ended: Ended) -> AnalyzeResult:
    done = ended.outcome == "done"
    return from_plain(AnalyzeResult, ended.result) if done else AnalyzeResult(_failure(ended))


def _compiled(ended: Ended) -> CompileResult:
    done = ended.outcome == "done"
    return from_plain(CompileResult, ended.result) if done else CompileResult(_failure(ended))


def _recorded(ended: Ended) -> PassesResult:
    done = ended.outcome == "done"
    return from_plain(PassesResult, ended.result) if done else PassesResult(_failure(ended))


def _simulated(result: VerifyResult | None) -> str:
    if result is None:
        return "not run"
    if result.failure is not None:
        return f"not told ({result.failure.message})"
    return "agree" if all(seed.passed for seed in result.seeds) else "differ"


def _modules(item: Item) -> dict[str, str]:
    """The files beside the document that it imports by name, which the script needs too."""
    path = item.document.path
    if path is None:
        return {}
    found = {}
    for name in sorted(_imported(item.document.text)):
        file = path.parent / f"{name}.py"
        if file.is_file() and file != path:
            found[file.name] = file.read_text(encoding="utf-8", errors="replace")
    return found


def _imported(text: str) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name.split(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names.add(node.module.split(".")[0])
    return names


def _places(item: Item, workspace: Path) -> dict[str, str]:
    """What stands for the person's own folders and name."""
    path = item.document.path
    places = {
        str(workspace): "<workspace>",
        str(Path.home()): "~",
        sys.prefix: "<python>",
        str(Path(__file__).resolve().parents[2]): "<workbench>",
    }
    if path is not None:
        places |= {str(path.absolute()): "kernel.py", str(path.absolute().parent): "<folder>"}
    try:
        user = getpass.getuser()
    except (KeyError, OSError):  # no name for this user id
        return places
    usual = {"root", "user", "kernel", "python"}
    return places | ({user: "<user>"} if len(user) > 3 and user not in usual else {})
