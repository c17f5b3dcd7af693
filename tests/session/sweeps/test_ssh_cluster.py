"""A sweep over Dask workers of two hosts, each of which is an sshd of its own on loopback."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest
from bare_environment import make_bare_python
from loopback_ssh import LoopbackSsh, missing_sshd, start_sshd
from sweep_process import POINTS, SweepProcess, below, listening, within

from workbench.core.hosts import make_host
from workbench.session.hosts.pool import hosts_file

pytestmark = pytest.mark.thorough

pytest.importorskip("distributed", reason="Dask is an extra")
pytest.importorskip("cryptography", reason="keys for TLS need the extra 'cluster'")
ADDRESS = "ssh://gpu1,gpu2?threads=1"


@dataclass(frozen=True)
class Hosts:
    """Two hosts that `hosts list` knows as gpu1 and gpu2."""

    servers: tuple[LoopbackSsh, LoopbackSsh]

    def running(self, word: str = "") -> list[list[int]]:
        """The ids of what runs on each, whose commands have a word."""
        return [[p.pid for p in below(s.process.pid, word)] for s in self.servers]


@pytest.fixture
def hosts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hosts]:
    if (why := missing_sshd()) is not None:
        pytest.skip(why)
    python = make_bare_python(
        tmp_path_factory.mktemp("far") / "env", "torch", "tilelang", "distributed"
    )
    servers = (start_sshd(tmp_path_factory.mktemp("a")), start_sshd(tmp_path_factory.mktemp("b")))
    for name, server in zip(("gpu1", "gpu2"), servers, strict=True):
        hosts_file().save(make_host(name, server.command(), str(python)))
    yield Hosts(servers)
    for name, server in zip(("gpu1", "gpu2"), servers, strict=True):
        hosts_file().remove(name)
        server.stop()


def test_a_killed_worker_of_a_host_costs_no_point(hosts: Hosts, tmp_path: Path) -> None:
    sweep = SweepProcess(tmp_path, ADDRESS)
    sweep.wait_for(lambda: all(hosts.running("worker.executor")))
    for worker in below(hosts.servers[0].process.pid, "spawn_main"):
        worker.kill()
    told = sweep.result()
    assert told["ended"] == "done"
    assert told["counts"]["predicted"] == POINTS
    assert [point["number"] for point in told["points"]] == list(range(POINTS))
    assert within(lambda: not any(hosts.running()))


def test_a_lost_host_costs_no_point(hosts: Hosts, tmp_path: Path) -> None:
    sweep = SweepProcess(tmp_path, ADDRESS)
    sweep.wait_for(lambda: all(hosts.running("worker.executor")))
    for process in below(hosts.servers[1].process.pid):
        process.kill()
    told = sweep.result()
    assert told["counts"]["predicted"] == POINTS
    assert "goes on without gpu2" in sweep.log.read_text()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_nothing_is_left_on_a_host_however_the_sweep_ends(
    hosts: Hosts, tmp_path: Path, number: signal.Signals
) -> None:
    sweep = SweepProcess(tmp_path, ADDRESS)
    sweep.wait_for(lambda: all(hosts.running("worker.executor")))
    everything = [p for s in hosts.servers for p in below(s.process.pid)]
    everything += below(sweep.process.pid)
    assert listening(everything) == {"127.0.0.1"}
    assert not any("PRIVATE KEY" in " ".join(p.cmdline()) for p in everything)
    sweep.process.send_signal(number)
    sweep.process.communicate()
    assert within(lambda: not any(hosts.running()))
