"""`hosts` on the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bare_environment import make_bare_python

from workbench.core.user_folders import user_config_folder

Cli = Callable[..., Any]


def names(cli: Cli) -> list[str]:
    return [host["name"] for host in cli("hosts", "list", "--json").json["hosts"]]


def test_this_machine_is_listed_with_how_to_add_another(cli: Cli) -> None:
    done = cli("hosts", "list")
    assert done.status == 0
    assert "this machine" in done.stdout
    assert "hosts add gpu1 -- ssh gpu1" in done.stdout


@pytest.mark.parametrize(
    "words",
    [
        ("gpu1", "--python", "py", "--env", "A=b=c", "--", "ssh", "-J", "jump", "gpu1"),
        ("--python", "py", "--env", "A=b=c", "gpu1", "--", "ssh -J jump gpu1"),
        ("gpu1", "--env", "A=b=c", "--python=py", "ssh", "-J", "jump", "gpu1"),
    ],
)
def test_a_host_is_added_in_whatever_order_one_types(cli: Cli, words: tuple[str, ...]) -> None:
    added = cli("hosts", "add", "--json", *words).json["host"]
    assert added["command"] == ["ssh", "-J", "jump", "gpu1"]
    assert (added["python"], added["shell"], added["environment"]) == ("py", True, {"A": "b=c"})
    assert names(cli) == ["local", "gpu1"]


def test_an_edit_changes_what_it_names(cli: Cli) -> None:
    cli("hosts", "add", "box", "--env", "A=1", "--env", "B=2", "--", "docker", "exec", "-i", "x")
    words = ("edit", "box", "--rename", "crate", "--python", "py", "--env", "A=", "--json")
    changed = cli("hosts", *words).json["host"]
    assert changed["command_line"] == "docker exec -i x"
    assert (changed["name"], changed["python"]) == ("crate", "py")
    assert changed["environment"] == {"B": "2"}
    again = cli("hosts", "edit", "crate", "--json", "--", "ssh", "x").json["host"]
    assert (again["command"], again["shell"]) == (["ssh", "x"], True)


def test_a_host_is_removed(cli: Cli) -> None:
    cli("hosts", "add", "gpu1", "--", "ssh", "gpu1")
    assert cli("hosts", "remove", "gpu1").status == 0
    assert names(cli) == ["local"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("add", "cpu", "--", "ssh", "x"), "cannot be called 'cpu'"),
        (("add", "gpu1"), "needs a command"),
        (("add", "gpu1", "--pyton", "x", "--", "ssh", "gpu1"), "not understood before '--'"),
        (("add", "gpu0", "--", "ssh", "gpu0"), "already"),
        (("edit", "gpu9", "--python", "x"), "did you mean `gpu0`?"),
        (("edit", "local", "--python", "x"), "another --python"),
        (("test", "gpu9"), "did you mean `gpu0`?"),
        (("remove", "gpu9"), "did you mean `gpu0`?"),
        (("remove", "local"), "cannot be removed"),
    ],
)
def test_a_slip_is_told(cli: Cli, words: tuple[str, ...], said: str) -> None:
    cli("hosts", "add", "gpu0", "--", "ssh", "gpu0")
    done = cli("hosts", *words)
    assert done.status == 2
    assert said in done.stderr


def test_a_damaged_entry_is_told_beside_the_others(cli: Cli) -> None:
    entries = [{"name": 1}, {"name": "gpu1", "command": ["ssh", "gpu1"]}]
    path = user_config_folder() / "hosts.json"
    path.write_text(json.dumps({"version": 1, "hosts": entries}))
    done = cli("hosts", "list", "--json")
    assert "names no host" in done.stderr
    assert [host["name"] for host in done.json["hosts"]] == ["local", "gpu1"]


def test_the_test_of_a_host_says_what_is_there_and_what_is_missing(
    cli: Cli, tmp_path: Path
) -> None:
    cache = f"TILELANG_WORKBENCH_CACHE={tmp_path / 'far'}"
    python = make_bare_python(tmp_path / "env")
    cli("hosts", "add", "here", "--python", str(python), "--env", cache, "--", "env")
    done = cli("hosts", "test", "here")
    assert done.status == 2
    assert "numpy, torch, tilelang is missing" in done.stdout
    assert "kernels in the simulator   no" in done.stdout


def test_a_host_that_is_not_reached_says_why(cli: Cli) -> None:
    cli("hosts", "add", "gone", "--", "sh", "-c", "echo no route to host >&2; exit 255", "sh")
    done = cli("hosts", "test", "gone", "--json")
    assert done.status == 2
    assert done.json["host"]["reached"] is False
    assert "gone does not answer" in done.json["host"]["reason"]


@pytest.mark.parametrize("place", ["gpu9", "simulatr", "gpu9:cpu"])
def test_a_place_that_is_not_there_ends_a_verification_early(
    cli: Cli, kernels: Path, place: str
) -> None:
    done = cli("verify", kernels / "gemm.py", "--on", place, "--json")
    assert done.status == 2
    assert repr(place.split(":")[0]) in done.json["error"]["message"]
