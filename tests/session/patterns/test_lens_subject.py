"""A draft as the lenses look at it: exact, quick and refused figures."""

from __future__ import annotations

from dataclasses import replace

from generated_kernels import generated

from workbench.core.analysis.kernel_analysis import KernelAnalysis
from workbench.session.lenses.subject import LensTarget
from workbench.session.patterns.cells import Figures
from workbench.session.patterns.lens_subject import lens_subject
from workbench.session.patterns.measuring import subject_of

KERNEL = KernelAnalysis("main", (16, 32, 1), (128, 1, 1))
MADE = generated("gemm", "h100,a100")
SUBJECT = subject_of(MADE)
TARGET = MADE.setting.targets[0]


def shown(found: Figures, part: str = "block", is_busy: bool = False) -> LensTarget:
    assert SUBJECT is not None
    return lens_subject(SUBJECT, [found], part, is_busy).targets[0]


def test_it_is_the_case_of_the_sizes_that_were_asked_for() -> None:
    assert SUBJECT is not None
    found = lens_subject(SUBJECT, [Figures(t, KERNEL) for t in MADE.setting.targets], "", False)

    assert (found.kernel, found.case) == (MADE.kernel, MADE.real_case)
    assert found.arguments["M"] == MADE.values["M"]
    assert [each.mark for each in found.targets] == [0, 1]


def test_exact_figures_have_the_level_of_lowering() -> None:
    found = shown(Figures(TARGET, KERNEL, missing={"registers": "not counted"}))

    assert (found.kernel, found.level, found.quick) == (KERNEL, 1, "")
    assert found.why_missing("registers") == "not counted"


def test_quick_figures_say_that_lowering_follows() -> None:
    found = shown(Figures(TARGET, KERNEL, is_quick=True))

    assert found.quick == "Read off the source; lowering follows."
    assert found.why_missing("shared") == "not lowered yet"


def test_tiles_that_the_source_does_not_tell_are_the_earlier_ones_greyed() -> None:
    earlier = replace(KERNEL, name="earlier")
    found = shown(Figures(TARGET, KERNEL, is_quick=True, last=earlier), "tiles")

    assert (found.kernel, found.stale) == (earlier, True)


def test_without_figures_it_is_computed_or_says_why_not() -> None:
    bare = Figures(TARGET, why="it does not lower")

    assert shown(bare, is_busy=True).running
    assert shown(bare).why_missing("tiles") == "it does not lower"
