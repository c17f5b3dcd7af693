"""The fields of every step of every pattern can be shown."""

from __future__ import annotations

import pytest

from workbench.core.patterns.model import Pattern, Step
from workbench.core.patterns.table import PATTERNS
from workbench.core.targets.table import load_targets
from workbench.session.patterns.draft import Draft
from workbench.session.patterns.fields_view import field_views
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
