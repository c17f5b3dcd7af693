"""What runs on a Dask worker: unpacks the workbench's worker, and passes jobs on to it.

Each Dask worker gets this file's text with `ARCHIVE` behind it as a module of its own name, also
one that joins later. Nobody installed the workbench there, so it needs nothing but the standard
library until the code has been unpacked, and its syntax is that of Python 3.10.
"""

from __future__ import annotations

import atexit
import base64
import importlib.util
import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile
from typing import Any

ARCHIVE = ""  # in base64; the text that is sent gives it at its end
_HELD: dict[str, Node | None] = globals().get(
    "_HELD", {}
)  # Dask loads a module anew for each worker
_HOLDING = threading.Lock()


class Node:
    """The workbench's worker beside one Dask worker, and the jobs that wait for it."""

    def __init__(self, content: bytes) -> None:
        self._folder = tempfile.mkdtemp(prefix="tilelang-workbench-", dir=_own_folder())
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(self._folder)
        self._scratch = os.path.join(self._folder, "tmp")
        os.mkdir(self._scratch)
        self._frames = _frames_of(self._folder)
        self._lock = threading.Lock()
        self._waiting: dict[str, list[Any]] = {}
        self._done = threading.Condition(self._lock)
        self._count = 0
        self._process: subprocess.Popen[bytes] | None = None
        self._writer: Any = None

    def run(self, header: dict[str, Any]) -> tuple[dict[str, Any], tuple[bytes, ...]]:
        """Have a job done and return the header and blobs of its end."""
        with self._lock:
            self._count += 1
            job = f"node-{self._count}"
            self._waiting[job] = []
            writer = self._started()
        writer.write({**header, "job": job})
        with self._done:
            while not self._waiting[job]:
                self._done.wait()
            (frame,) = self._waiting.pop(job)
        if frame is None:
            raise OSError("the workbench's worker beside this Dask worker went away")
        return frame.header, tuple(frame.blobs)

    def close(self) -> None:
        """End the worker and what it runs, and take its code away."""
        with self._lock:
            process, self._process = self._process, None
        if process is not None:
            if process.stdin is not None:
                process.stdin.close()
            try:
                process.wait(2)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)

    def _started(self) -> Any:
        if self._process is not None and self._process.poll() is None:
            return self._writer
        environment = {**os.environ, "PYTHONPATH": self._folder, "TMPDIR": self._scratch}
        process = subprocess.Popen(
            [sys.executable, "-m", "workbench.worker"],
            env=environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        self._process = process
        self._writer = self._frames.FrameWriter(process.stdin)
        threading.Thread(target=self._listen, args=(process,), daemon=True).start()
        return self._writer

    def _listen(self, process: subprocess.Popen[bytes]) -> None:
        try:
            while (frame := self._frames.read_frame(process.stdout)) is not None:
                if frame.header.get("type") == "ended":
                    self._finish(frame.header.get("job"), frame)
        except (OSError, ValueError, self._frames.FrameError):
            pass  # its jobs are told below
        with self._lock:
            lost = [job for job, found in self._waiting.items() if not found]
        for job in lost:
            self._finish(job, None)

    def _finish(self, job: Any, frame: Any) -> None:
        with self._done:
            if job in self._waiting:
                self._waiting[job].append(frame)
                self._done.notify_all()


def _own_folder() -> str | None:
    """The folder of the Dask worker that runs this, which is removed when it is gone."""
    try:
        from distributed import get_worker

        folder: str = get_worker().local_directory
    except (ImportError, ValueError):  # not on a Dask worker
        return None
    return folder if os.path.isdir(folder) else None


def _frames_of(folder: str) -> Any:
    """The unpacked module of frames, whatever workbench this Python may have itself."""
    path = os.path.join(folder, "workbench", "wire", "frames.py")
    spec = importlib.util.spec_from_file_location(f"{__name__}_frames", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # where its dataclasses look for themselves
    spec.loader.exec_module(module)
    return module


def _begun() -> Node:
    with _HOLDING:
        if "node" not in _HELD:
            _HELD["node"] = Node(base64.b64decode(ARCHIVE))
            atexit.register(end_node)
        node = _HELD["node"]
    if node is None:
        raise OSError("the sweep has ended")
    return node


def end_node() -> None:
    """End the workbench's worker beside this Dask worker, for good."""
    with _HOLDING:
        node = _HELD.get("node")
        _HELD["node"] = None
    if node is not None:
        node.close()


def run_task(header: dict[str, Any]) -> tuple[dict[str, Any], tuple[bytes, ...], str]:
    """Run one job of a sweep on this Dask worker: the end's header, its blobs, and the machine.

    Each thread of the Dask worker has a lane of its own.
    """
    lane = f"dask-{threading.get_ident()}"
    ended, blobs = _begun().run({**header, "lane": header.get("lane") or lane})
    return json.loads(json.dumps(ended)), blobs, platform.node()
