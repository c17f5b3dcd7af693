"""What is selected lights up what stands for the same, and one goes back through it."""

from __future__ import annotations

from workbench.session.lenses.links import Selection, Trail


def test_a_line_lights_up_what_stands_on_it() -> None:
    site = Selection(line=24, buffer="C_shared", site=1)
    assert site.meets(Selection(line=24))
    assert site.meets(Selection(line=24, site=1))
    assert not site.meets(Selection(line=24, site=0))
    assert not site.meets(Selection(line=25))
    assert not site.meets(None)
    assert not Selection().meets(Selection())


def test_a_buffer_lights_up_on_all_its_lines_and_a_block_alone() -> None:
    assert Selection(line=3, buffer="A").meets(Selection(line=9, buffer="A"))
    assert not Selection(line=3, buffer="A").meets(Selection(line=3, buffer="B"))
    block = Selection(line=3, block=(1, 0, 0))
    assert block.meets(Selection(block=(1, 0, 0)))
    assert not block.meets(Selection(line=3, block=(0, 0, 0)))


def test_one_goes_back_and_forward_and_forgets_what_one_left() -> None:
    trail, told = Trail(), []
    trail.changed.connect(told.append)
    one, two, three = (Selection(line=n) for n in (1, 2, 3))
    trail.back()
    assert told == []
    for each in (one, two, two):
        trail.select(each)
    assert told == [one, two, two]
    trail.back()
    assert trail.current == one
    assert trail.can_go_forward
    assert not trail.can_go_back
    trail.forward()
    trail.back()
    trail.select(three)
    assert not trail.can_go_forward
    trail.back()
    assert told[-1] == one
