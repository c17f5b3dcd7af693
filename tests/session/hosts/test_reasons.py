"""What ssh, docker and shells say, in sentences with a cure."""

from __future__ import annotations

import pytest

from workbench.core.hosts import make_host
from workbench.session.hosts.reasons import lost, not_reached, refusal

GPU1 = make_host("gpu1", "ssh gpu1")
BOX = make_host("box", "docker exec -i box", "/opt/env/bin/python")

SAID = [
    ("me@gpu1: Permission denied (publickey,password).", "did not accept a key", "ssh-copy-id"),
    ("Host key verification failed.", "does not know the key", "'ssh gpu1' in a terminal"),
    (
        "ssh: Could not resolve hostname gpu1: Name or service not known",
        "no machine of that name",
        "HostName",
    ),
    ("ssh: connect to host gpu1 port 22: Connection refused", "not ssh", "sshd runs there"),
    ("ssh: connect to host gpu1 port 22: Connection timed out", "does not answer", "VPN"),
    ("bash: line 1: python3: command not found", "no 'python3' on gpu1", "--python PATH"),
    ("SyntaxError: invalid syntax", "too old", "3.10 or newer"),
]


@pytest.mark.parametrize(("line", "what", "cure"), SAID)
def test_what_ssh_says_is_explained(line: str, what: str, cure: str) -> None:
    reason = not_reached(GPU1, 255, ["some motd", line])
    assert what in reason.what
    assert cure in reason.cure


DOCKER = [
    ("Error response from daemon: No such container: box", "container of box cannot be reached"),
    ("Error response from daemon: container 4f is not running", "container of box"),
    ("the input device is not a TTY", "asks for a terminal"),
    (
        'OCI runtime exec failed: exec: "/opt/env/bin/python": stat: no such file or directory',
        "no '/opt/env/bin/python' on box",
    ),
]


@pytest.mark.parametrize(("line", "what"), DOCKER)
def test_what_docker_says_is_explained(line: str, what: str) -> None:
    assert what in not_reached(BOX, 1, [line]).what


def test_a_status_of_127_is_a_program_that_is_not_there() -> None:
    assert "no 'python3' on gpu1" in not_reached(GPU1, 127, ["zsh: unknown"]).what


def test_what_nobody_knows_is_told_with_the_last_line_and_something_to_try() -> None:
    reason = not_reached(BOX, 4, ["something odd", ""])
    assert reason.what.endswith("ended with status 4 and no Python answered: something odd")
    assert "docker exec -i box /opt/env/bin/python -V" in reason.cure


def test_silence_is_told_too() -> None:
    assert "printed nothing" in not_reached(BOX, 1, []).what


@pytest.mark.parametrize(
    "line",
    [
        "Timeout, server gpu1 not responding.",
        "client_loop: send disconnect: Broken pipe",
        "Connection to 10.0.0.1 closed by remote host.",
        "Read from remote host gpu1: Connection reset by peer",
    ],
)
def test_a_line_that_was_cut_is_a_lost_connection(line: str) -> None:
    reason = lost(GPU1, 255, [line])
    assert reason.what == f"The connection to gpu1 was lost: {line.rstrip('.')}."
    assert "Run it again" in reason.cure


def test_a_worker_that_is_gone_is_told_with_its_status() -> None:
    assert (
        lost(GPU1, -9, []).what
        == "The worker on gpu1 went away (its command ended with status -9)."
    )


def test_a_refusal_of_a_newer_worker_is_told_by_its_word() -> None:
    assert "moon" in refusal(GPU1, {"error": "moon"}).what
