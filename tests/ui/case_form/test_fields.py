from __future__ import annotations

from typing import Any

import pytest

from workbench.core.documents.model import Case, Kernel
from workbench.ui.case_form.fields import (
    MISSING,
    FieldKind,
    FieldSpec,
    changed_names,
    differs,
    parse,
    specs_of,
)
from workbench.ui.case_form.ranges import Group, known_of


@pytest.fixture
def specs(kernel: Kernel, case: Case) -> dict[str, FieldSpec]:
    return {spec.name: spec for spec in specs_of(kernel, case)}


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("M", FieldKind.WHOLE),
        ("batch", FieldKind.WHOLE),
        ("threads", FieldKind.WHOLE),
        ("dtype", FieldKind.CHOICE),
        ("causal", FieldKind.SWITCH),
        ("scale", FieldKind.NUMBER),
        ("shape", FieldKind.TEXT),
        ("policy", FieldKind.TEXT),
    ],
)
def test_a_parameter_is_edited_as(specs: dict[str, FieldSpec], name: str, kind: FieldKind) -> None:
    assert specs[name].kind is kind


def test_what_is_saved_is_the_case_s_value_then_the_default(specs: dict[str, FieldSpec]) -> None:
    saved = [specs[name].saved for name in ("block_M", "threads", "batch", "policy")]
    assert saved == [64, 128, MISSING, "row"]


def test_the_groups_stand_in_their_order(kernel: Kernel, case: Case) -> None:
    groups = [spec.group for spec in specs_of(kernel, case)]
    assert groups == sorted(groups, key=list(Group).index)


def test_a_case_s_dimension_counts_as_saved(kernel: Kernel) -> None:
    specs = specs_of(kernel, Case("c", dims={"batch": 7}))
    assert next(spec.saved for spec in specs if spec.name == "batch") == 7


@pytest.mark.parametrize(
    ("name", "group"),
    [
        ("block_M", Group.TILING),
        ("BN", Group.TILING),
        ("num_threads", Group.TILING),
        ("num_stages", Group.TILING),
        ("split_k", Group.TILING),
        ("M", Group.PROBLEM),
        ("seq_len", Group.PROBLEM),
        ("heads", Group.PROBLEM),
        ("head_dim", Group.PROBLEM),
        ("in_dtype", Group.TYPES),
        ("accum_dtype", Group.TYPES),
        ("eps", Group.OPTIONS),
        ("is_causal", Group.OPTIONS),
    ],
)
def test_a_name_tells_its_group(name: str, group: Group) -> None:
    assert known_of(name).group is group


def test_sliders_walk_along_sensible_values(specs: dict[str, FieldSpec]) -> None:
    assert specs["block_M"].steps == (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)
    assert specs["num_stages"].steps == (0, 1, 2, 3, 4, 5, 6)
    assert {step % 32 for step in specs["threads"].steps} == {0}
    assert (specs["threads"].steps[0], specs["threads"].steps[-1]) == (32, 1024)
    assert specs["M"].steps == ()


@pytest.mark.parametrize(
    ("saved", "ends"), [(96, (1, 512)), (2048, (1, 2048)), (3000, (1, 4096)), (0, None)]
)
def test_a_slider_has_the_saved_value_or_is_left_out(
    kernel: Kernel, saved: int, ends: tuple[int, int] | None
) -> None:
    specs = specs_of(kernel, Case("c", args={"block_M": saved}))
    steps = next(spec.steps for spec in specs if spec.name == "block_M")
    assert steps == () if ends is None else (steps[0], steps[-1]) == ends
    assert ends is None or saved in steps


def test_an_unknown_dtype_is_among_the_choices(kernel: Kernel) -> None:
    specs = specs_of(kernel, Case("c", args={"dtype": "float4_e2m1fn"}))
    choices = next(spec.choices for spec in specs if spec.name == "dtype")
    assert choices[0] == "float4_e2m1fn"
    assert "float16" in choices


@pytest.mark.parametrize(
    ("value", "saved", "is_different"),
    [(1, 1, False), (1, 2, True), (True, 1, True), (1.0, 1, True), (MISSING, MISSING, False)],
)
def test_a_value_differs(
    specs: dict[str, FieldSpec], value: Any, saved: Any, is_different: bool
) -> None:
    spec = FieldSpec("x", FieldKind.TEXT, Group.OPTIONS, "", "", saved)
    assert differs(spec, value) is is_different


def test_what_is_saved_has_not_changed(kernel: Kernel, case: Case, args: dict[str, Any]) -> None:
    assert changed_names(specs_of(kernel, case), args) == ()
    assert changed_names(specs_of(kernel, case), {**args, "threads": 256}) == ("threads",)


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("scale", "1e-6", 1e-6),
        ("scale", "2", 2.0),
        ("shape", "(3, 4)", (3, 4)),
        ("policy", "16", "16"),
        ("batch", "8", 8),
    ],
)
def test_what_is_typed_is_read(
    specs: dict[str, FieldSpec], name: str, text: str, value: Any
) -> None:
    parsed = parse(specs[name], text)
    assert (parsed, type(parsed)) == (value, type(value))


@pytest.mark.parametrize(("name", "text"), [("scale", "fast"), ("scale", "True"), ("batch", " ")])
def test_what_is_no_value_is_refused(specs: dict[str, FieldSpec], name: str, text: str) -> None:
    with pytest.raises(ValueError, match="needed"):
        parse(specs[name], text)


def test_the_tip_tells_unit_and_saved_value(specs: dict[str, FieldSpec]) -> None:
    assert specs["threads"].tip.endswith("in threads, 1 or more\nSaved: 128")
