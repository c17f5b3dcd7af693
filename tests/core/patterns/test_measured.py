from __future__ import annotations

import dataclasses
from typing import Any

import pytest
from generated_kernels import generated

from workbench.core.patterns import generating
from workbench.core.patterns.generating import Generated
from workbench.core.patterns.measured import Measurement, measurement_of, measurements
from workbench.core.patterns.model import Step
from workbench.core.patterns.table import PATTERNS, pattern_named

TEXT = "170 µs on an NVIDIA H200, 1.02 times as fast as cuBLAS; measured on 2026-11-30."


def gemm(**values: Any) -> Generated:
    return generated("gemm", **values)


def measured(made: Generated, **changes: Any) -> Measurement:
    kept = {name: value for name, value in made.values.items() if value is not None}
    names = tuple(target.name for target in made.setting.targets)
    found = Measurement(made.pattern.id, made.pattern.version, names, kept, TEXT)
    return dataclasses.replace(found, **changes)


def found(made: Generated, among: Measurement) -> Measurement | None:
    names = [target.name for target in made.setting.targets]
    return measurement_of(made.pattern, made.values, names, [among])


def test_a_measurement_is_of_the_values_that_were_measured() -> None:
    assert found(gemm(M=4096), measured(gemm(M=4096))) is not None


@pytest.mark.parametrize("other", [{"M": 2048}, {"num_stages": 2}, {"dtype": "bfloat16"}])
def test_another_value_is_another_kernel(other: dict[str, Any]) -> None:
    assert found(gemm(**{"M": 4096, **other}), measured(gemm(M=4096))) is None


def test_a_switch_that_was_put_off_is_as_one_that_nobody_set() -> None:
    made = generated("elementwise", "h200", streaming=False)
    assert made.values["streaming"] is False
    assert found(made, measured(generated("elementwise", "h200"))) is not None
    assert found(generated("elementwise", "h200", streaming=True), measured(made)) is None


def test_another_target_or_version_is_another_kernel() -> None:
    made = gemm()
    assert found(made, measured(made, targets=("a100",))) is None
    assert found(made, measured(made, version=made.pattern.version + 1)) is None


def test_one_of_several_targets_is_enough() -> None:
    made = generated("gemm", "h200,h100")
    assert found(made, measured(made, targets=("h200",))) is not None


def test_a_field_without_effect_may_differ() -> None:
    made = generated("flash-decoding")  # the size of a page matters where there are pages
    idle = [field.name for field in made.pattern.fields if not field.matters(made.values)]
    among = measured(made)
    assert idle
    values = {**among.values, idle[0]: "something else"}
    assert found(made, dataclasses.replace(among, values=values)) is not None


def test_a_shape_is_the_same_as_a_list_or_not() -> None:
    made = generated("transpose")
    listed = {n: list(v) if isinstance(v, tuple) else v for n, v in made.values.items()}
    assert found(made, measured(made, values=listed)) is not None


def test_a_document_says_its_measurement(monkeypatch: pytest.MonkeyPatch) -> None:
    among = [measured(gemm(M=4096))]
    monkeypatch.setattr(
        generating,
        "measurement_of",
        lambda pattern, values, names: measurement_of(pattern, values, names, among),
    )
    assert f"Performance: {TEXT}" in " ".join(gemm(M=4096).text.split())
    assert "\nPerformance: not measured.\n" in gemm(M=2048).text


def test_what_is_kept_is_of_patterns_and_fields_that_there_are() -> None:
    known = {pattern.id for pattern in PATTERNS}
    for each in measurements():
        assert each.pattern in known
        names = {field.name for field in pattern_named(each.pattern).fields}
        assert set(each.values) <= names
        assert each.text.endswith(".")


@pytest.mark.parametrize(
    "kept", measurements(), ids=lambda kept: f"{kept.pattern}: {kept.text[:24]}"
)
def test_what_is_recommended_is_what_was_measured(kept: Measurement) -> None:
    pattern = pattern_named(kept.pattern)
    asked = {f.name: kept.values[f.name] for f in pattern.of_step(Step.REQUIREMENTS)}
    made = generated(kept.pattern, kept.targets[0], **asked)
    assert measurement_of(pattern, made.values, kept.targets) is not None
