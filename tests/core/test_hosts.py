"""Hosts as a person gives them, and the file that keeps them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from workbench.core.hosts import THIS_MACHINE, Host, HostError, HostsFile, make_host
from workbench.core.json_files import JsonFileError

GPU1 = make_host("gpu1", "ssh gpu1")

#: A file of version 1 as it was first written.
VERSION_1 = {
    "version": 1,
    "hosts": [
        {
            "name": "box",
            "command": ["docker", "exec", "-i", "box"],
            "python": "/opt/env/bin/python",
            "shell": False,
            "environment": {"CUDA_VISIBLE_DEVICES": "1"},
        }
    ],
}


@pytest.fixture
def file(tmp_path: Path) -> HostsFile:
    return HostsFile(tmp_path / "hosts.json")


def write(file: HostsFile, *entries: object, version: int = 1) -> None:
    file.path.write_text(json.dumps({"version": version, "hosts": list(entries)}))


@pytest.mark.parametrize(
    ("line", "shell"),
    [
        ("ssh gpu1", True),
        ("/usr/bin/ssh -J jump gpu1", True),
        ("docker exec -i box", False),
        ("srun --gres=gpu:1", False),
        ("kubectl exec -i pod --", False),
    ],
)
def test_who_joins_its_words_for_a_shell_is_guessed(line: str, shell: bool) -> None:
    assert make_host("x", line).shell is shell


def test_the_guess_can_be_overruled() -> None:
    assert make_host("x", "ssh gpu1", shell=False).shell is False


def test_a_command_line_is_read_as_a_shell_would() -> None:
    assert make_host("x", "ssh -o 'User=a b' gpu1").command == ("ssh", "-o", "User=a b", "gpu1")


@pytest.mark.parametrize("name", ["local", "simulator", "cpu", "", "a:b", "-x", "a b", "x" * 65])
def test_a_name_that_places_could_not_be_told_by_is_refused(name: str) -> None:
    with pytest.raises(HostError, match="cannot be called"):
        make_host(name, "ssh gpu1")


@pytest.mark.parametrize("line", ["", "   ", "ssh 'gpu1"])
def test_a_command_that_starts_nothing_is_refused(line: str) -> None:
    with pytest.raises(HostError):
        make_host("gpu1", line)


def test_another_python_of_this_machine_needs_no_command() -> None:
    assert make_host("cuda", "", "/opt/env/bin/python").command_line == "this machine"


@pytest.mark.parametrize("variables", [{"A B": "1"}, {"A": "1\n2"}, {"": "x"}])
def test_environment_variables_that_no_shell_could_set_are_refused(
    variables: dict[str, str],
) -> None:
    with pytest.raises(HostError):
        make_host("gpu1", "ssh gpu1", environment=variables)


def test_this_machine_is_there_without_a_file(file: HostsFile) -> None:
    assert file.load().hosts == (THIS_MACHINE,)


def test_what_is_saved_is_read_again(file: HostsFile) -> None:
    host = Host("box", ("docker", "exec", "-i", "box"), "python3.12", False, {"A": "b c"})
    file.save(GPU1)
    file.save(host)
    assert file.load().hosts == (THIS_MACHINE, GPU1, host)


def test_a_file_of_the_first_version_is_read(file: HostsFile) -> None:
    file.path.write_text(json.dumps(VERSION_1))
    (_, box) = file.load().hosts
    assert box.command_line == "docker exec -i box"
    assert box.environment == {"CUDA_VISIBLE_DEVICES": "1"}


def test_a_host_keeps_its_place_when_it_is_renamed(file: HostsFile) -> None:
    for name in ("a", "b", "c"):
        file.save(make_host(name, "ssh x"))
    file.save(make_host("d", "ssh x"), old_name="b")
    assert file.load().names == ("local", "a", "d", "c")


def test_a_taken_name_is_refused(file: HostsFile) -> None:
    file.save(GPU1)
    file.save(make_host("gpu2", "ssh gpu2"))
    with pytest.raises(HostError, match="already"):
        file.save(GPU1)
    with pytest.raises(HostError, match="already"):
        file.save(GPU1, old_name="gpu2")


def test_an_entry_at_fault_costs_that_entry_and_stays(file: HostsFile) -> None:
    bad = {"name": "bad", "command": "ssh x"}
    write(file, bad, {"name": "good", "command": ["ssh", "good"]}, 7)
    loaded = file.load()
    assert loaded.names == ("local", "good")
    assert ["command of bad" in p or "names no host" in p for p in loaded.problems] == [True, True]
    file.save(GPU1)
    assert json.loads(file.path.read_text())["hosts"][0] == bad


def test_an_entry_that_an_edit_does_not_know_keeps_its_keys(file: HostsFile) -> None:
    write(file, {"name": "gpu1", "command": ["ssh", "gpu1"], "colour": "green"})
    file.save(make_host("gpu1", "ssh other"), old_name="gpu1")
    (entry,) = json.loads(file.path.read_text())["hosts"]
    assert (entry["colour"], entry["command"]) == ("green", ["ssh", "other"])


def test_of_two_hosts_of_one_name_the_first_counts(file: HostsFile) -> None:
    write(file, *({"name": "gpu1", "command": ["ssh", word]} for word in ("a", "b")))
    loaded = file.load()
    assert loaded.hosts[1].command == ("ssh", "a")
    assert "two hosts" in loaded.problems[0]


def test_a_damaged_file_leaves_this_machine(file: HostsFile) -> None:
    file.path.write_text("{")
    assert file.load().names == ("local",)
    assert "damaged" in file.load().problems[0]


def test_a_file_of_a_newer_version_is_read_and_not_written(file: HostsFile) -> None:
    write(file, {"name": "gpu1", "command": ["ssh", "gpu1"]}, version=9)
    assert file.load().names == ("local", "gpu1")
    with pytest.raises(JsonFileError, match="version 9"):
        file.save(make_host("gpu2", "ssh gpu2"))


def test_removing_leaves_the_others(file: HostsFile) -> None:
    file.save(GPU1)
    file.save(make_host("gpu2", "ssh gpu2"))
    assert file.remove("gpu1").names == ("local", "gpu2")


@pytest.mark.parametrize("name", ["local", "nobody"])
def test_what_is_not_in_the_file_cannot_be_removed(file: HostsFile, name: str) -> None:
    with pytest.raises(HostError):
        file.remove(name)
