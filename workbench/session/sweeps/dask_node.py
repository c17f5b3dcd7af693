"""What runs on a Dask worker: unpacks the workbench's worker, and passes jobs on to it.

Dask gets this module by value, as nobody installed the workbench there. So it needs nothing but
the standard library until the code has been unpacked, and its syntax is that of Python 3.10.
"""

from __future__ import annotations

import atexit
import hashlib
import importlib
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

_STATE = "_tilelang_workbench_node"  # a module of sys.modules: globals travel with each pickle


class Node:
    """The workbench's worker beside one Dask worker, and the jobs that wait for it."""

    def __init__(self, content: bytes, digest: str) -> None:
        if hashlib.sha256(content).hexdigest() != digest:
            raise ValueError("the archive of the workbench's worker arrived damaged")
        self.digest = digest
        self._folder = tempfile.mkdtemp(prefix="tilelang-workbench-node-")
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            archive.extractall(self._folder)
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
        environment = {**os.environ, "PYTHONPATH": self._folder}
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


def _frames_of(folder: str) -> Any:
    """The module of frames, from the unpacked code where this Python has no workbench."""
    try:
        return importlib.import_module("workbench.wire.frames")
    except ImportError:
        sys.path.append(folder)
        return importlib.import_module("workbench.wire.frames")


def begin_node(content: bytes, digest: str) -> str:
    """Put the code on this Dask worker, once; returns the machine's name."""
    node = getattr(sys, _STATE, None)
    if node is None or node.digest != digest:
        if node is not None:
            node.close()
        node = Node(content, digest)
        setattr(sys, _STATE, node)
        atexit.register(node.close)
    return platform.node()


def end_node() -> None:
    """End the workbench's worker beside this Dask worker."""
    node = getattr(sys, _STATE, None)
    if node is not None:
        setattr(sys, _STATE, None)
        node.close()


def run_task(
    header: dict[str, Any], content: bytes, digest: str
) -> tuple[dict[str, Any], tuple[bytes, ...], str]:
    """Run one job of a sweep on this Dask worker: the end's header, its blobs, and the machine.

    Each thread of the Dask worker has a lane of its own.
    """
    machine = begin_node(content, digest)
    node = getattr(sys, _STATE)
    lane = f"dask-{threading.get_ident()}"
    ended, blobs = node.run({**header, "lane": header.get("lane") or lane})
    return json.loads(json.dumps(ended)), blobs, machine
