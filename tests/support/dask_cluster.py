"""A Dask LocalCluster with two worker processes, as a program: prints its address and their ids."""

from __future__ import annotations

import json
import sys

import distributed


def main() -> None:
    """Serve until the input ends."""
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        host="127.0.0.1",
        scheduler_kwargs={"dashboard": False},
        silence_logs=50,
    ) as cluster:
        workers = [worker.process.pid for worker in cluster.workers.values()]
        print(json.dumps({"address": cluster.scheduler_address, "workers": workers}), flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main()
