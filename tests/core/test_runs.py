"""Runs: their JSON form, what it keeps of a newer writer, and their ids."""

from __future__ import annotations

import dataclasses
import json
import string
from datetime import datetime, timedelta, timezone
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from workbench.core.diagnostics import Diagnostic, Edit, Fix, Related, Severity, TextRange
from workbench.core.plain import PlainError
from workbench.core.runs import (
    Artifact,
    Metric,
    MetricSource,
    Run,
    RunKind,
    RunStatus,
    blob_hash,
    microseconds,
    new_run_id,
)

NOON = datetime(2026, 3, 1, 12, tzinfo=timezone.utc)
HASHES = st.binary(max_size=4).map(blob_hash)
TEXTS = st.text(max_size=8)
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
    max_leaves=5,
)
# Of a newer writer: no name of today's, hence the underscore.
EXTRA = st.dictionaries(TEXTS.map(lambda name: "_" + name), JSON, max_size=2)
RANGES = st.builds(TextRange, st.integers(1, 99), st.integers(1, 99), st.none() | st.integers(1))
FIXES = st.builds(Fix, TEXTS, st.lists(st.builds(Edit, RANGES, TEXTS), max_size=2).map(tuple))
DIAGNOSTICS = st.builds(
    Diagnostic,
    TEXTS,
    st.sampled_from(Severity),
    TEXTS,
    st.none() | RANGES,
    st.lists(st.builds(Related, RANGES, TEXTS), max_size=2).map(tuple),
    st.lists(TEXTS, max_size=2).map(tuple),
    TEXTS,
    st.dictionaries(TEXTS, JSON, max_size=2),
    st.none() | TEXTS,
    st.lists(FIXES, max_size=2).map(tuple),
)
NUMBERS = st.none() | st.integers() | st.floats(allow_nan=False)
METRICS = st.builds(Metric, NUMBERS, TEXTS, st.sampled_from(MetricSource), st.none() | TEXTS, EXTRA)
RUNS = st.builds(
    Run,
    id=st.text(string.digits + string.ascii_lowercase, min_size=1, max_size=20),
    created=st.datetimes(timezones=st.just(timezone.utc)),
    kind=st.sampled_from(RunKind),
    status=st.sampled_from(RunStatus),
    document=st.none() | TEXTS,
    text_blob=st.none() | HASHES,
    kernel=st.none() | TEXTS,
    args=st.dictionaries(TEXTS, JSON, max_size=3),
    seconds=st.none() | st.floats(0, 1e6),
    versions=st.dictionaries(TEXTS, TEXTS, max_size=2),
    metrics=st.dictionaries(TEXTS, METRICS, max_size=3),
    diagnostics=st.lists(DIAGNOSTICS, max_size=2).map(tuple),
    artifacts=st.lists(
        st.builds(Artifact, TEXTS, TEXTS, HASHES, st.integers(0), EXTRA), max_size=2
    ).map(tuple),
    tags=st.lists(TEXTS, max_size=2).map(tuple),
    pinned=st.booleans(),
    extra=EXTRA,
)


def through_text(data: Any) -> Any:
    return json.loads(json.dumps(data))


def a_run(**fields: Any) -> Run:
    values = {"created": NOON, "kind": RunKind.COMPILE, "status": RunStatus.DONE, **fields}
    return Run(**{"id": new_run_id(NOON), **values})


def full_run() -> dict[str, Any]:
    fix = Fix("Clear it", (Edit(TextRange(3), "T.clear(C)"),))
    diagnostic = Diagnostic(
        "a-code", Severity.ERROR, "why", related=(Related(TextRange(1), "here"),), fixes=(fix,)
    )
    metric = Metric(1.5, "us", MetricSource.MEASURED, "cuda events")
    artifact = Artifact.of("k.cu", "text/x-cuda", b"x")
    run = a_run(metrics={"t": metric}, diagnostics=(diagnostic,), artifacts=(artifact,))
    return run.to_json()


@given(RUNS)
def test_a_run_survives_its_json_form(run: Run) -> None:
    assert Run.from_json(through_text(run.to_json())) == run


