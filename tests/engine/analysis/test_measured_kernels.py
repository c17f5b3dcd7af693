from __future__ import annotations

from typing import Any

import pytest

from workbench.core.analysis.shared_sites import Level, SharedKind, SharedTotal

from .conftest import ORACLE, Analyze

KINDS = {
    "ld": SharedKind.LOAD,
    "st": SharedKind.STORE,
    "ldsm": SharedKind.LDMATRIX,
    "stsm": SharedKind.STMATRIX,
    "ldgsts": SharedKind.ASYNC_COPY,
    "atom": SharedKind.INTEGER_ATOMIC,
}
UNKNOWN = {"c14_reduce_smem": {"ld", "atom"}, "h09_hist_data": {"atom"}}
KERNELS = sorted(path.stem for path in (ORACLE / "kernels").glob("[ch]*.py"))


@pytest.mark.slow
@pytest.mark.parametrize("name", KERNELS)
def test_the_wavefronts_of_a_kernel_are_those_that_the_hardware_counted(
    name: str, counters: dict[str, Any], analyze: Analyze
) -> None:
    report = analyze(ORACLE / "kernels" / f"{name}.py", code=True).report
    assert (report.level, report.confirmed) == (Level.CODE, True), report.notes
    totals = {total.kind: total for total in report.totals}
    measured, unknown = counters[name], UNKNOWN.get(name, set())
    for counter, kind in KINDS.items():
        if counter not in unknown:
            _check(totals.get(kind), measured["sass_wavefronts"][counter])
    for counter, conflicts in measured["sass_conflicts"].items():
        total = totals.get(KINDS[counter])
        assert (total.conflicts if total else 0) == conflicts
    if "atom" not in unknown:
        tensor = totals.get(SharedKind.TENSOR)
        rest = sum(measured["sass_wavefronts"].values())
        _check(tensor, measured["memory_l1_wavefronts_shared"] - rest)


def test_what_depends_on_data_is_unknown_and_says_so(
    counters: dict[str, Any], analyze: Analyze
) -> None:
    totals = {t.kind: t for t in analyze(ORACLE / "kernels/h09_hist_data.py").report.totals}
    atomic = totals[SharedKind.INTEGER_ATOMIC]
    assert (atomic.wavefronts, atomic.unknown) == (None, ("it depends on the data in X",))


def test_floating_point_atomics_leave_the_number_of_loads_unknown(
    counters: dict[str, Any], analyze: Analyze
) -> None:
    totals = {t.kind: t for t in analyze(ORACLE / "kernels/c14_reduce_smem.py").report.totals}
    assert totals[SharedKind.FLOAT_ATOMIC].wavefronts is None
    assert (totals[SharedKind.LOAD].wavefronts, totals[SharedKind.LOAD].known_wavefronts) == (
        None,
        64,
    )
    assert totals[SharedKind.STORE].wavefronts == 64


def _check(total: SharedTotal | None, wavefronts: float) -> None:
    if total is None:
        assert wavefronts == 0
        return
    assert total.wavefronts == wavefronts
    assert total.ideal is not None
    assert total.conflicts == total.wavefronts - total.ideal
