"""The fields of every step of every pattern can be shown."""

from __future__ import annotations

import pytest

from workbench.core.patterns.model import Pattern, Step
from workbench.core.patterns.table import PATTERNS
from workbench.core.targets.table import load_targets
from workbench.session.patterns.draft import Draft
from workbench.session.patterns.fields_view import Mark, field_views
from workbench.session.patterns.resolved import resolve

TABLE = load_targets()


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.id)
def test_all_fields_of_a_pattern_have_a_view(pattern: Pattern) -> None:
    resolved = resolve(Draft(pattern.id, ("h200", "mi300x"), given={}), TABLE)
    shown = [view.name for step in Step for view in field_views(resolved, step.value)]
    assert shown
    assert set(shown) <= {field.name for field in pattern.fields}


def test_what_is_optional_and_unset_is_none_of_the_choices() -> None:
    resolved = resolve(Draft("norm", ("h200",), given={"reread_N": None}), TABLE)
    (reread,) = [v for v in field_views(resolved, Step.TILES.value) if v.name == "reread_N"]
    assert reread.choices
    assert not any(choice.is_current for choice in reread.choices)


def _marks(pattern: str, name: str, **given: object) -> dict[object, Mark]:
    resolved = resolve(Draft(pattern, ("h200",), given=given), TABLE)
    views = (view for step in Step for view in field_views(resolved, step.value))
    return {c.value: c.mark for view in views if view.name == name for c in view.choices}


def test_a_requirement_after_which_all_is_recommended_anew_is_legal() -> None:
    rows = {"M": 16384, "N": 8192}
    assert _marks("norm", "residual", **rows)[True] is Mark.LEGAL
    assert _marks("gemm", "dtype")["int8"] is Mark.LEGAL
    assert _marks("gemm", "out_dtype")["int32"] is Mark.ILLEGAL


def test_what_has_no_effect_beside_a_choice_does_not_forbid_it() -> None:
    rows = {"M": 16384, "N": 8192, "bulk_row": True}
    assert _marks("norm", "one_barrier", **rows) == {False: Mark.LEGAL, True: Mark.LEGAL}