@pytest.mark.parametrize(
    "place",
    [
        (),
        ("metrics", "t"),
        ("artifacts", 0),
        ("diagnostics", 0),
        ("diagnostics", 0, "related", 0, "range"),
        ("diagnostics", 0, "fixes", 0),
        ("diagnostics", 0, "fixes", 0, "edits", 0),
    ],
)
def test_a_field_of_a_newer_writer_survives_a_change_of_the_run(place: tuple[Any, ...]) -> None:
    data = full_run()
    inside = data
    for step in place:
        inside = inside[step]
    inside["new_field"] = {"of": ["a newer", "writer"]}
    changed = dataclasses.replace(Run.from_json(through_text(data)), pinned=True)
    assert changed.to_json() == {**data, "pinned": True}


def test_a_removed_metric_does_not_come_back() -> None:
    run = Run.from_json({**full_run(), "new_field": 1})
    assert dataclasses.replace(run, metrics={}).to_json()["metrics"] == {}


def test_a_field_of_an_older_writer_takes_its_default() -> None:
    data = {key: full_run()[key] for key in ("id", "created", "kind", "status")}
    assert Run.from_json(data) == a_run(id=data["id"])


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("kind", "tune", "kind"),
        ("kind", [], "kind"),
        ("status", None, "status"),
        ("created", "yesterday", "created"),
        ("created", 5, "created"),
        ("created", "2026-01-01T00:00:00", "offset from UTC"),
        ("metrics", {"t": {"value": "fast", "unit": "us", "source": "measured"}}, "value"),
        ("metrics", {"t": {"value": True, "unit": "us", "source": "measured"}}, "value"),
        ("metrics", {"t": {"value": 1, "unit": "us", "source": "guessed"}}, "source"),
        ("metrics", [], "metrics"),
        ("metrics", {"t": None}, "metrics"),
        ("artifacts", [{"name": "a"}], "media_type"),
        (
            "artifacts",
            [{"name": "a", "media_type": "b", "blob": "../c", "size_bytes": 1}],
            "sha256",
        ),
        ("text_blob", "/etc/passwd", "sha256"),
        ("diagnostics", {}, "diagnostics"),
        ("diagnostics", [3], "Diagnostic"),
        ("id", "../../x", "id"),
        ("id", "", "id"),
        ("seconds", 10**400, "too large"),
        ("pinned", 1, "pinned"),
    ],
)
def test_a_wrong_field_is_named(field: str, value: Any, said: str) -> None:
    with pytest.raises(PlainError, match=said):
        Run.from_json({**full_run(), field: value})


@given(JSON)
def test_any_other_json_is_refused_with_the_one_error(data: Any) -> None:
    with pytest.raises(PlainError):
        Run.from_json(data)


def test_a_missing_id_is_named() -> None:
    data = full_run()
    del data["id"]
    with pytest.raises(PlainError, match="id is missing"):
        Run.from_json(data)


@given(*[st.datetimes(datetime(1970, 1, 1), datetime(3000, 1, 1))] * 2)
def test_ids_sort_by_time(a: datetime, b: datetime) -> None:
    a, b = sorted([a.replace(tzinfo=timezone.utc), b.replace(tzinfo=timezone.utc)])
    assert a == b or new_run_id(a) < new_run_id(b)


def test_ids_of_one_moment_differ() -> None:
    assert len({new_run_id(NOON) for _ in range(1000)}) == 1000


def test_an_id_has_twenty_characters_that_read_back_as_an_id() -> None:
    run = a_run()
    assert len(run.id) == 20
    assert Run.from_json(run.to_json()).id == run.id


def test_the_same_moment_elsewhere_gives_the_same_microseconds() -> None:
    there = NOON.astimezone(timezone(timedelta(hours=9)))
    assert microseconds(there) == microseconds(NOON) == 1772366400_000000


def test_a_time_without_offset_gives_no_id() -> None:
    with pytest.raises(ValueError, match="no offset"):
        new_run_id(datetime(2026, 1, 1))


def test_a_run_names_each_blob_once_and_its_text_first() -> None:
    same = Artifact.of("copy.py", "text/x-python", b"text")
    other = Artifact.of("k.cu", "text/x-cuda", b"source")
    run = a_run(text_blob=blob_hash(b"text"), artifacts=(other, same))
    assert run.blobs == (blob_hash(b"text"), blob_hash(b"source"))


@pytest.mark.parametrize(("tags", "pinned"), [(("best",), False), ((), True)])
def test_a_tag_or_a_pin_protects(tags: tuple[str, ...], pinned: bool) -> None:
    assert a_run(tags=tags, pinned=pinned).protected
    assert not a_run().protected
