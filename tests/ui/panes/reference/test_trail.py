from __future__ import annotations

from workbench.ui.panes.reference.trail import MOST, Trail


def test_back_and_forward_lead_through_what_was_read() -> None:
    trail = Trail()
    for slug in ("a", "b", "c"):
        trail.open(slug)
    assert (trail.back(), trail.back(), trail.back()) == ("b", "a", "a")
    assert not trail.can_go_back
    assert (trail.forward(), trail.forward(), trail.forward()) == ("b", "c", "c")
    assert not trail.can_go_forward


def test_another_page_forgets_what_lies_forward() -> None:
    trail = Trail()
    for slug in ("a", "b"):
        trail.open(slug)
    trail.back()
    trail.open("c")
    assert not trail.can_go_forward
    assert trail.back() == "a"


def test_the_same_page_again_is_no_step() -> None:
    trail = Trail()
    trail.open("a")
    trail.open("a")
    assert not trail.can_go_back


def test_it_forgets_the_oldest() -> None:
    trail = Trail()
    for number in range(MOST + 5):
        trail.open(str(number))
    for _ in range(MOST + 5):
        trail.back()
    assert trail.current == "5"
