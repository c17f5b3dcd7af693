"""What `--scheduler` takes, and what is said of an address that cannot be meant."""

from __future__ import annotations

import pytest

from workbench.core.hosts import make_host
from workbench.session.hosts.pool import hosts_file
from workbench.session.sweeps.backend import BackendError
from workbench.session.sweeps.clusters import connect

pytest.importorskip("distributed", reason="Dask is an extra")

REFUSED = [
    ("gpu1:8786", "an address begins with one of tcp://, tls://, ssh://, slurm://"),
    ("tcp://head", "an address is tcp://HOST:PORT"),
    ("tcp://head:many", "an address is tcp://HOST:PORT"),
    ("tcp://head:8786", "can run code there and here.*tls://HOST:PORT.*ssh -L 8786.*plain=yes"),
    ("ssh://", "names no host: ssh://gpu1,gpu2"),
    ("ssh://gpu1?colour=red", "colour is none of its options"),
    ("ssh://gpu1?thread=2", "did you mean `threads`"),
    ("ssh://gpu1?threads=0", "threads must be a whole number from 1 on, not '0'"),
    ("ssh://gpu1;rm", "cannot be called 'gpu1;rm'"),
    ("ssh://-oProxyCommand=x", "cannot be called '-oProxyCommand=x'"),
    ("slurm://?colour=red", "colour is none of its options"),
    ("slurm://?jobs=some", "jobs must be a whole number from 1 on, not 'some'"),
    ("slurm://?queue=a%0a%23SBATCH", "queue cannot be"),
    ("slurm://?gres=gpu:a100:4", "each job measures on one GPU.*gres=gpu:1&jobs=4"),
]


@pytest.mark.parametrize(("address", "what"), REFUSED)
def test_an_address_that_cannot_be_meant_is_refused_with_what_to_do(
    address: str, what: str
) -> None:
    with pytest.raises(BackendError, match=what):
        connect(address)


def test_a_host_that_is_not_reached_by_ssh_is_named_with_the_other_way() -> None:
    hosts_file().save(make_host("a-box", "docker exec -i box"))
    try:
        with pytest.raises(BackendError, match=r"'docker exec -i box'.*--on a-box"):
            connect("ssh://a-box")
    finally:
        hosts_file().remove("a-box")
