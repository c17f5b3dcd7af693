"""The Dask workers of one host, as a program: one for each GPU, until the input ends.

It is given to `python -c` as a text; its first line of input says what to start. All of it listens
on the loopback address alone, with the keys that came through the input, and ends with the ssh that
started it, however that ends.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import sys
import threading
from typing import Any

sys.path[:] = [path for path in sys.path if path]  # files where a login begins are none of ours

_LOOPBACK = "127.0.0.1"
_END_SECONDS = 4.0
_ALONE_SECONDS = 60.0  # without a scheduler


def nannies(told: dict[str, Any]) -> list[Any]:
    """What starts the workers, and starts one again that was killed."""
    import distributed

    dask: Any = distributed  # which ships types of some of it
    security = dask.Security(require_encryption=True, **told["security"])
    return [
        dask.Nanny(
            told["scheduler"],
            host=_LOOPBACK,
            worker_port=worker["port"],
            contact_address=worker["contact"],
            name=worker["name"],
            nthreads=worker["threads"],
            resources=worker["resources"],
            env=worker["environment"],
            security=security,
            death_timeout=_ALONE_SECONDS,
            dashboard=False,
            dashboard_address=f"{_LOOPBACK}:0",
            memory_limit=0,  # jobs have limits of their own, in processes of their own
        )
        for worker in told["workers"]
    ]


async def serve(told: dict[str, Any]) -> None:
    """Run the workers until the input ends or there is nothing left to run."""
    import dask

    dask.config.set({"distributed.worker.http.routes": []})  # nothing is told without a key
    over = asyncio.Event()
    loop = asyncio.get_running_loop()

    def listen() -> None:
        sys.stdin.buffer.read()
        loop.call_soon_threadsafe(over.set)
        threading.Timer(_END_SECONDS, end_all).start()

    threading.Thread(target=listen, daemon=True).start()
    started = nannies(told)
    await asyncio.gather(*started)
    finished = [loop.create_task(nanny.finished()) for nanny in started]
    for task in finished:
        task.add_done_callback(lambda done: over.set() if all(t.done() for t in finished) else None)
    await over.wait()
    await asyncio.gather(*(nanny.close(timeout=1) for nanny in started))


def end_all() -> None:
    """End this process with all that it started."""
    os.killpg(0, signal.SIGKILL)


def main() -> None:
    """Read what to start, and serve."""
    if os.getpid() != os.getpgrp():
        os.setpgrp()
    told = json.loads(sys.stdin.buffer.readline())
    asyncio.run(serve(told))
    end_all()


if __name__ == "__main__":
    main()
