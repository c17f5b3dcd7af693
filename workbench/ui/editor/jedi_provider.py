"""Completion by Jedi in one helper process, which is started late and never outlives its owner."""

from __future__ import annotations

import itertools
import json
import logging
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QProcess, QProcessEnvironment, QTimer, Signal

from workbench.core.python_path import python_path
from workbench.ui.editor.completion import Completion, Definition, Signature

ANSWER_MILLISECONDS = 20_000
START_MILLISECONDS = 180_000
STOP_MILLISECONDS = 2_000
MAX_STARTS = 4
_logger = logging.getLogger(__name__)


class JediProvider(QObject):
    """A `CompletionProvider`. One request runs at a time; of each kind the newest waits."""

    completed = Signal(int, object)
    signatures_found = Signal(int, object)
    definitions_found = Signal(int, object)
    gave_up = Signal(str)

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._numbers = itertools.count(1)
        self._process: QProcess | None = None
        self._running: dict[str, Any] | None = None
        self._waiting: dict[str, dict[str, Any]] = {}
        self._starts = 0
        self._is_ready = False
        self._patience = QTimer(self, singleShot=True)
        self._patience.timeout.connect(self._on_patience_timeout)

    def complete(self, text: str, line: int, column: int, path: Path | None) -> int:
        """Ask what may be written at a place; the answer is a tuple of `Completion`."""
        return self._ask("complete", text, line, column, path)

    def find_signatures(self, text: str, line: int, column: int, path: Path | None) -> int:
        """Ask which calls are around a place; the answer is a tuple of `Signature`."""
        return self._ask("signatures", text, line, column, path)

    def find_definitions(self, text: str, line: int, column: int, path: Path | None) -> int:
        """Ask where the name at a place is defined; the answer is a tuple of `Definition`."""
        return self._ask("definitions", text, line, column, path)

    def start(self) -> None:
        """Start the helper, so that it has read tilelang before the first request."""
        if self._process is not None or self._starts >= MAX_STARTS:
            return
        self._starts += 1
        process = QProcess(self)
        process.setProcessEnvironment(_environment())
        process.setProcessChannelMode(QProcess.ProcessChannelMode.SeparateChannels)
        process.setStandardErrorFile(QProcess.nullDevice())
        process.readyReadStandardOutput.connect(self._on_process_ready_read)
        process.finished.connect(self._on_process_finished)
        process.errorOccurred.connect(self._on_process_error_occurred)
        self._process, self._is_ready = process, False
        self._patience.start(START_MILLISECONDS)
        process.start(sys.executable, ["-m", "workbench.ui.editor.jedi_helper"])

    def close(self) -> None:
        """End the helper now; what was asked is not answered."""
        process, self._process = self._process, None
        self._patience.stop()
        self._running, self._waiting, self._is_ready = None, {}, False
        self._starts = MAX_STARTS
        if process is not None:
            _end(process)

    def _ask(self, kind: str, text: str, line: int, column: int, path: Path | None) -> int:
        number = next(self._numbers)
        place = {"line": line, "column": column, "path": str(path) if path else None}
        self._waiting[kind] = {"id": number, "kind": kind, "text": text, **place}
        self.start()
        self._send()
        return number

    def _send(self) -> None:
        if not self._is_ready or self._running is not None or not self._waiting:
            return
        if self._process is None:
            return
        kind = min(self._waiting, key=lambda kind: int(self._waiting[kind]["id"]))
        self._running = self._waiting.pop(kind)
        self._process.write(json.dumps(self._running).encode() + b"\n")
        self._patience.start(ANSWER_MILLISECONDS)

    def _on_process_ready_read(self) -> None:
        while self._process is not None and self._process.canReadLine():
            self._take(json.loads(bytes(self._process.readLine().data())))

    def _take(self, answer: dict[str, Any]) -> None:
        running, self._running = self._running, None
        self._patience.stop()
        self._is_ready, self._starts = True, 1
        if "error" in answer:
            _logger.info("Jedi failed: %s", answer["error"])
        if running is not None:
            self._tell(running, answer["items"])
        self._send()

    def _tell(self, request: dict[str, Any], items: list[dict[str, Any]]) -> None:
        tellers: dict[str, tuple[Callable[..., Any], Any]] = {
            "complete": (Completion, self.completed),
            "signatures": (_signature, self.signatures_found),
            "definitions": (Definition, self.definitions_found),
        }
        make, signal = tellers[request["kind"]]
        signal.emit(request["id"], tuple(make(**item) for item in items))

    def _on_patience_timeout(self) -> None:
        if self._process is not None:
            self._process.kill()

    def _on_process_finished(self) -> None:
        self._lose()

    def _on_process_error_occurred(self, error: QProcess.ProcessError) -> None:
        if error is QProcess.ProcessError.FailedToStart:
            self._lose()

    def _lose(self) -> None:
        """The helper is gone: its request has no answer; those that wait get another helper."""
        process, self._process = self._process, None
        if process is None:
            return
        process.deleteLater()
        self._patience.stop()
        self._is_ready = False
        running, self._running = self._running, None
        if running is not None:
            self._tell(running, [])
        if self._starts >= MAX_STARTS:
            self.gave_up.emit("Completion has ended several times and stays off until a restart.")
            return
        if self._waiting:
            self.start()
            self._send()


def _signature(name: str, parameters: list[str], index: int | None, summary: str) -> Signature:
    return Signature(name, tuple(parameters), index, summary)


def _end(process: QProcess) -> None:
    process.blockSignals(True)
    process.kill()
    process.waitForFinished(STOP_MILLISECONDS)
    process.deleteLater()


def _environment() -> QProcessEnvironment:
    """This process's environment, with the package itself on the path."""
    environment = QProcessEnvironment.systemEnvironment()
    environment.insert("PYTHONPATH", python_path())
    return environment
