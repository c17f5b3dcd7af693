"""The process of one script: puts the stand-ins in place, runs the script, and ends for good.

Whatever a script or a stand-in changes in torch, tilelang or Python goes with the process.
"""

from __future__ import annotations

import ctypes
import json
import os
import signal
import sys
import time
from pathlib import Path

from workbench.core.jobs import RunScriptRequest
from workbench.core.plain import from_plain
from workbench.core.targets.model import Target
from workbench.engine.scripts.journal import Journal

_PR_SET_PDEATHSIG = 1  # linux/prctl.h
SIMULATOR_CAVEAT = (
    "kernels were executed by the simulator and not compiled: pipelining, layouts and the "
    "synchronisation that TileLang inserts are not checked"
)


def main(request_path: str, journal_path: str) -> None:
    """Run the request in a file and write what happens to the journal in another."""
    _die_with_parent()
    request = from_plain(RunScriptRequest, json.loads(Path(request_path).read_text("utf-8")))
    journal = Journal(Path(journal_path))
    begun = time.perf_counter()
    _prepare(request, journal)
    loaded = time.perf_counter()
    journal.begins()
    from workbench.engine.scripts import executing

    failure = executing.execute(request, journal)
    seconds = {"load": loaded - begun, "script": time.perf_counter() - loaded}
    journal.ends(failure, seconds)
    journal.close()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # threads and exit handlers of the script have nothing more to say


def _prepare(request: RunScriptRequest, journal: Journal) -> None:
    """Load the packages, limit memory, and install every stand-in."""
    target = Target.from_json(dict(request.target))
    os.environ["TILELANG_DISABLE_CACHE"] = "1"
    _set_default_target(target)
    from workbench.engine import environment

    environment.prepare()
    from workbench.engine.scripts import standing_in

    standing_in.install(request, target, journal)
    if request.execute:
        journal.caveat(SIMULATOR_CAVEAT)
    _limit_memory(request.memory_bytes)


def _set_default_target(target: Target) -> None:
    lowering = target.lowering
    text = lowering if isinstance(lowering, str) else json.dumps(lowering)
    os.environ["TILELANG_DEFAULT_TARGET"] = text


def _limit_memory(limit: int | None) -> None:
    """Make an allocation beyond the limit fail where it is asked for, with a line to show."""
    if limit is None or not sys.platform.startswith("linux"):
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (limit, limit))


def _die_with_parent() -> None:
    if sys.platform.startswith("linux"):
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)


if __name__ == "__main__":
    main(*sys.argv[1:])
