"""The words that start a worker, as the far side's shell gets them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys

import pytest

from workbench.core.hosts import Host, make_host
from workbench.session.hosts.archive import arrival_code, worker_archive
from workbench.session.hosts.command_lines import quote, with_ssh_options, worker_words

SHELLS = [
    name for name in ("sh", "bash", "dash", "zsh", "fish", "csh", "tcsh") if shutil.which(name)
]


def far_line(host: Host) -> str:
    """What a command that joins its words gives to the shell."""
    return " ".join(worker_words(host)[len(with_ssh_options(host.command)) :])


def test_a_shell_gets_quoted_words_and_docker_gets_them_as_they_are() -> None:
    by_ssh, by_docker = make_host("x", "ssh x"), make_host("x", "docker exec -i x")
    assert shlex.split(far_line(by_ssh)) == list(worker_words(by_docker)[4:])


@pytest.mark.parametrize("shell", SHELLS)
def test_every_shell_passes_the_code_on_unchanged(shell: str) -> None:
    script = "import sys; print(sys.argv[1:])"
    words = [sys.executable, "-c", script, arrival_code(), "it's", "a b", "$HOME", "!x"]
    line = " ".join(quote(word) for word in (words[:4] if "csh" in shell else words))
    done = subprocess.run([shell, "-c", line], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == str(words[3:4] if "csh" in shell else words[3:])


def test_the_code_has_nothing_that_a_shell_reads_within_quotes() -> None:
    assert re.search(r"['\\!\n`$]", arrival_code()) is None


@pytest.mark.parametrize(
    ("word", "quoted"),
    [
        ("~/my env/bin/python", "~/'my env/bin/python'"),
        ("~me/bin/python", "~me/bin/python"),
        ("~", "'~'"),
        ("~$(x)/y", "'~$(x)/y'"),
    ],
)
def test_a_home_folder_is_left_for_the_shell_to_find(word: str, quoted: str) -> None:
    assert quote(word) == quoted


def test_the_environment_is_set_on_the_other_side() -> None:
    host = make_host("x", "ssh x", environment={"A": "b c"})
    assert far_line(host).startswith("env 'A=b c' python3 -c ")


def test_python_may_be_a_command_line() -> None:
    host = make_host("x", "docker exec -i x", "conda run -n tl python")
    assert worker_words(host)[4:10] == ("conda", "run", "-n", "tl", "python", "-c")


def test_ssh_never_asks_and_notices_a_cut_line() -> None:
    words = with_ssh_options(["ssh", "-J", "jump", "gpu1"])
    assert words[:2] == ("ssh", "-T")
    assert words[-3:] == ("-J", "jump", "gpu1")
    assert {"-oBatchMode=yes", "-oServerAliveInterval=5", "-oServerAliveCountMax=3"} < set(words)


def test_what_a_person_says_to_ssh_counts_more() -> None:
    words = with_ssh_options(["ssh", "-o", "ServerAliveInterval=60", "gpu1"])
    assert "-oServerAliveInterval=5" not in words


def test_other_commands_get_no_options() -> None:
    assert with_ssh_options(["srun", "--gres=gpu:1"]) == ("srun", "--gres=gpu:1")


def test_the_archive_of_the_same_files_is_the_same() -> None:
    first = worker_archive()
    worker_archive.cache_clear()
    assert worker_archive() == first


def test_the_archive_holds_the_worker_and_neither_window_nor_command_line() -> None:
    import io
    import zipfile

    names = zipfile.ZipFile(io.BytesIO(worker_archive().content)).namelist()
    parts = {name.split("/")[1] for name in names}
    assert parts == {"__init__.py", "core", "wire", "engine", "worker"}
    assert all(name.endswith(".py") for name in names)
