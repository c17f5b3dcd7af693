"""When a compiler, and not the kernel, is suspect: a pure function over what was found."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterator
from dataclasses import dataclass

from workbench.core.analysis.result import AnalyzeResult
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.jobs import Failure, VerifyResult


class SuspicionKind(enum.Enum):
    """What points at a compiler."""

    CRASH = "compiler-crash"
    INTERNAL = "internal-error"
    REFUSED = "refused-source"
    DEVICE = "device-mismatch"
    HAZARD = "lowered-hazard"


@dataclass(frozen=True)
class Suspicion:
    """One thing that points at a compiler.

    `strong` says that the kernel was seen to compute what its reference does; without, it is only
    not known to be wrong. `signature` is the error without what differs from case to case, by which
    a smaller case is seen to be the same one.
    """

    kind: SuspicionKind
    title: str
    sentence: str
    strong: bool
    signature: str
    line: int | None = None


@dataclass(frozen=True)
class Evidence:
    """What is known of one kernel on one target; None is not looked at.

    `lint` is what the source shows. `fits_dialect` is False for a kernel in another dialect than
    the target's, `orders_itself` says that it has barriers or asynchronous copies of its own.
    """

    analysis: AnalyzeResult | None = None
    simulated: VerifyResult | None = None
    device: VerifyResult | None = None
    lint: tuple[Diagnostic, ...] = ()
    fits_dialect: bool = True
    orders_itself: bool = False


#: What TVM's and TileLang's own checks say when they fail (ICHECK in tvm/ffi/error.h), and what
#: Python says of a mistake inside of them.
_INTERNAL = re.compile(
    r"InternalError|Check failed|Downcast from|ICHECK|TVMError|should be unreachable|"
    r"terminate called|Segmentation fault"
)
#: Codes of errors that nothing explains: what the doctor knows is the kernel's own fault.
_UNEXPLAINED = frozenset({"lower-error", "build-error"})
_REFUSED = "the generated source does not compile"
#: Hazards of what the compiler puts in. One of a copy that is not awaited follows from the order
#: that the kernel itself asks for, as well.
_INSERTED = frozenset(
    {
        "shared-memory-race",
        "barrier-divergence",
        "barrier-deadlock",
        "mbarrier-arrival-count",
        "mbarrier-transaction-bytes",
        "mbarrier-not-initialised",
    }
)


def suspicions(evidence: Evidence) -> tuple[Suspicion, ...]:
    """What points at a compiler, the strongest first; nothing where the kernel is at fault itself.

    A kernel is at fault where the source or the simulator shows an error, or where the simulator's
    result is not the reference's: then nothing is concluded from what a compiler made of it.
    """
    if kernel_fault(evidence) is not None or not evidence.fits_dialect:
        return ()
    found = (*_of_failure(evidence), *_of_device(evidence), *_of_hazards(evidence))
    return tuple(sorted(found, key=lambda each: not each.strong))


def kernel_fault(evidence: Evidence) -> str | None:
    """Why the kernel itself is at fault, in a sentence; None where nothing says so."""
    errors = [d for d in evidence.lint if d.severity is Severity.ERROR]
    if errors:
        return errors[0].message
    simulated = evidence.simulated
    if simulated is None:
        return None
    wrong = [d for d in simulated.diagnostics if d.severity is Severity.ERROR]
    if wrong:
        return wrong[0].message
    if not all(seed.passed for seed in simulated.seeds):
        return "the simulator's result differs from the reference"
    return None


def is_right(evidence: Evidence) -> bool:
    """Whether the simulator has computed all of what the reference does."""
    simulated = evidence.simulated
    return (
        simulated is not None
        and simulated.failure is None
        and bool(simulated.seeds)
        and all(seed.passed for seed in simulated.seeds)
        and simulated.sample is None
    )


def _of_failure(evidence: Evidence) -> Iterator[Suspicion]:
    analysis = evidence.analysis
    failure = analysis.failure if analysis is not None else None
    if analysis is None or failure is None:
        return
    row = _failure_kind(failure, analysis.diagnostics)
    if row is not None:
        kind, title = row
        said = signature_of(failure)
        sentence = f"{title}: {said}{_although(evidence)}."
        yield Suspicion(kind, title, sentence, is_right(evidence), said, failure.line)


def _failure_kind(
    failure: Failure, found: tuple[Diagnostic, ...]
) -> tuple[SuspicionKind, str] | None:
    if failure.kind == "crash":
        return SuspicionKind.CRASH, "The compiler crashes"
    if failure.kind != "kernel":
        return None
    if _REFUSED in failure.message:
        return SuspicionKind.REFUSED, "nvcc refuses the source that TileLang generates"
    unexplained = {d.code for d in found if d.severity is Severity.ERROR} <= _UNEXPLAINED
    if unexplained and _INTERNAL.search(f"{failure.message}\n{failure.raw or ''}"):
        return SuspicionKind.INTERNAL, "A check inside the compiler fails"
    return None


def _of_device(evidence: Evidence) -> Iterator[Suspicion]:
    device = evidence.device
    if device is None or device.failure is not None or not is_right(evidence):
        return
    wrong = [o for seed in device.seeds if not seed.passed for o in seed.outputs if o.mismatched]
    if wrong:
        first = wrong[0]
        title = "The device computes something else than the simulator and the reference"
        said = f"{first.mismatched:,} of {first.total:,} elements of {first.name} differ"
        yield Suspicion(SuspicionKind.DEVICE, title, f"{title}: {said}.", True, first.name)


def _of_hazards(evidence: Evidence) -> Iterator[Suspicion]:
    found = evidence.analysis.diagnostics if evidence.analysis is not None else ()
    told = {d.code for d in (*evidence.lint, *_simulated(evidence))}
    for each in found:
        if each.code in _INSERTED and each.stage == "analysis" and each.code not in told:
            title = "The lowered code has a hazard that the tile program does not have"
            line = each.range.line if each.range is not None else None
            strong = is_right(evidence) and not evidence.orders_itself
            sentence = f"{title}: {each.message}"
            yield Suspicion(SuspicionKind.HAZARD, title, sentence, strong, each.code, line)
            return


def _simulated(evidence: Evidence) -> tuple[Diagnostic, ...]:
    return evidence.simulated.diagnostics if evidence.simulated is not None else ()


def signature_of(failure: Failure) -> str:
    """An error without numbers, addresses and paths, which differ from case to case."""
    text = failure.message.split("\n", 1)[0].strip().rstrip(".")
    text = re.sub(r"(/[\w.\-+]+){2,}", "<path>", text)
    return re.sub(r"0x[0-9a-fA-F]+|(?<![\w.])\d+(?![\w.])", "N", text)


def _although(evidence: Evidence) -> str:
    if is_right(evidence):
        return ", although the kernel computes what its reference does in the simulator"
    return ""
