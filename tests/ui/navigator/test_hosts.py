"""The hosts in the navigator: what each row says, and where a click on it leads."""

from __future__ import annotations

from typing import Any

from tests.support.host_reports import NOT_REACHED, REACHED
from workbench.core.hosts import make_host
from workbench.session.hosts.glances import glance
from workbench.session.place_choices import HostGlance
from workbench.ui.navigator import Navigator
from workbench.ui.navigator.nodes import ADD_HOST, hosts_section
from workbench.ui.theme.icons import Icons

GPU1 = make_host("gpu1", "ssh gpu1")


def rows(*glances: HostGlance) -> list[tuple[str, str, str]]:
    return [
        (node.text, node.detail, node.look.word if node.look else "")
        for node in hosts_section(glances).children
    ]


def test_a_host_says_what_it_has_or_why_not() -> None:
    assert rows(glance(GPU1, None))[0] == ("gpu1", "not tested yet", "Not tested yet")
    assert rows(glance(GPU1, REACHED))[0] == ("gpu1", "NVIDIA H200", "Ready")
    assert rows(glance(GPU1, NOT_REACHED))[0][1:] == (
        "gpu1 did not accept a key: Permission denied (publickey)",
        "Not reached",
    )


def test_the_last_row_adds_a_host() -> None:
    assert [node.key for node in hosts_section(()).children] == [ADD_HOST]


def test_a_click_leads_to_the_host_or_to_a_new_one(qtbot: Any, icons: Icons) -> None:
    navigator = Navigator(icons.theme, icons)
    qtbot.addWidget(navigator)
    navigator.set_hosts((glance(GPU1, REACHED),))
    host, add = hosts_section((glance(GPU1, REACHED),)).children
    wanted: list[str] = []
    navigator.host_activated.connect(wanted.append)
    navigator._on_node_activated(host)
    navigator._on_node_activated(add)
    assert wanted == ["gpu1", ""]
    assert [action.text() for action in navigator.menu_of(host).actions()][:2] == [
        "Show This Host",
        "Copy Name",
    ]
