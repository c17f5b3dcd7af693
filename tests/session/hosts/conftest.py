"""Hosts that are this machine in disguise: reached by ssh on loopback, with a bare Python."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from bare_environment import make_bare_python
from loopback_ssh import LoopbackSsh, missing_sshd, start_sshd

from workbench.core.hosts import Host, make_host


@pytest.fixture(scope="session")
def bare_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with torch and tilelang, which knows nothing of the workbench."""
    return make_bare_python(tmp_path_factory.mktemp("bare") / "env", "torch", "tilelang")


@pytest.fixture(scope="session")
def empty_python(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A Python with the standard library alone."""
    return make_bare_python(tmp_path_factory.mktemp("empty") / "env")


@pytest.fixture(scope="session")
def sshd(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LoopbackSsh]:
    if (why := missing_sshd()) is not None:
        pytest.skip(why)
    server = start_sshd(tmp_path_factory.mktemp("sshd"))
    yield server
    server.stop()


@pytest.fixture(scope="session")
def far_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The cache folder of the user on the other side."""
    return tmp_path_factory.mktemp("far") / "cache"


@pytest.fixture
def ssh_host(sshd: LoopbackSsh, bare_python: Path, far_cache: Path) -> Host:
    environment = {"TILELANG_WORKBENCH_CACHE": str(far_cache)}
    return make_host("gpu1", sshd.command(), str(bare_python), environment=environment)


@pytest.fixture
def other_python(tmp_path: Path) -> Callable[[Path | str], Host]:
    """This machine with another Python: as a host, without the time that ssh takes."""

    def make(python: Path | str) -> Host:
        environment = {"TILELANG_WORKBENCH_CACHE": str(tmp_path / "far cache")}
        return make_host("box", ["env"], str(python), environment=environment)

    return make
