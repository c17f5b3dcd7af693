"""Hosts on which no Dask worker could run: this machine by ssh, with one thing missing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from bare_environment import make_bare_python
from loopback_ssh import LoopbackSsh, missing_sshd, start_sshd

from workbench.core.hosts import Host, make_host
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.dask_hosts import look_at

distributed = pytest.importorskip("distributed", reason="Dask is an extra")


@pytest.fixture(scope="module")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSsh]:
    if (why := missing_sshd()) is not None:
        pytest.skip(why)
    server = start_sshd(tmp_path_factory.mktemp("sshd"))
    yield server
    server.stop()


def refusal(host: Host) -> str:
    with pytest.raises(BackendError) as refused:
        look_at(host)
    return str(refused.value)


def test_a_key_that_is_not_accepted(sshd: LoopbackSsh) -> None:
    said = refusal(make_host("gpu1", sshd.command("other_key")))
    assert "gpu1 did not accept a key" in said
    assert "ssh-copy-id" in said


def test_a_port_on_which_no_sshd_listens(sshd: LoopbackSsh) -> None:
    words = [word if not word.startswith("-p") else "-p1" for word in sshd.command()]
    assert "but not ssh" in refusal(make_host("gpu1", words))


def test_a_host_without_that_python(sshd: LoopbackSsh) -> None:
    said = refusal(make_host("gpu1", sshd.command(), "/no/python"))
    assert "no '/no/python' on gpu1" in said


def test_a_python_without_dask_and_tilelang(sshd: LoopbackSsh, tmp_path: Path) -> None:
    empty = make_bare_python(tmp_path / "env")
    said = refusal(make_host("gpu1", sshd.command(), str(empty)))
    assert "has no 'distributed', 'numpy', 'torch', 'tilelang'" in said
    assert f"-m pip install distributed=={distributed.__version__} numpy torch tilelang" in said


def test_a_machine_without_ssh() -> None:
    said = refusal(make_host("gpu1", ["/no/ssh", "gpu1"]))
    assert "there is no '/no/ssh' on this machine" in said
