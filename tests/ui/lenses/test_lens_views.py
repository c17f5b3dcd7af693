"""Lenses are built when they are looked at, and what is selected in one lights up in all."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from PySide6.QtWidgets import QDockWidget

from tests.support.analysis_results import analysis, analyzed
from tests.support.lens_subjects import DOUBLE, lens_subject, lens_target
from workbench.app import Application
from workbench.core.diagnostics import Edit, Fix, TextRange
from workbench.session.analyzed import Analyzed
from workbench.session.lenses.links import Selection
from workbench.ui.lens_views import LensViews
from workbench.ui.lenses.lens import Lens
from workbench.ui.theme.icons import Icons

H100, A100 = lens_target("h100", 0, operations=()), lens_target("a100", 1, operations=())


def test_nothing_is_built_before_it_begins(icons: Icons, qtbot: Any) -> None:
    views = LensViews(icons)
    for place in views.places.values():
        qtbot.addWidget(place)
    place = views.places["operations"]
    place.show()
    views.see("operations")
    assert len(place.children()) == 1  # its layout
    views.begin()
    assert len(place.children()) == 2


def test_a_selection_moves_the_cursor_and_lights_up_everywhere(application: Application) -> None:
    views, editors = application.controller.panels.lenses, application.window.editors
    lens = views.lens("operations")
    twin = views.open_twin("operations")
    lens.selected.emit(Selection(line=7))
    assert editors.current is not None
    assert editors.current.current.cursor_place[0] == 7
    assert lens.selection == twin.selection == Selection(line=7)
    assert not application.controller.actions["back"].isEnabled()
    lens.selected.emit(Selection(line=8))
    application.controller.actions["back"].trigger()
    assert editors.current.current.cursor_place[0] == 7
    assert application.controller.actions["forward"].isEnabled()


def test_a_twin_that_was_closed_is_forgotten(application: Application, qtbot: Any) -> None:
    views, window = application.controller.panels.lenses, application.window
    application.window.docks.show("operations")
    twin = views.open_twin("operations")
    dock = next(d for d in window.findChildren(QDockWidget) if d.isAncestorOf(twin))
    dock.close()
    qtbot.waitUntil(lambda: views.twins("operations") == ())
    views.lens("operations").selected.emit(Selection(line=7))
    application.session.results.changed.emit(application.session.documents[0])
    assert views.lens("operations").selection == Selection(line=7)


def test_a_change_that_a_lens_offers_is_one_step_of_undo(application: Application) -> None:
    tab = application.window.editors.current
    assert tab is not None
    lens = application.controller.panels.lenses.lens("operations")
    change = Fix("Take three times as much", (Edit(TextRange(8, 27, 8, 28), "3"),))
    assert DOUBLE.splitlines()[7][26] == "2"
    lens.fix_requested.emit(change, tab.document.revision + 1)
    assert tab.buffer.source() == DOUBLE  # made for another text: refused
    lens.fix_requested.emit(change, tab.document.revision)
    assert tab.buffer.source() == DOUBLE.replace("* 2", "* 3")
    application.session.results.changed.emit(tab.document)
    tab.buffer.document.undo()
    assert tab.buffer.source() == DOUBLE


def test_the_line_under_the_cursor_lights_up(application: Application) -> None:
    lens = application.controller.panels.lenses.lens("operations")
    tab = application.window.editors.current
    assert tab is not None
    tab.current.go_to(6)
    assert lens.selection == Selection(line=6)
    assert application.controller.panels.lenses.trail.current is None


def test_one_of_several_launches_is_shown_in_all_lenses(application: Application) -> None:
    views, session = application.controller.panels.lenses, application.session
    document = session.documents[0]
    kernels = (analysis(), replace(analysis(), grid=(7, 1, 1)))
    for target in document.targets:
        document.analyses.take(target, Analyzed(document.revision, 1, analyzed(*kernels)))
    session.results.changed.emit(document)
    first, second = views.lens("operations"), views.lens("memory")
    views.see("operations")
    assert shown_grid(first) == (2, 3, 1)
    first.launch_chosen.emit(1)
    views.see("operations")
    views.see("memory")
    assert shown_grid(first) == shown_grid(second) == (7, 1, 1)
    kept = views.state()["lenses"]
    assert list(kept["launches"].values()) == [1]


def shown_grid(lens: Lens) -> object:
    assert lens.target is not None
    assert lens.target.kernel is not None
    return lens.target.kernel.grid


def test_the_arguments_of_a_kernel_without_any_take_no_room(application: Application) -> None:
    docks = application.window.docks
    assert docks["arguments"].isHidden()
    with docks.all_needed():
        assert not docks["arguments"].isHidden()
    assert docks["arguments"].isHidden()
    docks.set_needed("arguments", is_needed=True)
    assert not docks["arguments"].isHidden()


def test_a_twin_shows_the_next_target(icons: Icons, qtbot: Any) -> None:
    views = LensViews(icons)
    for place in views.places.values():
        qtbot.addWidget(place)
    first = views.lens("operations")
    first.set_subject(lens_subject(H100, A100))
    twin = views.open_twin("operations")
    qtbot.addWidget(twin)
    assert twin.target is not None
    assert twin.target.target.name == "a100"
