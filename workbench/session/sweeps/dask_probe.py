"""What is on a host that is to run Dask workers: printed by its Python, as a line of JSON.

It is given to `python -c` as a text and read by whatever Python is there, so its syntax is that of
Python 3.4.
"""

import sys

sys.path[:] = [path for path in sys.path if path]  # files where a login begins are none of ours

import importlib  # noqa: E402
import importlib.util  # noqa: E402
import json  # noqa: E402
import os  # noqa: E402
import platform  # noqa: E402
import socket  # noqa: E402

MARK = "TLW-DASK "
OLDEST = (3, 10)
NEEDED = ("distributed", "numpy", "torch", "tilelang")


def said() -> "dict[str, object]":
    """What this Python is and has; "ports" are free ones of the loopback address."""
    found = {
        "python": platform.python_version(),
        "executable": sys.executable,
    }  # type: dict[str, object]
    if sys.version_info < OLDEST:
        return dict(found, error="python")
    missing = [name for name in NEEDED if importlib.util.find_spec(name) is None]
    if missing:
        return dict(found, missing=missing)
    from importlib import metadata

    gpus = visible_gpus()
    return dict(
        found,
        missing=[],
        distributed=metadata.version("distributed"),
        cpus=len(os.sched_getaffinity(0)),
        gpus=gpus,
        ports=free_ports(1 + max(1, len(gpus))),
    )


def visible_gpus() -> "list[str]":
    """What CUDA_VISIBLE_DEVICES would be for each GPU that torch finds; HIP knows that name too."""
    torch = importlib.import_module("torch")  # the host's: this file is never imported
    count = torch.cuda.device_count()
    named = [name for name in os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
    return named[:count] if named else [str(number) for number in range(count)]


def free_ports(count: int) -> "list[int]":
    """So many ports of the loopback address that nobody listens on."""
    holders = [socket.socket() for _ in range(count)]
    for holder in holders:
        holder.bind(("127.0.0.1", 0))
    ports = [holder.getsockname()[1] for holder in holders]
    for holder in holders:
        holder.close()
    return ports


def main() -> None:
    """Print it as one line that begins with the mark, whatever was printed before."""
    sys.stdout.write("\n" + MARK + json.dumps(said()) + "\n")


if __name__ == "__main__":
    main()
