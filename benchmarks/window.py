"""Prints how long the window takes to be usable, and an edit to become fresh problems.

Each figure is the median of several runs in one process or of several processes; run it on an idle
machine: `python benchmarks/window.py`.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from PySide6.QtCore import QEventLoop
from PySide6.QtWidgets import QApplication

ROOT = Path(__file__).resolve().parent.parent
STARTS = 5
EDITS = 7

START = """
import gc, sys, time
begun = time.perf_counter()
gc.disable()  # as `workbench.app.main` does while it builds
from pathlib import Path
from workbench.app import Application, QApplication
app = QApplication([])
application = Application(app, Path(sys.argv[1]))
ends = []
application.when_painted(lambda: ends.append(time.perf_counter()))
application.show([Path(sys.argv[1]) / "gemm.py"])
while not ends:
    app.processEvents()
seconds = ends[0] - begun
heavy = [name for name in ("torch", "tilelang") if name in sys.modules]
print(seconds, ",".join(heavy) or "none")
application.close()
"""
# An empty window of the same size: what Qt and its binding take before any of ours.
EMPTY = """
import time
begun = time.perf_counter()
from PySide6.QtWidgets import QApplication, QMainWindow
app = QApplication([])
window = QMainWindow()
window.resize(1440, 900)
window.show()
app.processEvents()
window.grab()
print(time.perf_counter() - begun, "none")
"""


def main() -> None:
    """Print both figures."""
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    sys.path.insert(0, str(ROOT))
    with tempfile.TemporaryDirectory() as folder:
        prepare(Path(folder))
        start(START, folder)  # compiles the modules, as the first start of a person does
        starts = [start(START, folder) for _ in range(STARTS)]
        empties = [start(EMPTY, folder)[0] for _ in range(STARTS)]
        seconds = [s for s, _ in starts]
        print(
            f"time to interactive   {statistics.median(seconds):.3f} s (goal 0.5), "
            f"{min(seconds):.3f} to {max(seconds):.3f}; an empty window of PySide6 "
            f"{statistics.median(empties):.3f} s; torch or tilelang loaded: {starts[0][1]}"
        )
        times = edits(Path(folder))
        print(
            f"edit to problems      {statistics.median(times):.3f} s (goal 1), "
            f"{min(times):.3f} to {max(times):.3f}, of it 0.4 s of waiting for more keys"
        )


def prepare(folder: Path) -> None:
    """A workspace with the GEMM, and folders of its own for everything that is written."""
    (folder / "gemm.py").write_text((ROOT / "kernels" / "gemm.py").read_text())
    (folder / ".git").mkdir()
    for name in ("CONFIG", "DATA", "CACHE"):
        os.environ[f"TILELANG_WORKBENCH_{name}"] = str(folder / name.lower())


def start(program: str, folder: str) -> tuple[float, str]:
    """One start in a fresh process: seconds, and which heavy packages it loaded."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "PYTHONPYCACHEPREFIX": f"{folder}/pyc"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    words = [sys.executable, "-c", program, folder]
    done = subprocess.run(words, env=environment, capture_output=True, text=True, check=True)
    seconds, heavy = done.stdout.split()
    return float(seconds), heavy


def edits(folder: Path) -> list[float]:
    """Seconds from a key to the results of the text that it made, for one target."""
    from PySide6.QtTest import QTest

    from workbench.app import Application

    app = QApplication.instance() or QApplication([])
    assert isinstance(app, QApplication)
    application = Application(app, folder, trusts_all=True)
    application.show([folder / "gemm.py"])
    tab = application.window.editors.current
    assert tab is not None
    document = tab.document
    application.session.set_targets(document, ("h100",))

    def is_fresh() -> bool:
        known = document.compiled.get("h100")
        return known is not None and known.revision == document.revision

    wait(app, is_fresh, 120.0)
    tab.current.go_to(60)
    times = []
    for number in range(EDITS):
        revision, begun = document.revision, time.perf_counter()
        QTest.keyClicks(tab.current.view, f"# {number}")
        wait(app, lambda old=revision: document.revision > old and is_fresh(), 60.0)
        times.append(time.perf_counter() - begun)
    application.close()
    return times


def wait(app: QApplication, is_done: Callable[[], bool], seconds: float) -> None:
    """Let the window live until something is so; TimeoutError after `seconds`."""
    end = time.perf_counter() + seconds
    while not is_done():
        if time.perf_counter() > end:
            raise TimeoutError(f"nothing came in {seconds:.0f} s")
        app.processEvents(QEventLoop.ProcessEventsFlag.WaitForMoreEvents, 20)


if __name__ == "__main__":
    main()
