"""Whether a kernel shows a symptom, as far as its results tell, and with which figures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from workbench.core.analysis.block_limits import Resource
from workbench.core.diagnostics import Diagnostic, Severity
from workbench.core.doctor.symptoms_model import Results
from workbench.core.figures import duration, number, size
from workbench.core.mismatches import amount

if TYPE_CHECKING:  # numpy comes with these, and the window starts without it
    from workbench.core.analysis.kernel_analysis import KernelAnalysis
    from workbench.core.jobs import OutputComparison

Seen = tuple[bool | None, str]
Look = Callable[[Sequence[Diagnostic], Results], Seen]

_UNTOLD = "Nothing was lowered yet."
_NOT_COMPARED = "Nothing was compared with a reference yet."
_SHAPE_CODES = frozenset(
    {"gemm-shape-mismatch", "wrong-transpose", "rank-mismatch", "copy-shape-mismatch",
     "out-idx-misuse", "warp-partition-illegal", "tensor-core-shape-illegal", "unaligned-block-k",
     "layout-not-found", "layout-conflict", "symbolic-tile", "index-beyond-fragment",
     "tile-outside"}
)  # fmt: skip
_OVER = frozenset({"shared-memory-over-limit", "shared-memory-limit"})
_RESOURCES = {Resource.SHARED: "shared memory"}
_ZERO = frozenset({"zero", "never-written"})


def seen(identifier: str, found: Sequence[Diagnostic], results: Results) -> Seen:
    """Whether the symptom of an id is there (None: unknown), and the figures that say so."""
    return _LOOKS[identifier](found, results)


def _has(found: Sequence[Diagnostic], codes: frozenset[str]) -> list[Diagnostic]:
    return [d for d in found if d.code in codes]


def _kernels(results: Results) -> Iterator[tuple[str, KernelAnalysis]]:
    for name, result in results.analyses.items():
        for kernel in result.kernels:
            yield name, kernel


def _listed(parts: list[str]) -> str:
    return f"{'; '.join(dict.fromkeys(parts))}."


def _shared_bytes(found: Sequence[Diagnostic], results: Results) -> Seen:
    used = [
        f"{size(kernel.shared_dynamic_bytes)} a block on {name}"
        for name, kernel in _kernels(results)
        if kernel.shared_dynamic_bytes is not None
    ]
    over = bool(_has(found, _OVER))
    text = _listed(used) if used else _UNTOLD
    return (True if over else False if used else None), text


def _shapes(found: Sequence[Diagnostic], results: Results) -> Seen:
    errors = [d for d in _has(found, _SHAPE_CODES) if d.severity is Severity.ERROR]
    if errors:
        return True, errors[0].message
    lowered = dict(_kernels(results))
    if not lowered or len(lowered) < len(results.analyses):
        return None, _UNTOLD
    return False, f"It lowers for {', '.join(lowered)}."


def _outputs(results: Results) -> list[OutputComparison]:
    verified = results.verification
    return [o for seed in verified.seeds for o in seed.outputs] if verified is not None else []


def _zeros(found: Sequence[Diagnostic], results: Results) -> Seen:
    outputs = _outputs(results)
    wrong = [o for o in outputs if o.mismatched]
    told = [s.sentence for o in wrong for s in o.signatures if s.code in _ZERO]
    if told:
        return True, told[0]
    return (False, _compared(outputs, wrong)) if outputs else (None, _NOT_COMPARED)


def _compared(outputs: Sequence[OutputComparison], wrong: Sequence[OutputComparison]) -> str:
    if not wrong:
        total = sum(o.total for o in outputs)
        return f"All {total:,} elements agree with the reference."
    first = wrong[0]
    looks = first.signatures[0].sentence if first.signatures else ""
    return f"{amount(first)}. {looks}".strip()


def _no_numbers(found: Sequence[Diagnostic], results: Results) -> Seen:
    outputs = _outputs(results)
    bad = [o for o in outputs if o.mismatched and o.nonfinite]
    if bad:
        first = bad[0]
        return True, f"{first.name} has {first.nonfinite:,} of {first.total:,} elements NaN or Inf."
    sources = _has(found, frozenset({"nan-source", "epsilon-missing"}))
    if sources:
        return True, sources[0].message
    if not outputs:
        return None, _NOT_COMPARED
    return False, _compared(outputs, [o for o in outputs if o.mismatched])


def _throughput(found: Sequence[Diagnostic], results: Results) -> Seen:
    told = [
        f"{duration(kernel.estimate.time_us * 1e-6)} predicted on {name}, bound by "
        f"{kernel.estimate.bound}"
        for name, kernel in _kernels(results)
        if kernel.estimate is not None
    ]
    # Whether that is slow is for the person to say: there is no goal to hold it against.
    return None, _listed(told) if told else "No time was predicted or measured."


def _occupancy(found: Sequence[Diagnostic], results: Results) -> Seen:
    told = [
        f"{kernel.occupancy.fraction:.0%} of the warps that {name} can hold, limited by "
        f"{' and '.join(_RESOURCES.get(r, r.value) for r in kernel.occupancy.limiting)}; blocks "
        f"on a multiprocessor: {number(kernel.occupancy.most_blocks)}"
        for name, kernel in _kernels(results)
        if kernel.occupancy is not None and kernel.occupancy.fraction is not None
    ]
    low = bool(_has(found, frozenset({"low-occupancy"})))
    present = True if low else False if told else None
    return present, _listed(told) if told else "The occupancy is not known."


def _banks(found: Sequence[Diagnostic], results: Results) -> Seen:
    told, known, conflicts = [], True, 0.0
    for name, kernel in _kernels(results):
        totals = kernel.shared.totals if kernel.shared is not None else ()
        known = known and kernel.shared is not None
        known = known and all(t.conflicts is not None or not t.unknown for t in totals)
        own = sum(t.conflicts or 0 for t in totals)
        conflicts += own
        told.append(f"{number(own)} wavefronts are conflicts on {name}")
    if conflicts or _has(found, frozenset({"bank-conflict"})):
        return True, _listed(told) if told else _UNTOLD
    present = False if told and known else None
    return present, _listed(told) if told else _UNTOLD


def _wrong(found: Sequence[Diagnostic], results: Results) -> Seen:
    outputs = _outputs(results)
    if not outputs:
        return None, _NOT_COMPARED
    wrong = [o for o in outputs if o.mismatched]
    return bool(wrong), _compared(outputs, wrong)


_LOOKS: dict[str, Look] = {
    "shared-memory-exceeded": _shared_bytes,
    "shape-mismatch": _shapes,
    "all-zeros": _zeros,
    "nan-or-inf": _no_numbers,
    "low-throughput": _throughput,
    "low-occupancy": _occupancy,
    "bank-conflicts": _banks,
    "wrong-results": _wrong,
}
