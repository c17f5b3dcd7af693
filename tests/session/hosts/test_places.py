"""Places as `--on` names them."""

from __future__ import annotations

import pytest

from workbench.session.hosts.places import Place, PlaceError, parse_place

HOSTS = ("local", "gpu1", "box")


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("simulator", Place("local", "simulator")),
        ("cpu", Place("local", "cpu")),
        ("local", Place("local", "local")),
        ("gpu1", Place("gpu1", "local")),
        ("gpu1:simulator", Place("gpu1", "simulator")),
        ("box:cpu", Place("box", "cpu")),
    ],
)
def test_a_place_is_read_and_written_alike(text: str, place: Place) -> None:
    assert parse_place(text, HOSTS) == place
    assert place.text == text


def test_this_machine_may_be_named_with_its_engine() -> None:
    assert parse_place("local:cpu", HOSTS) == Place("local", "cpu")


@pytest.mark.parametrize(("text", "near"), [("gpu2", "gpu1"), ("simulater", "simulator")])
def test_the_nearest_place_is_suggested(text: str, near: str) -> None:
    with pytest.raises(PlaceError, match=rf"did you mean {near}\?"):
        parse_place(text, HOSTS)


def test_an_unknown_host_is_told_how_to_be_added() -> None:
    with pytest.raises(PlaceError, match=r"hosts add zeus -- ssh zeus"):
        parse_place("zeus:cpu", HOSTS)


def test_an_unknown_engine_is_told_with_what_there_is() -> None:
    with pytest.raises(PlaceError, match=r"did you mean simulator\?.*gpu1:cpu"):
        parse_place("gpu1:simulatr", HOSTS)


@pytest.mark.parametrize("text", ["", ":", ":cpu", "gpu1:"])
def test_half_a_place_is_none(text: str) -> None:
    with pytest.raises(PlaceError):
        parse_place(text, HOSTS)


def test_a_place_has_words() -> None:
    titles = [parse_place(text, HOSTS).title for text in ("simulator", "local", "gpu1", "box:cpu")]
    assert titles == ["simulator", "this GPU", "GPU of gpu1", "processor of box"]
